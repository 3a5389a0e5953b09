/// Judges, at a pause, whether the speaker has said what they wanted to say.
///
/// How it was said tells more than how long the silence is: a voice that falls has finished, one that hangs has not.
public protocol TurnDetector: Sendable {
    /// The only rate accepted, in hertz.
    var sampleRate: Int { get }
    /// The newest samples that are looked at; more are allowed and ignored.
    var windowLength: Int { get }

    /// How likely it is that the turn is complete, in [0, 1].
    ///
    /// - Parameter samples: The newest of the recording, the pause included.
    /// - Throws: ``RecognitionError``; `CancellationError`.
    func completion(of samples: [Float]) async throws -> Float
}
