public import SottoComputeBudget
internal import SottoSherpaProtocol
public import SottoSpeechEngines

/// Hears with a model of sherpa-onnx that the user installed, in a child process.
///
/// ```swift
/// let recognizer = SherpaRecognizer(model: folder.model, voiceActivity: silero, budget: budget, configuration: configuration)
/// for try await update in recognizer.transcribe(audio) { … }
/// ```
/// A streaming model hears everything and ends utterances by its own rules; what it takes silence or noise to say is dropped where the
/// voice activity heard nobody. Other models hear the stretches that the voice activity finds, and give no partials. The library ends
/// its process over models that it does not like, and may crash: then the utterance is heard once more in a new child, and what was said
/// before stays; a second time is an error.
public struct SherpaRecognizer: SpeechRecognizer {
    public var sampleRate: Int { 16_000 }

    private let model: SherpaModelFiles
    private let pool: SherpaPool
    private let voiceActivity: any VoiceActivityDetector
    private let budget: ComputeBudget
    private let configuration: SherpaConfiguration
    private let segmenter: SpeechSegmenter.Configuration

    /// - Parameters:
    ///   - rules: Of a streaming model's utterances.
    ///   - segmenter: Of other models' stretches.
    /// - Throws: ``SherpaHostError`` `.failed` for a model that speaks.
    public init(
        model: SherpaModelFiles, voiceActivity: any VoiceActivityDetector, budget: ComputeBudget, configuration: SherpaConfiguration,
        rules: EndpointRules = EndpointRules(), segmenter: SpeechSegmenter.Configuration = .init()
    ) throws(SherpaHostError) {
        guard model.isSynthesizer == false else { throw SherpaHostError(.failed, "this model speaks; it cannot hear") }
        self.model = model
        self.voiceActivity = voiceActivity
        self.budget = budget
        self.configuration = configuration
        self.segmenter = segmenter
        func seconds(_ duration: Duration?) -> Float { duration.map { Float($0 / .seconds(1)) } ?? 1e6 }
        let load = SherpaLoad(
            model: model.model, threads: max(1, configuration.threads),
            endpoints: [seconds(rules.nothingSaid), seconds(rules.afterSpeech), seconds(rules.longest)])
        pool = SherpaPool(load, configuration)
    }

    /// Ends the child that waits for the next recording, and frees the model.
    public func unload() async { await pool.unload() }

    /// - Throws: Also ``RecognitionError`` `.unsupportedLanguage` for a translation. The model's language is its own; what is asked for is not looked at.
    public func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession {
        guard options.translatesToEnglish == false else {
            throw RecognitionError(.unsupportedLanguage, "a model of sherpa-onnx writes what is said; whisper translates (--engine whisper)")
        }
        let detection = try await voiceActivity.makeSession()
        do {
            // The model is loaded here, so that one that cannot be is an error for a silent recording too.
            let connection = try await pool.take()
            if model.isStreaming {
                let session = StreamingSession(
                    pool: pool, connection: connection, detection: detection, frameLength: voiceActivity.frameLength, budget: budget,
                    configuration: configuration, partials: options.partials)
                try await session.begin()
                return session
            }
            return UtteranceSession(
                pool: pool, connection: connection, detection: detection, frameLength: voiceActivity.frameLength, budget: budget,
                configuration: configuration, segmenter: segmenter)
        } catch let error as SherpaHostError {
            throw RecognitionError(error)
        }
    }
}

extension RecognitionError {
    init(_ error: SherpaHostError) {
        let code: Code =
            switch error.code {
            case .notStarted, .modelRefused: .modelNotLoaded
            case .ended, .timedOut, .malformedAnswer, .failed: .engineFailed
            }
        self.init(code, error.message, cause: error)
    }
}
