public import SottoAudio
public import SottoStreams

/// A text-to-speech engine.
public protocol SpeechSynthesizer: Sendable {
    /// The rate of what it makes, in hertz.
    var sampleRate: Int { get }
    /// The voices that can be asked for by name.
    var voices: [SynthesisVoice] { get }

    /// Speaks a text, piece by piece: the first piece is out while the next is made.
    ///
    /// Cancelling the consuming task stops the engine within one second, in the middle of a piece too.
    /// - Throws: While iterating: ``SynthesisError``.
    func synthesize(_ request: SpeechRequest) -> SpeechChunks

    /// Speaks a text while it comes: the first piece is out before the text has ended.
    ///
    /// Joined, the pieces are one recording: the rests between them are part of them.
    /// - Throws: While iterating: ``SynthesisError``, and what the script's own sequence throws.
    func synthesize(_ script: SpeechScript) -> SpeechChunks
}

/// What to say, and how.
public struct SpeechRequest: Sendable, Equatable {
    /// Plain text in its written form; Markdown is removed before.
    public var text: String
    /// The engine's default when `nil`.
    public var voice: String?
    /// 1 is the voice's own pace; 0.5 to 2.
    public var speed: Double

    public init(text: String, voice: String? = nil, speed: Double = 1) {
        self.text = text
        self.voice = voice
        self.speed = speed
    }
}

public struct SynthesisVoice: Sendable, Equatable, Codable {
    public var name: String
    /// BCP 47 tags of the languages that the voice was made for.
    public var languages: [String]
    /// What a person may want to know before choosing it.
    public var note: String

    public init(name: String, languages: [String], note: String = "") {
        self.name = name
        self.languages = languages
        self.note = note
    }
}

/// One piece of speech, ready to be played.
public struct SpeechChunk: Sendable, Equatable {
    public var audio: AudioBuffer
    /// The written text that this piece says.
    public var text: String

    public init(audio: AudioBuffer, text: String) {
        self.audio = audio
        self.text = text
    }
}

/// The pieces of one request, in order.
public typealias SpeechChunks = ProducedSequence<SpeechChunk>

/// Why synthesis failed; the message says what to do.
public struct SynthesisError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable { case modelNotLoaded, unknownVoice, nothingToSay, phonemesFailed, engineFailed }
    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
