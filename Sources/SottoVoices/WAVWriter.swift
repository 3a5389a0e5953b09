internal import Foundation

/// Why a WAV file could not be written; the message says what to do.
public struct WAVWriterError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case notWritable, tooLong }
    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

/// A WAV file that grows on disk while it is made: 16-bit mono PCM under a temporary name, put in place when it is whole.
///
/// Source of the layout: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0", RIFF WAVE.
final class WAVWriter {
    private let path: String
    private let temporary: String
    private let handle: FileHandle
    private let sampleRate: Int
    private var dataBytes = 0

    /// - Throws: ``WAVWriterError`` `.notWritable`.
    init(path: String, sampleRate: Int) throws(WAVWriterError) {
        let url = URL(filePath: path)
        self.path = url.path
        self.sampleRate = sampleRate
        // Beside its goal, so that the rename stays on one file system.
        temporary = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).\(UUID().uuidString).partial").path
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: self.path, isDirectory: &isFolder), isFolder.boolValue {
            throw WAVWriterError(.notWritable, "\(path) is a folder; name a file")
        }
        guard FileManager.default.createFile(atPath: temporary, contents: nil), let handle = FileHandle(forWritingAtPath: temporary) else {
            throw WAVWriterError(.notWritable, "\(path) cannot be written; check that its folder exists and allows it")
        }
        self.handle = handle
        do {
            try handle.write(contentsOf: Data(header()))
        } catch {
            discard()
            throw WAVWriterError(.notWritable, "\(path) cannot be written (\(error.localizedDescription)); check the free space", cause: error)
        }
    }

    /// Adds samples; values beyond full scale are clipped.
    func append(_ samples: [Float]) throws(WAVWriterError) {
        var bytes = Data(capacity: samples.count * 2)
        for sample in samples {
            let value = Int16(max(-32768, min(32767, ((sample.isFinite ? sample : 0) * 32767).rounded())))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        guard dataBytes + bytes.count < Int(UInt32.max) - 64 else {
            throw WAVWriterError(.tooLong, "\(path) would exceed 4 GiB, the most that a WAV file holds; cut the text")
        }
        do {
            try handle.write(contentsOf: bytes)
        } catch {
            throw WAVWriterError(.notWritable, "\(path) cannot be written (\(error.localizedDescription)); check the free space", cause: error)
        }
        dataBytes += bytes.count
    }

    /// Writes the lengths, flushes to disk and gives the file its name.
    func finish() throws(WAVWriterError) {
        do {
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(header()))
            try handle.synchronize()
            try handle.close()
            guard unsafe rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw WAVWriterError(.notWritable, "\(path) cannot be put in place (\(error.localizedDescription)); check the folder", cause: error)
        }
    }

    /// Removes what was written.
    func discard() {
        try? handle.close()
        try? FileManager.default.removeItem(atPath: temporary)
    }

    private func header() -> [UInt8] {
        func little(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        return Array("RIFF".utf8) + little(36 + dataBytes, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2)
            + little(sampleRate, 4) + little(sampleRate * 2, 4) + little(2, 2) + little(16, 2) + Array("data".utf8) + little(dataBytes, 4)
    }
}
