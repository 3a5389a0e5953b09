internal import Foundation

/// Writes a take while it is being recorded: 16-bit mono WAV that can be read at any moment, for the header is renewed every second.
///
/// A recorder that dies leaves a take that ``TakeStore`` recovers, whole until the last call. Every call blocks for as long as the disk takes.
public final class TakeRecorder {
    static let headerBytes = 44

    /// As it stood at the beginning.
    public private(set) var take: Take
    private let store: TakeStore
    private let file: LockedFile
    private let sampleRate: Int
    private var frames = 0
    private var synchronized = 0

    init(take: Take, store: TakeStore, file: LockedFile, sampleRate: Int) throws(TakeError) {
        self.take = take
        self.store = store
        self.file = file
        self.sampleRate = sampleRate
        try file.write(Self.header(frames: 0, sampleRate: sampleRate), at: 0)
    }

    /// Of audio so far.
    public var seconds: Double { Double(frames) / Double(sampleRate) }

    /// Adds samples; values beyond full scale are clipped, what is not a number is 0.
    ///
    /// - Throws: ``TakeError`` `.diskFull`, `.notWritable`; what came before is safe.
    public func append(_ samples: [Float]) throws(TakeError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            let value = sample.isFinite ? Int16(max(-32_768, min(32_767, (sample * 32_768).rounded()))) : 0
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        try file.write(bytes, at: Self.headerBytes + frames * 2)
        frames += samples.count
        if frames - synchronized >= sampleRate {
            synchronized = frames
            try file.write(Self.header(frames: frames, sampleRate: sampleRate), at: 0)
            file.synchronize()
        }
    }

    /// Notes which microphone it comes from.
    public func setDevice(_ name: String) throws(TakeError) {
        take.device = name
        try store.write(take)
    }

    /// Ends the take.
    ///
    /// - Parameters:
    ///   - text: What was heard; `nil` when it was not recognized.
    ///   - recognizer: Id of the model.
    /// - Throws: ``TakeError``; the take can then be recovered.
    @discardableResult
    public func finish(text: String?, recognizer: String?) throws(TakeError) -> Take {
        try file.write(Self.header(frames: frames, sampleRate: sampleRate), at: 0)
        file.synchronize()
        take.state = .finished
        take.seconds = seconds
        take.text = text
        take.recognizer = recognizer
        try store.write(take)
        return take
    }

    /// The header of a canonical WAV file (RIFF, PCM, one channel, 16 bits).
    static func header(frames: Int, sampleRate: Int) -> [UInt8] {
        func four(_ value: Int) -> [UInt8] {
            let number = UInt32(clamping: value)
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + four(36 + frames * 2) + Array("WAVEfmt ".utf8) + four(16) + [1, 0, 1, 0] + four(sampleRate) + four(sampleRate * 2)
            + [2, 0, 16, 0] + Array("data".utf8) + four(frames * 2)
    }
}
