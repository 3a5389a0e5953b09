public import SottoComputeBudget
public import SottoObservability
public import SottoSpeechEngines

/// Speech recognition in 99 languages by the Whisper network, through whisper.cpp.
///
/// ```swift
/// let recognizer = try WhisperRecognizer(modelPath: path, voiceActivity: silero, budget: budget)
/// let german = recognizer.transcribe(AudioStream(recording), options: .init(language: .fixed("de")))
/// for try await case .final(let transcript) in german { print(transcript.text) }
/// ```
/// Voice activity decides what is speech; each stretch of it becomes one final. Nothing said before a stretch is fed back into the network, so a mistake
/// never grows into a loop. Translation happens only where it is asked for.
public struct WhisperRecognizer: SpeechRecognizer {
    public struct Configuration: Sendable {
        /// Threads to wish for. More than the budget grants are never used.
        public var threads: Int
        /// How a whole recording is cut. The network hears thirty seconds at once at one price, and cut into short pieces it loses words: the defaults end
        /// a stretch at pauses of two seconds (docs/recognition.md).
        public var segmenter: SpeechSegmenter.Configuration
        /// How a recording is cut whose text is shown while it is spoken: pauses of one second.
        public var liveSegmenter: SpeechSegmenter.Configuration
        public var languageChoice: LanguageChoice.Configuration
        /// The language that is taken while a recording has not yet shown its own.
        public var expectedLanguage: String?
        /// When text of an open stretch is settled.
        public var commit: CommitPolicy.Configuration
        /// When an open stretch is decoded again.
        public var step: StepPolicy.Configuration
        /// A stretch whose words are less likely in the mean (log-probability a token, the end included) is not speech that was understood, and gives no
        /// text.
        public var minimumMeanLogProbability: Float
        /// From this probability of silence on, a stretch needs `sureMeanLogProbability` to give a text.
        public var noSpeechProbability: Float
        public var sureMeanLogProbability: Float
        /// Tells the time, to measure what a decode costs; from any start.
        public var now: @Sendable () -> Duration

        /// Thresholds of silence: those of Whisper's authors (`transcribe.py`: 0.6 and −1).
        public init(
            threads: Int = 2, segmenter: SpeechSegmenter.Configuration = Self.cut(pause: 63), liveSegmenter: SpeechSegmenter.Configuration = Self.cut(pause: 31),
            languageChoice: LanguageChoice.Configuration = .init(),
            expectedLanguage: String? = nil, commit: CommitPolicy.Configuration = .init(), step: StepPolicy.Configuration = .init(),
            minimumMeanLogProbability: Float = -1.2, noSpeechProbability: Float = 0.6, sureMeanLogProbability: Float = -1,
            now: @escaping @Sendable () -> Duration = { [start = ContinuousClock.now] in ContinuousClock.now - start }
        ) {
            self.threads = threads
            self.segmenter = segmenter
            self.liveSegmenter = liveSegmenter
            self.languageChoice = languageChoice
            self.expectedLanguage = expectedLanguage
            self.commit = commit
            self.step = step
            self.minimumMeanLogProbability = minimumMeanLogProbability
            self.noSpeechProbability = noSpeechProbability
            self.sureMeanLogProbability = sureMeanLogProbability
            self.now = now
        }

        /// Stretches of at most 28.8 s that end at pauses of so many frames of 32 ms, from 15 s on at ever shorter ones, with half a second around them.
        public static func cut(pause: Int) -> SpeechSegmenter.Configuration {
            SpeechSegmenter.Configuration(minimumPause: pause, paddingBefore: 16, paddingAfter: 16, maximumLength: 900, relaxedFrom: 470, shortestPause: 10)
        }
    }

    /// What the multilingual models know; Cantonese came with the third large one only.
    public static let languages: Set<String> = WhisperHandle.libraryLanguages.subtracting(["yue"])

    public let sampleRate = WhisperModel.sampleRate
    private let model: WhisperModel
    private let voiceActivity: any VoiceActivityDetector
    private let configuration: Configuration

    /// Reads nothing yet: the network is loaded by the first recording, or by ``prepare()``.
    ///
    /// - Parameters:
    ///   - modelPath: A multilingual Whisper model in ggml's format.
    ///   - voiceActivity: For audio at 16 kHz.
    ///   - log: Receives what whisper.cpp says, for developers.
    /// - Throws: ``RecognitionError`` `.unsupportedSampleRate` when the detector needs another rate.
    public init(
        modelPath: String, voiceActivity: any VoiceActivityDetector, budget: ComputeBudget, configuration: Configuration = .init(), log: Log = .none
    ) throws(RecognitionError) {
        guard voiceActivity.sampleRate == WhisperModel.sampleRate else {
            throw RecognitionError(.unsupportedSampleRate, "Whisper needs voice activity at 16000 Hz, not \(voiceActivity.sampleRate)")
        }
        model = WhisperModel(path: modelPath, budget: budget, threads: max(1, configuration.threads), log: log)
        self.voiceActivity = voiceActivity
        self.configuration = configuration
    }

    /// Loads the network, if it is not loaded, so that the first recording need not wait.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`, which says what to do.
    public func prepare() async throws {
        try await model.load()
    }

    /// Frees the network, some 300 MB; the next recording loads it again. Call this while nothing is recognized.
    public func unload() async {
        await model.unload()
    }

    /// - Throws: Also ``RecognitionError`` `.unsupportedLanguage`, which names the languages.
    public func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession {
        let known = try await model.languages()
        let asked: [String] =
            switch options.language {
            case .fixed(let language): [language]
            case .detected(let among): among
            }
        if let unknown = asked.first(where: { known.contains($0) == false }) {
            throw RecognitionError(
                .unsupportedLanguage, "Whisper does not know the language \"\(unknown)\"; it knows \(known.sorted().joined(separator: ", "))")
        }
        return WhisperSession(model: model, voiceActivity: voiceActivity, detection: try await voiceActivity.makeSession(), configuration, options)
    }
}
