public import SottoComputeBudget
public import SottoSpeechEngines

/// English speech recognition by the Moonshine network.
///
/// ```swift
/// let recognizer = try MoonshineRecognizer(modelFolder: folder, voiceActivity: silero, budget: budget)
/// for try await case .final(let transcript) in recognizer.transcribe(AudioStream(recording)) { print(transcript.text) }
/// ```
/// Voice activity decides what is speech; each stretch of it becomes one final with its place in the recording. Memory does not
/// grow with the recording. The network reads a whole stretch at once, so partials come from decoding the open stretch again and again:
/// each time with what is settled as given and the text of the time before as a draft, so that a step costs little more than its encoder.
public struct MoonshineRecognizer: SpeechRecognizer {
    public struct Configuration: Sendable {
        /// Threads to wish for. More than the budget grants are never used.
        public var threads: Int
        public var segmenter: SpeechSegmenter.Configuration
        /// When text of an open stretch is settled.
        public var commit: CommitPolicy.Configuration
        /// When an open stretch is decoded again.
        public var step: StepPolicy.Configuration
        /// Tells the time, to measure what a decode costs; from any start.
        public var now: @Sendable () -> Duration
        /// A stretch whose mean log-probability a token is lower is not speech that was understood, and gives no text.
        public var minimumMeanLogProbability: Float

        /// A text of one word is what the network makes of a sound that is no speech ("You" for a chord). It is believed where voice activity was as
        /// sure as this at least once, …
        public var loneWordCertainty: Float
        /// … or where the level of its sounds of speech spans so many decibels: a hum or a chord holds its level, a word rises and falls. Of 6 020
        /// generated sounds fifteen gave a word, eight of them measured: certainty up to 0.85, span up to 4.6 dB; words of people had more than
        /// 9.9 dB, but for one of 83 with 4.3 dB at 0.94.
        public var loneWordSpread: Float

        public init(
            threads: Int = 2, segmenter: SpeechSegmenter.Configuration = .init(), commit: CommitPolicy.Configuration = .init(),
            step: StepPolicy.Configuration = .init(), minimumMeanLogProbability: Float = -1.2, loneWordCertainty: Float = 0.94,
            loneWordSpread: Float = 9,
            now: @escaping @Sendable () -> Duration = { [start = ContinuousClock.now] in ContinuousClock.now - start }
        ) {
            self.threads = threads
            self.segmenter = segmenter
            self.commit = commit
            self.step = step
            self.now = now
            self.minimumMeanLogProbability = minimumMeanLogProbability
            self.loneWordCertainty = loneWordCertainty
            self.loneWordSpread = loneWordSpread
        }
    }

    public let sampleRate = MoonshineModel.sampleRate
    private let model: MoonshineModel
    private let voiceActivity: any VoiceActivityDetector
    private let configuration: Configuration

    /// Reads nothing yet: the networks are loaded by the first recording, or by ``prepare()``.
    ///
    /// - Parameters:
    ///   - modelFolder: Holds `encoder_model.ort`, `decoder_model_merged.ort` and `tokenizer.bin`.
    ///   - voiceActivity: For audio at 16 kHz.
    /// - Throws: ``RecognitionError`` `.unsupportedSampleRate` when the detector needs another rate.
    public init(
        modelFolder: String, voiceActivity: any VoiceActivityDetector, budget: ComputeBudget, configuration: Configuration = .init()
    ) throws(RecognitionError) {
        guard voiceActivity.sampleRate == MoonshineModel.sampleRate else {
            throw RecognitionError(.unsupportedSampleRate, "Moonshine needs voice activity at 16000 Hz, not \(voiceActivity.sampleRate)")
        }
        model = MoonshineModel(folder: modelFolder, budget: budget, threads: max(1, configuration.threads))
        self.voiceActivity = voiceActivity
        self.configuration = configuration
    }

    /// Loads the networks, if they are not loaded, so that the first recording need not wait; takes some tenths of a second.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`, which says what to do.
    public func prepare() async throws {
        try await model.load()
    }

    /// Frees the networks, some 60 to 110 MB; the next recording loads them again. A recording that is being recognized goes on
    /// and loads them at once, so call this when none is.
    public func unload() async {
        await model.unload()
    }

    /// - Throws: Also ``RecognitionError`` `.unsupportedLanguage` for anything but English.
    public func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession {
        guard options.language == .fixed("en"), options.translatesToEnglish == false else {
            throw RecognitionError(.unsupportedLanguage, "Moonshine knows English alone; another language needs Whisper: sotto models pull whisper-base")
        }
        try await model.load()
        return MoonshineSession(model: model, voiceActivity: voiceActivity, detection: try await voiceActivity.makeSession(), configuration, options)
    }
}
