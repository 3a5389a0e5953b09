internal import CSherpaONNX
import SottoSherpaProtocol

/// A model that hears whole utterances: samples are collected, and heard when they are flushed.
@safe final class UtteranceEngine {
    private static let sampleRate = 16_000
    /// Samples of one utterance; more is an error of the caller's, who cuts at pauses.
    private static let longest = 120 * sampleRate

    private let library: SherpaLibrary
    private let recognizer: OpaquePointer
    private var samples: [Float] = []
    private var before = 0
    let loaded = SherpaLoaded(sampleRate: UtteranceEngine.sampleRate)

    /// - Throws: ``SherpaFailure`` `.modelRefused`. A model that the library cannot bear ends the process.
    init(library: SherpaLibrary, load: SherpaLoad) throws(SherpaFailure) {
        self.library = library
        var strings = CStringPool()
        let files = load.model.files
        var config = unsafe SherpaOnnxOfflineRecognizerConfig()
        unsafe config.feat_config.sample_rate = Int32(Self.sampleRate)
        unsafe config.feat_config.feature_dim = 80
        unsafe config.model_config.tokens = strings.borrow(files["tokens"] ?? "")
        unsafe config.model_config.num_threads = Int32(load.threads)
        unsafe config.model_config.provider = strings.borrow("cpu")
        unsafe config.decoding_method = strings.borrow("greedy_search")
        unsafe config.max_active_paths = 4
        switch load.model.family {
        case .transducer:
            unsafe config.model_config.transducer.encoder = strings.borrow(files["encoder"] ?? "")
            unsafe config.model_config.transducer.decoder = strings.borrow(files["decoder"] ?? "")
            unsafe config.model_config.transducer.joiner = strings.borrow(files["joiner"] ?? "")
            // NeMo's transducers say in their file that they are such; the library wants to be told before it looks.
            unsafe config.model_config.model_type = strings.borrow(files["type"] ?? "")
        case .paraformer: unsafe config.model_config.paraformer.model = strings.borrow(files["model"] ?? "")
        case .senseVoice:
            unsafe config.model_config.sense_voice.model = strings.borrow(files["model"] ?? "")
            unsafe config.model_config.sense_voice.language = strings.borrow("auto")
            unsafe config.model_config.sense_voice.use_itn = 1
        case .nemoCTC: unsafe config.model_config.nemo_ctc.model = strings.borrow(files["model"] ?? "")
        case .zipformerCTC: unsafe config.model_config.zipformer_ctc.model = strings.borrow(files["model"] ?? "")
        case .whisper:
            unsafe config.model_config.whisper.encoder = strings.borrow(files["encoder"] ?? "")
            unsafe config.model_config.whisper.decoder = strings.borrow(files["decoder"] ?? "")
            unsafe config.model_config.whisper.task = strings.borrow("transcribe")
            unsafe config.model_config.whisper.tail_paddings = -1
        default:
            unsafe config.model_config.moonshine.preprocessor = strings.borrow(files["preprocessor"] ?? "")
            unsafe config.model_config.moonshine.encoder = strings.borrow(files["encoder"] ?? "")
            unsafe config.model_config.moonshine.uncached_decoder = strings.borrow(files["uncached"] ?? "")
            unsafe config.model_config.moonshine.cached_decoder = strings.borrow(files["cached"] ?? "")
            unsafe config.model_config.moonshine.merged_decoder = strings.borrow(files["decoder"] ?? "")
        }
        let made = unsafe library.calls.createOfflineRecognizer(&config)
        withExtendedLifetime(strings) {}
        guard let made = unsafe made else { throw SherpaFailure(.modelRefused, "sherpa-onnx refuses the model; its files do not belong together") }
        unsafe recognizer = made
    }

    deinit { unsafe library.calls.destroyOfflineRecognizer(recognizer) }

    func begin() {
        samples = []
        before = 0
    }

    func feed(_ more: [Float]) throws(SherpaFailure) {
        guard samples.count + more.count <= Self.longest else {
            throw SherpaFailure(.badRequest, "an utterance of more than \(Self.longest / Self.sampleRate) seconds was sent; cut it at a pause")
        }
        samples += more
    }

    /// Hears what was fed.
    func flush(emit: (SherpaUpdate) throws -> Void) throws {
        guard samples.isEmpty == false else { return }
        let utterance = samples
        samples = []
        let offset = Double(before) / Double(Self.sampleRate)
        before += utterance.count
        guard let stream = unsafe library.calls.createOfflineStream(recognizer) else {
            throw SherpaFailure(.engineFailed, "sherpa-onnx makes no stream")
        }
        defer { unsafe library.calls.destroyOfflineStream(stream) }
        unsafe utterance.withUnsafeBufferPointer { buffer in
            unsafe library.calls.acceptOffline(stream, Int32(Self.sampleRate), buffer.baseAddress, Int32(buffer.count))
        }
        unsafe library.calls.decodeOffline(recognizer, stream)
        guard let result = unsafe library.calls.offlineResult(stream) else { throw SherpaFailure(.engineFailed, "sherpa-onnx gives no result") }
        defer { unsafe library.calls.destroyOfflineResult(result) }
        var tokens: [String] = []
        var times: [Double] = []
        var probabilities: [Float] = []
        for index in 0..<max(0, Int(unsafe result.pointee.count)) {
            if let token = unsafe result.pointee.tokens_arr?[index] { tokens.append(unsafe String(cString: token)) }
            if let time = unsafe result.pointee.timestamps?[index] { times.append(offset + Double(time)) }
            if let probability = unsafe result.pointee.ys_log_probs?[index] { probabilities.append(probability) }
        }
        let text = Text.trimmed(unsafe result.pointee.text.map { unsafe String(cString: $0) } ?? "")
        guard text.isEmpty == false else { return }
        try emit(
            SherpaUpdate(
                text: text, tokens: tokens, times: times.count == tokens.count ? times : [],
                logProbabilities: probabilities.count == tokens.count ? probabilities : [], start: offset,
                end: offset + Double(utterance.count) / Double(Self.sampleRate), isFinal: true))
    }
}
