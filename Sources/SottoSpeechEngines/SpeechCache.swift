public import SottoAudio

/// Keeps speech that was made, so that what is said again is not made again.
public protocol SpeechCache: Sendable {
    /// The speech that was kept under this key; `nil` when there is none or it is damaged.
    func speech(for key: SpeechKey) async -> AudioBuffer?
    /// Keeps speech; a cache that cannot says nothing.
    func keep(_ speech: AudioBuffer, for key: SpeechKey) async
}

/// What speech depends on.
public struct SpeechKey: Sendable, Hashable {
    /// The words that are said, or their phonemes.
    public var text: String
    public var voice: String
    /// The model's identity and version of how it is used; another model's speech is never given.
    public var model: String
    public var speed: Double

    public init(text: String, voice: String, model: String, speed: Double) {
        self.text = text
        self.voice = voice
        self.model = model
        self.speed = speed
    }
}
