public import SottoAudio

/// Speaks in voices that are not on its list: a style is a place among the stock voices or beyond them.
///
/// A style is what is added, in units of the stock voices' spread, to their middle; shape `[styleWidth]`. Zeros are the middle itself.
public protocol StyleSynthesizing: Sendable {
    /// Of what is made, in hertz.
    var sampleRate: Int { get }
    var styleWidth: Int { get }
    /// The stock voices as styles, sorted by name.
    var stockStyles: [StockStyle] { get }

    /// Says one sentence, as quickly as the machine allows while everything else goes first.
    ///
    /// - Parameters:
    ///   - sentence: In words, without numbers and signs.
    ///   - style: Shape `[styleWidth]`.
    /// - Throws: ``SynthesisError``, `.engineFailed` for a style that gives no speech; `CancellationError`.
    func speech(of sentence: String, style: [Float]) async throws -> AudioBuffer
}

/// A voice that an engine has, as a style.
public struct StockStyle: Sendable, Equatable {
    public var name: String
    public var style: [Float]

    public init(name: String, style: [Float]) {
        self.name = name
        self.style = style
    }
}

/// A voice that was fitted to somebody's, as an engine speaks with it.
public struct FittedVoice: Sendable {
    public var voice: SynthesisVoice
    /// As ``StyleSynthesizing`` takes it.
    public var style: [Float]
    /// Where its speech is kept, apart from all others so that it can be deleted with the voice.
    public var cache: (any SpeechCache)?

    public init(voice: SynthesisVoice, style: [Float], cache: (any SpeechCache)? = nil) {
        self.voice = voice
        self.style = style
        self.cache = cache
    }
}
