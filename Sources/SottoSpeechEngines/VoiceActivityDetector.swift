public import SottoAudio

/// Tells how likely each short frame of audio is speech.
public protocol VoiceActivityDetector: Sendable {
    /// The only rate accepted, in hertz.
    var sampleRate: Int { get }
    /// Samples a frame.
    var frameLength: Int { get }
    /// Starts listening to one recording, with no memory of any other.
    ///
    /// - Throws: ``RecognitionError``.
    func makeSession() async throws -> any VoiceActivitySession
}

/// Voice activity over one recording that arrives bit by bit.
public protocol VoiceActivitySession: Sendable {
    /// Takes the next samples, of any number, and gives the probability of speech in [0, 1] of each frame that they complete.
    ///
    /// - Throws: ``RecognitionError``; `CancellationError` within a few frames of a cancel.
    func accept(_ samples: [Float]) async throws -> [Float]
}

extension VoiceActivityDetector {
    /// The probability of speech, in [0, 1], for each frame of one recording; a last frame that is short is padded with zeros.
    ///
    /// - Throws: ``RecognitionError``; `CancellationError` within a few frames of a cancel.
    public func probabilities(_ audio: AudioBuffer) async throws -> [Float] {
        guard audio.sampleRate == sampleRate else {
            throw RecognitionError(
                .unsupportedSampleRate, "voice activity needs \(sampleRate) Hz, not \(audio.sampleRate); resample the audio first")
        }
        let session = try await makeSession()
        let missing = (frameLength - audio.samples.count % frameLength) % frameLength
        return try await session.accept(audio.samples + [Float](repeating: 0, count: missing))
    }
}
