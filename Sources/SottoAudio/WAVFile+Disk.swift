internal import Foundation
internal import Glibc

extension WAVFile {
    /// Reads a file whole.
    ///
    /// - Parameter limit: The largest size read, in bytes.
    /// - Throws: ``AudioError``.
    public init(path: String, limit: Int = 1 << 30) throws(AudioError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular else {
            throw AudioError(.notReadable, attributes == nil ? "there is no file at \(path)" : "\(path) is not a regular file")
        }
        let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
        guard size <= limit else { throw AudioError(.tooLong, "\(path) has \(size) bytes, more than the \(limit) that are read at once") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AudioError(.notReadable, "\(path) cannot be read; check its permissions")
        }
        do throws(AudioError) {
            try self.init(bytes: [UInt8](data))
        } catch {
            throw AudioError(error.code, "\(path): \(error.message)", cause: error)
        }
    }

    /// The bytes of a 16-bit mono file; values beyond full scale are clipped, what is not a number is 0.
    ///
    /// - Throws: ``AudioError`` `.tooLong` from 4 GiB on.
    public static func encode(_ audio: AudioBuffer) throws(AudioError) -> [UInt8] {
        let length = audio.samples.count * 2
        guard length <= Int(UInt32.max) - 36 else { throw AudioError(.tooLong, "a WAV file holds at most 4 GiB; save the audio in parts") }
        func little(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var bytes = Array("RIFF".utf8) + little(36 + length, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2)
        bytes += little(audio.sampleRate, 4) + little(audio.sampleRate * 2, 4) + little(2, 2) + little(16, 2)
        bytes += Array("data".utf8) + little(length, 4)
        bytes.reserveCapacity(44 + length)
        for sample in audio.samples {
            // The same scale as reading, so that a file that is read and written again is the same file.
            let value = Int16(max(-32768, min(32767, ((sample.isFinite ? sample : 0) * 32768).rounded())))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return bytes
    }

    /// Writes a 16-bit mono file, readable by its owner only, which appears whole or not at all.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.tooLong`; what stood at `path` is then untouched.
    public static func write(_ audio: AudioBuffer, to path: String) throws(AudioError) {
        let bytes = try encode(audio)
        let url = URL(filePath: path)
        // Beside its goal, so that the rename stays on one file system.
        let temporary = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).\(UUID().uuidString).partial").path
        func failure(_ what: String) -> AudioError {
            let reason = unsafe String(cString: strerror(errno))
            return AudioError(.notWritable, "\(path) cannot be \(what) (\(reason)); check its folder and the free space")
        }
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("written") }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let error = failure("written")
                _ = close(file)
                _ = unsafe unlink(temporary)
                throw error
            }
            written += count
        }
        guard fsync(file) == 0, close(file) == 0, unsafe rename(temporary, path) == 0 else {
            let error = failure("put in place")
            _ = unsafe unlink(temporary)
            throw error
        }
    }
}
