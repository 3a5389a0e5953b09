/// What is said first, by both sides.
public struct SherpaGreeting: Codable, Sendable, Equatable {
    /// ``SherpaFrame/version``.
    public var version: Int
    /// Of the child: the version of sherpa-onnx.
    public var library: String?

    public init(version: Int = SherpaFrame.version, library: String? = nil) {
        self.version = version
        self.library = library
    }
}

/// Which model to load, and how.
public struct SherpaLoad: Codable, Sendable, Equatable {
    public var model: SherpaModel
    /// Threads of the network, at least 1.
    public var threads: Int
    /// Seconds of silence without any word, of silence after words, and of the longest utterance, each of which ends an utterance of a
    /// streaming model.
    public var endpoints: [Float]

    public init(model: SherpaModel, threads: Int = 1, endpoints: [Float] = [2.4, 0.9, 30]) {
        self.model = model
        self.threads = threads
        self.endpoints = endpoints
    }
}

/// The files of a model by what they are for.
public struct SherpaModel: Codable, Sendable, Equatable {
    /// What sort of model it is; decides which files there are.
    public enum Family: String, Codable, Sendable, CaseIterable {
        /// Streaming: Zipformer, Conformer, LSTM. Files: encoder, decoder, joiner, tokens.
        case streamingTransducer
        /// Streaming. Files: encoder, decoder, tokens.
        case streamingParaformer
        /// Streaming. Files: model, tokens.
        case streamingCTC
        /// Whole utterances: Zipformer, NeMo. Files: encoder, decoder, joiner, tokens.
        case transducer
        /// Whole utterances. Files: model, tokens.
        case paraformer, senseVoice, nemoCTC, zipformerCTC
        /// Whole utterances. Files: encoder, decoder, tokens.
        case whisper
        /// Whole utterances. Files: encoder, decoder (the merged one), tokens; or preprocessor, encoder, uncached, cached, tokens.
        case moonshine
        /// Speech in the voice of a reference. Files: encoder, decoder, vocoder, tokens, lexicon.
        case zipVoice
        /// Speech in voices of its own. Files: model, voices, tokens, lexicon.
        case kokoro

        /// Whether it hears while somebody speaks.
        public var isStreaming: Bool { self == .streamingTransducer || self == .streamingParaformer || self == .streamingCTC }
        public var isSynthesizer: Bool { self == .zipVoice || self == .kokoro }
    }

    public var family: Family
    /// Absolute paths by what the file is for.
    public var files: [String: String]

    public init(_ family: Family, files: [String: String]) {
        self.family = family
        self.files = files
    }
}

/// What was loaded.
public struct SherpaLoaded: Codable, Sendable, Equatable {
    /// Hertz of the samples that go in, or come out of a synthesizer.
    public var sampleRate: Int
    /// Of a streaming model: seconds of audio that it wants before its first step, and between two; measured with silence.
    public var firstStep: Double
    public var step: Double

    public init(sampleRate: Int, firstStep: Double = 0, step: Double = 0) {
        self.sampleRate = sampleRate
        self.firstStep = firstStep
        self.step = step
    }

    /// Seconds of silence that bring the last word out: all that the model looks at for one step, and a step in which to say it.
    public var tailPadding: Double { firstStep + step }
}

/// What a recording says up to now.
public struct SherpaUpdate: Codable, Sendable, Equatable {
    public var text: String
    /// Pieces of the text, with their leading spaces.
    public var tokens: [String]
    /// Where each token begins, in seconds from the start of the recording; empty where the model does not say.
    public var times: [Double]
    /// Log-probabilities of the tokens; empty where the model does not say.
    public var logProbabilities: [Float]
    /// The utterance's extent in seconds from the start of the recording.
    public var start: Double
    public var end: Double
    /// Whether the utterance is over.
    public var isFinal: Bool

    public init(
        text: String, tokens: [String], times: [Double], logProbabilities: [Float] = [], start: Double, end: Double, isFinal: Bool
    ) {
        self.text = text
        self.tokens = tokens
        self.times = times
        self.logProbabilities = logProbabilities
        self.start = start
        self.end = end
        self.isFinal = isFinal
    }
}

/// Speech to be made.
public struct SherpaSpeech: Codable, Sendable, Equatable {
    /// Its spoken form.
    public var text: String
    /// The words of the reference; empty for models with voices of their own.
    public var referenceText: String
    /// Hertz of the reference's samples.
    public var referenceRate: Int
    /// 1 is the voice's own pace.
    public var speed: Float
    /// Steps of the flow; 0 leaves them to the model.
    public var steps: Int
    /// The voice's number, for models with voices of their own.
    public var voice: Int
    /// The text in phonemes, for Kokoro; empty leaves the text to the model's own lexicon.
    public var phonemes: String
    /// The text and the reference's words in entries of the model's `tokens.txt`, for ZipVoice; both or none. Without them the model's own
    /// lexicon is asked, which leaves out every word that it lacks without saying so.
    public var tokens: [String]
    public var referenceTokens: [String]

    public init(
        text: String, referenceText: String = "", referenceRate: Int = 0, speed: Float = 1, steps: Int = 4, voice: Int = 0, phonemes: String = "",
        tokens: [String] = [], referenceTokens: [String] = []
    ) {
        self.text = text
        self.referenceText = referenceText
        self.referenceRate = referenceRate
        self.speed = speed
        self.steps = steps
        self.voice = voice
        self.phonemes = phonemes
        self.tokens = tokens
        self.referenceTokens = referenceTokens
    }
}

/// Why a request could not be carried out.
public struct SherpaFailure: Codable, Sendable, Equatable, Error {
    public enum Code: String, Codable, Sendable { case libraryMissing, modelRefused, notLoaded, badRequest, engineFailed }
    public var code: Code
    /// Says what to do.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
