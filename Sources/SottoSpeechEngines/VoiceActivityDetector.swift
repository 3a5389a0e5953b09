public import SottoAudio

/// Tells how likely each short frame of audio is speech.
public protocol VoiceActivityDetector: Sendable {
    /// The only rate accepted, in hertz.
    var sampleRate: Int { get }
    /// Samples a frame.
    var frameLength: Int { get }
    /// The probability of speech, in [0, 1], for each frame of one recording; a last frame that is short is padded with zeros.
    ///
    /// - Throws: ``RecognitionError``; `CancellationError` within one frame of a cancel.
    func probabilities(_ audio: AudioBuffer) async throws -> [Float]
}
