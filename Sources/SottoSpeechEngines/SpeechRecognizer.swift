public import SottoAudio
public import SottoStreams

/// A streaming speech-to-text engine.
public protocol SpeechRecognizer: Sendable {
    /// The only rate the engine accepts, in hertz; callers resample first.
    var sampleRate: Int { get }

    /// Starts on one recording, with no memory of any other.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`, which says what to do.
    func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession
}

extension SpeechRecognizer {
    /// Recognizes one continuous recording.
    ///
    /// The updates end when the audio ends. Cancelling the consuming task stops decoding within one step; no update
    /// follows. Silence and noise give no final at all.
    /// - Throws: While iterating: ``RecognitionError``, or what the audio sequence throws.
    public func transcribe(_ audio: AudioStream, options: RecognitionOptions = RecognitionOptions()) -> TranscriptUpdates {
        TranscriptUpdates { emit in
            // First, so that a broken model is an error for a silent recording too.
            let session = try await makeSession(options)
            for try await buffer in audio {
                guard buffer.sampleRate == sampleRate else {
                    throw RecognitionError(
                        .unsupportedSampleRate, "recognition needs \(sampleRate) Hz, not \(buffer.sampleRate); resample the audio first")
                }
                for update in try await session.accept(buffer.samples) { try await emit(update) }
            }
            for update in try await session.finish() { try await emit(update) }
        }
    }
}

/// Audio on its way to an engine: buffers of one sample rate, in order, without gaps.
public typealias AudioStream = ProducedSequence<AudioBuffer>

extension ProducedSequence where Element == AudioBuffer {
    /// A recording that is already whole.
    public init(_ buffer: AudioBuffer) {
        self.init { emit in try await emit(buffer) }
    }
}

/// What a recognizer says while it listens.
public enum TranscriptUpdate: Sendable, Equatable {
    /// `committed` only ever grows within an utterance; `tail` may change.
    case partial(committed: Transcript, tail: Transcript)
    /// Ends the utterance; never revised.
    case final(Transcript)
}

/// The updates of one recording, in order.
public typealias TranscriptUpdates = ProducedSequence<TranscriptUpdate>

extension ProducedSequence where Element == TranscriptUpdate {
    /// Every final of the recording, once it has ended.
    public func finals() async throws -> [Transcript] {
        var finals: [Transcript] = []
        for try await case .final(let transcript) in self { finals.append(transcript) }
        return finals
    }
}

/// Words that were said, with where and how surely.
public struct Transcript: Sendable, Equatable, Codable {
    /// One token of the engine's vocabulary.
    public struct Token: Sendable, Equatable, Codable {
        /// The piece of text, with its leading space.
        public var text: String
        /// The engine's probability of this token given those before it, in (0, 1].
        public var probability: Float

        public init(text: String, probability: Float) {
            self.text = text
            self.probability = probability
        }
    }

    public var text: String
    /// Seconds from the start of the recording.
    public var start: Double
    /// Seconds from the start of the recording.
    public var end: Double
    public var tokens: [Token]
    /// The language that was heard, or was said to be spoken: a primary BCP 47 tag; `nil` where the engine knows a single one.
    public var language: String?
    /// How sure the engine was of the language, where it was not told, in (0, 1].
    public var languageProbability: Float?
    /// The words with the times that the engine measured; `nil` when it measures none, see ``words``.
    public var measuredWords: [Word]?

    public init(
        text: String, start: Double = 0, end: Double = 0, tokens: [Token] = [], language: String? = nil, languageProbability: Float? = nil,
        measuredWords: [Word]? = nil
    ) {
        self.text = text
        self.start = start
        self.end = end
        self.tokens = tokens
        self.language = language
        self.languageProbability = languageProbability
        self.measuredWords = measuredWords
    }

    /// The mean of the tokens' log-probabilities, 0 (certain) downwards; 0 without tokens.
    public var meanLogProbability: Float {
        guard tokens.isEmpty == false else { return 0 }
        return tokens.reduce(0) { $0 + logarithm(max($1.probability, 1e-9)) } / Float(tokens.count)
    }
}

/// Why recognition failed; the message says what to do.
public struct RecognitionError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable { case modelNotLoaded, unsupportedSampleRate, unsupportedLanguage, engineFailed }
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
