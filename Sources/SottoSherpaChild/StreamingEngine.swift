internal import CSherpaONNX
import SottoSherpaProtocol

/// A streaming model and the one recording that it hears.
///
/// At each endpoint the stream is thrown away and another one begun: the library's own reset keeps the last token as context, and a
/// segment that begins with the same word then loses it.
@safe final class StreamingEngine {
    private static let sampleRate = 16_000

    private let library: SherpaLibrary
    private let recognizer: OpaquePointer
    private var stream: OpaquePointer?
    /// Samples of the recording before this stream, and in it.
    private var before = 0
    private var heard = 0
    private var shown = ""
    private(set) var loaded = SherpaLoaded(sampleRate: StreamingEngine.sampleRate)

    /// - Throws: ``SherpaFailure`` `.modelRefused`. A model that the library cannot bear ends the process.
    init(library: SherpaLibrary, load: SherpaLoad) throws(SherpaFailure) {
        self.library = library
        var strings = CStringPool()
        var config = unsafe SherpaOnnxOnlineRecognizerConfig()
        unsafe config.feat_config.sample_rate = Int32(Self.sampleRate)
        unsafe config.feat_config.feature_dim = 80
        unsafe config.model_config.tokens = strings.borrow(load.model.files["tokens"] ?? "")
        unsafe config.model_config.num_threads = Int32(load.threads)
        unsafe config.model_config.provider = strings.borrow("cpu")
        unsafe config.decoding_method = strings.borrow("greedy_search")
        unsafe config.max_active_paths = 4
        unsafe config.enable_endpoint = 1
        unsafe config.rule1_min_trailing_silence = load.endpoints.first ?? 2.4
        unsafe config.rule2_min_trailing_silence = load.endpoints.dropFirst().first ?? 0.9
        unsafe config.rule3_min_utterance_length = load.endpoints.dropFirst(2).first ?? 30
        switch load.model.family {
        case .streamingTransducer:
            unsafe config.model_config.transducer.encoder = strings.borrow(load.model.files["encoder"] ?? "")
            unsafe config.model_config.transducer.decoder = strings.borrow(load.model.files["decoder"] ?? "")
            unsafe config.model_config.transducer.joiner = strings.borrow(load.model.files["joiner"] ?? "")
        case .streamingParaformer:
            unsafe config.model_config.paraformer.encoder = strings.borrow(load.model.files["encoder"] ?? "")
            unsafe config.model_config.paraformer.decoder = strings.borrow(load.model.files["decoder"] ?? "")
        default: unsafe config.model_config.zipformer2_ctc.model = strings.borrow(load.model.files["model"] ?? "")
        }
        let made = unsafe library.calls.createOnlineRecognizer(&config)
        withExtendedLifetime(strings) {}
        guard let made = unsafe made else { throw SherpaFailure(.modelRefused, "sherpa-onnx refuses the model; its files do not belong together") }
        unsafe recognizer = made
        try measure()
    }

    deinit {
        endStream()
        unsafe library.calls.destroyOnlineRecognizer(recognizer)
    }

    /// How much audio the model wants for its first step and between two, found with silence: chunks differ by model, up to 1.4 s.
    private func measure() throws(SherpaFailure) {
        let piece = Self.sampleRate / 100
        let silence = [Float](repeating: 0, count: piece)
        var steps: [Int] = []
        var fed = 0
        try begin()
        while steps.count < 3, fed < 20 * Self.sampleRate {
            accept(silence)
            fed += piece
            if isReady {
                steps.append(fed)
                while isReady { decode() }
            }
        }
        endStream()
        guard let first = steps.first, let last = steps.last else {
            throw SherpaFailure(.modelRefused, "the model takes no step in 20 seconds of audio; it is no streaming model for 16 kHz")
        }
        loaded.firstStep = Double(first) / Double(Self.sampleRate)
        loaded.step = steps.count > 1 ? Double(last - first) / Double(steps.count - 1) / Double(Self.sampleRate) : loaded.firstStep
    }

    func begin() throws(SherpaFailure) {
        before = 0
        try beginStream()
    }

