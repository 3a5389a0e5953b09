public import SottoAudio

/// Turns a voice into a direction: recordings of one speaker point the same way.
public protocol SpeakerEncoding: Sendable {
    /// The only rate that is accepted, in hertz; callers resample first.
    var sampleRate: Int { get }
    /// The direction of a recording's voice, of length 1; the product of two is their likeness.
    ///
    /// - Throws: ``SpeakerError`` `.tooLittleSpeech` for a recording with less than half a second of sound; `CancellationError`.
    func embedding(of audio: AudioBuffer) async throws -> [Float]
}

/// Why a voice could not be told; the message says what to do.
public struct SpeakerError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case modelNotLoaded, tooLittleSpeech, unsupportedSampleRate }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension Array<Float> {
    /// The product of two directions: 1 for the same, 0 for nothing in common. Arrays of other lengths have none.
    public func likeness(to other: [Float]) -> Float {
        guard count == other.count else { return 0 }
        return zip(self, other).reduce(0) { $0 + $1.0 * $1.1 }
    }
}
