/// A 16-bit mono WAV file that grows on disk while its audio is made, and appears under its name only when it is whole.
///
/// ```swift
/// var writer = try WAVWriter(path: "answer.wav", sampleRate: 24_000)
/// for try await buffer in speech { try writer.append(buffer) }
/// try writer.finish()
/// ```
/// A writer that is dropped without ``finish()``, by an error or a cancellation, removes what it wrote. The file is readable by
/// its owner only. Every call blocks for as long as the disk takes.
public struct WAVWriter: ~Copyable, Sendable {
    /// In hertz.
    public let sampleRate: Int
    /// Frames written so far.
    public private(set) var frames = 0
    private let file: PendingFile
    /// A chunk that follows the samples.
    private let trailer: [UInt8]

    /// - Parameters:
    ///   - path: The file to make or to replace.
    ///   - sampleRate: 1 to 1 000 000 Hz.
    ///   - comment: Written behind the samples, where players show it.
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`, `.unsupportedFormat`.
    public init(path: String, sampleRate: Int, comment: String? = nil) throws(AudioError) {
        trailer = comment.map(WAVFile.comment) ?? []
        let header = try WAVFile.header(sampleRate: sampleRate, dataBytes: 0)
        let file = try PendingFile(goal: path)
        try file.write(header, at: 0)
        self.file = file
        self.sampleRate = sampleRate
    }

    /// Adds a buffer; values beyond full scale are clipped, what is not a number is 0.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`, `.tooLong` at 4 GiB, `.unsupportedFormat` for another sample rate.
    ///   Nothing of the buffer counts as written then: it can be tried again, or what came before it finished.
    public mutating func append(_ buffer: AudioBuffer) throws(AudioError) {
        guard buffer.sampleRate == sampleRate else {
            throw AudioError(.unsupportedFormat, "audio at \(buffer.sampleRate) Hz does not fit a file at \(sampleRate) Hz; resample it first")
        }
        // The header refuses what would not fit before anything is written.
        _ = try WAVFile.header(sampleRate: sampleRate, dataBytes: (frames + buffer.samples.count) * 2, trailingBytes: trailer.count)
        try file.write(WAVFile.quantized(buffer.samples), at: WAVFile.headerBytes + frames * 2)
        frames += buffer.samples.count
    }

    /// Fills in the lengths, flushes to the disk and gives the file its name.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`; what stood at the path is then untouched, and what was written is removed.
    public consuming func finish() throws(AudioError) {
        try file.write(trailer, at: WAVFile.headerBytes + frames * 2)
        try file.write(WAVFile.header(sampleRate: sampleRate, dataBytes: frames * 2, trailingBytes: trailer.count), at: 0)
        try file.place(length: WAVFile.headerBytes + frames * 2 + trailer.count)
    }
}