    private func beginStream() throws(SherpaFailure) {
        endStream()
        heard = 0
        shown = ""
        guard let made = unsafe library.calls.createOnlineStream(recognizer) else {
            throw SherpaFailure(.engineFailed, "sherpa-onnx makes no stream")
        }
        unsafe stream = made
    }

    private func endStream() {
        if let stream = unsafe stream { unsafe library.calls.destroyOnlineStream(stream) }
        unsafe stream = nil
    }

    /// - Parameter isCancelled: Asked between two steps of the network.
    func feed(_ samples: [Float], isCancelled: () -> Bool, emit: (SherpaUpdate) throws -> Void) throws {
        guard unsafe stream != nil else { throw SherpaFailure(.badRequest, "no recording has begun") }
        // A tenth of a second at a time, so that an endpoint is noticed where it is.
        let piece = Self.sampleRate / 10
        var position = 0
        while position < samples.count {
            let end = min(position + piece, samples.count)
            accept(samples[position..<end])
            heard += end - position
            position = end
            while isReady {
                if isCancelled() { return }
                decode()
            }
            if unsafe library.calls.isEndpoint(recognizer, stream) != 0 {
                try endUtterance(emit)
            } else if let update = update(isFinal: false), update.text != shown {
                shown = update.text
                try emit(update)
            }
        }
    }

    /// Brings out everything that was said, and begins again with no memory.
    func flush(isCancelled: () -> Bool, emit: (SherpaUpdate) throws -> Void) throws {
        guard let open = unsafe stream else { throw SherpaFailure(.badRequest, "no recording has begun") }
        guard heard > 0 else { return }
        accept([Float](repeating: 0, count: Int((loaded.tailPadding * Double(Self.sampleRate)).rounded(.up))))
        unsafe library.calls.finishOnline(open)
        while isReady {
            if isCancelled() { return }
            decode()
        }
        try endUtterance(emit)
    }

    /// Ends the recording.
    func finish(isCancelled: () -> Bool, emit: (SherpaUpdate) throws -> Void) throws {
        try flush(isCancelled: isCancelled, emit: emit)
        endStream()
    }

    private func endUtterance(_ emit: (SherpaUpdate) throws -> Void) throws {
        let final = update(isFinal: true)
        before += heard
        try beginStream()
        // An empty one too: it says that nothing before it is needed any more.
        if let final { try emit(final) }
    }

    private var isReady: Bool { unsafe stream != nil && library.calls.isOnlineReady(recognizer, stream) != 0 }

    private func decode() { unsafe library.calls.decodeOnline(recognizer, stream) }

    private func accept(_ samples: some Collection<Float>) {
        let copy = Array(samples)
        unsafe copy.withUnsafeBufferPointer { buffer in
            unsafe library.calls.acceptOnline(stream, Int32(Self.sampleRate), buffer.baseAddress, Int32(buffer.count))
        }
    }

    private func update(isFinal: Bool) -> SherpaUpdate? {
        guard let result = unsafe library.calls.onlineResult(recognizer, stream) else { return nil }
        defer { unsafe library.calls.destroyOnlineResult(result) }
        let count = Int(unsafe result.pointee.count)
        let offset = Double(before) / Double(Self.sampleRate)
        var tokens: [String] = []
        var times: [Double] = []
        for index in 0..<max(0, count) {
            if let token = unsafe result.pointee.tokens_arr?[index] { tokens.append(unsafe String(cString: token)) }
            if let time = unsafe result.pointee.timestamps?[index] { times.append(offset + Double(time)) }
        }
        let text = unsafe result.pointee.text.map { unsafe String(cString: $0) } ?? ""
        // Only the result's JSON has them.
        let probabilities = isFinal ? unsafe result.pointee.json.flatMap { Scores(json: unsafe String(cString: $0)) }?.logProbabilities ?? [] : []
        return SherpaUpdate(
            text: Text.trimmed(text), tokens: tokens, times: times.count == tokens.count ? times : [],
            logProbabilities: probabilities.count == tokens.count ? probabilities : [], start: offset,
            end: offset + Double(heard) / Double(Self.sampleRate), isFinal: isFinal)
    }
}
