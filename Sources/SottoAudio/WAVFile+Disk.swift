internal import Glibc

extension WAVFile {
    /// Reads a file whole; a link is followed.
    ///
    /// - Parameter limit: The largest size read, in bytes.
    /// - Throws: ``AudioError``.
    public init(path: String, limit: Int = 1 << 30) throws(AudioError) {
        let bytes = try Self.contents(path, limit: limit)
        do throws(AudioError) {
            try self.init(bytes: bytes)
        } catch {
            throw AudioError(error.code, "\(path): \(error.message)", cause: error)
        }
    }

    private static func contents(_ path: String, limit: Int) throws(AudioError) -> [UInt8] {
        guard path.utf8.contains(0) == false else { throw AudioError(.notReadable, "a path that holds a NUL names no file") }
        // Without waiting, or a pipe that nobody writes to would hold the caller for ever.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            let reason = unsafe String(cString: strerror(code))
            throw AudioError(
                .notReadable, code == ENOENT ? "there is no file at \(path)" : "\(path) cannot be read (\(reason)); check its permissions")
        }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AudioError(.notReadable, "\(path) is not a regular file")
        }
        let size = Int(status.st_size)
        guard size <= limit else { throw AudioError(.tooLong, "\(path) has \(size) bytes, more than the \(limit) that are read at once") }
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            // What is appended meanwhile is left out; what is cut off meanwhile shows as truncated.
            while count < size {
                let got = unsafe read(file, buffer.baseAddress?.advanced(by: count), size - count)
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                count += got
            }
        }
        guard failure == 0 else {
            throw AudioError(.notReadable, "\(path) cannot be read (\(unsafe String(cString: strerror(failure)))); check the disk")
        }
        return bytes
    }

    /// The bytes of a 16-bit mono file; values beyond full scale are clipped, what is not a number is 0.
    ///
    /// - Throws: ``AudioError`` `.tooLong` from 4 GiB on; `.unsupportedFormat` for a rate over 1 000 000 Hz.
    public static func encode(_ audio: AudioBuffer) throws(AudioError) -> [UInt8] {
        try header(sampleRate: audio.sampleRate, dataBytes: audio.samples.count * 2) + quantized(audio.samples)
    }

    /// Writes a 16-bit mono file, readable by its owner only, which appears whole or not at all.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`, `.tooLong`, `.unsupportedFormat`; what stood at `path` is then untouched.
    public static func write(_ audio: AudioBuffer, to path: String) throws(AudioError) {
        var writer = try WAVWriter(path: path, sampleRate: audio.sampleRate)
        try writer.append(audio)
        try writer.finish()
    }

    /// The size of ``header(sampleRate:dataBytes:)``.
    static let headerBytes = 44

    /// What stands before the samples of a 16-bit mono file.
    ///
    /// - Throws: ``AudioError`` `.tooLong` when the 32-bit lengths cannot hold it; `.unsupportedFormat` for a rate that no reader takes.
    package static func header(sampleRate: Int, dataBytes: Int, trailingBytes: Int = 0) throws(AudioError) -> [UInt8] {
        guard (1...1_000_000).contains(sampleRate) else {
            throw AudioError(.unsupportedFormat, "a WAV file cannot have \(sampleRate) Hz; rates are 1 to 1000000 Hz")
        }
        guard dataBytes + trailingBytes <= Int(UInt32.max) - 36 else {
            throw AudioError(.tooLong, "a WAV file holds at most 4 GiB; save the audio in parts")
        }
        func little(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let format = little(1, 2) + little(1, 2) + little(sampleRate, 4) + little(sampleRate * 2, 4) + little(2, 2) + little(16, 2)
        return Array("RIFF".utf8) + little(36 + dataBytes + trailingBytes, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + format
            + Array("data".utf8) + little(dataBytes, 4)
    }

    /// A `LIST` chunk of kind `INFO` with a comment (`ICMT`): zero-terminated, even in length, as the specification wants it.
    package static func comment(_ text: String) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let characters = Array(text.utf8) + [0]
        let entry = Array("ICMT".utf8) + little(characters.count) + characters + (characters.count.isMultiple(of: 2) ? [] : [0])
        return Array("LIST".utf8) + little(4 + entry.count) + Array("INFO".utf8) + entry
    }

    /// What stands before the samples of a 16-bit mono stream whose length nobody knows yet: readers take all ones to reach to the end.
    package static func openHeader(sampleRate: Int) -> [UInt8] {
        guard var bytes = try? header(sampleRate: sampleRate, dataBytes: 0) else { return [] }
        for index in [4, 5, 6, 7, 40, 41, 42, 43] { bytes[index] = 0xFF }
        return bytes
    }

    /// Samples as 16-bit integers, low byte first.
    package static func quantized(_ samples: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            // The same scale as reading, so that a file that is read and written again is the same file. Infinity is as far
            // beyond full scale as anything; only what is not a number has no side to be clipped to.
            let value = Int16(max(-32768, min(32767, ((sample.isNaN ? 0 : sample) * 32768).rounded())))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return bytes
    }
}
