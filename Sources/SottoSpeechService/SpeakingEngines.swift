public import SottoSpeechEngines
public import SottoStreams

/// What speech needs of the program around it.
public protocol SpeakingEngines: Sendable {
    /// The voices that can be asked for by name, the default first.
    func voices() async throws -> [SynthesisVoice]

    /// The speeds that the engine can do.
    var speeds: ClosedRange<Double> { get }

    /// Speaks a text, Markdown or plain, piece by piece.
    ///
    /// - Parameter model: As the client named it.
    /// - Returns: The pieces, and their rate in hertz.
    /// - Throws: ``SynthesisError``, here or while iterating; ``ServiceError`` for a model that does not exist.
    func speech(of text: String, model: String, voice: String, speed: Double) async throws -> (chunks: SpeechChunks, sampleRate: Int)

    /// Encodes audio while it is made.
    ///
    /// - Parameters:
    ///   - audio: At the rate given, mono.
    ///   - format: All but `wav` and `pcm`, which need no encoder.
    /// - Returns: `nil` when this machine cannot make the format.
    func encoded(_ audio: AudioStream, sampleRate: Int, as format: SpeechFormat) -> ProducedSequence<[UInt8]>?
}
