internal import CSherpaONNX
import SottoSherpaProtocol

/// A model that speaks.
@safe final class SpeechEngine {
    /// Samples of a reference: half a minute at 48 kHz.
    private static let longestReference = 30 * 48_000

    private let library: SherpaLibrary
    private let synthesizer: OpaquePointer
    private let family: SherpaModel.Family
    private var reference: [Float] = []
    let loaded: SherpaLoaded

    /// - Throws: ``SherpaFailure`` `.modelRefused`. A model that the library cannot bear ends the process.
    init(library: SherpaLibrary, load: SherpaLoad) throws(SherpaFailure) {
        self.library = library
        family = load.model.family
        var strings = CStringPool()
        let files = load.model.files
        var config = unsafe SherpaOnnxOfflineTtsConfig()
        unsafe config.model.num_threads = Int32(load.threads)
        unsafe config.model.provider = strings.borrow("cpu")
        unsafe config.max_num_sentences = 1
        unsafe config.silence_scale = 1
        if load.model.family == .zipVoice {
            unsafe config.model.zipvoice.tokens = strings.borrow(files["tokens"] ?? "")
            unsafe config.model.zipvoice.encoder = strings.borrow(files["encoder"] ?? "")
            unsafe config.model.zipvoice.decoder = strings.borrow(files["decoder"] ?? "")
            unsafe config.model.zipvoice.vocoder = strings.borrow(files["vocoder"] ?? "")
            unsafe config.model.zipvoice.lexicon = strings.borrow(files["lexicon"] ?? "")
            // The library's own defaults, which a zeroed structure lacks.
            unsafe config.model.zipvoice.feat_scale = 0.1
            unsafe config.model.zipvoice.t_shift = 0.5
            unsafe config.model.zipvoice.target_rms = 0.1
            unsafe config.model.zipvoice.guidance_scale = 1
        } else {
            unsafe config.model.kokoro.model = strings.borrow(files["model"] ?? "")
            unsafe config.model.kokoro.voices = strings.borrow(files["voices"] ?? "")
            unsafe config.model.kokoro.tokens = strings.borrow(files["tokens"] ?? "")
            unsafe config.model.kokoro.lexicon = strings.borrow(files["lexicon"] ?? "")
            unsafe config.model.kokoro.length_scale = 1
        }
        let made = unsafe library.calls.createSynthesizer(&config)
        withExtendedLifetime(strings) {}
        guard let made = unsafe made else { throw SherpaFailure(.modelRefused, "sherpa-onnx refuses the model; its files do not belong together") }
        unsafe synthesizer = made
        loaded = SherpaLoaded(sampleRate: Int(unsafe library.calls.synthesizerRate(made)))
    }

    deinit { unsafe library.calls.destroySynthesizer(synthesizer) }

    func refer(to samples: [Float]) throws(SherpaFailure) {
        guard reference.count + samples.count <= Self.longestReference else {
            reference = []
            throw SherpaFailure(.badRequest, "the reference is longer than half a minute; a few seconds are enough")
        }
        reference += samples
    }

    /// What a callback of the library needs.
    private final class Sink {
        let emit: ([Float]) -> Bool
        var given = 0
        init(_ emit: @escaping ([Float]) -> Bool) { self.emit = emit }
    }

    /// - Parameter emit: Takes the next samples; `false` stops.
    func synthesize(_ speech: SherpaSpeech, emit: @escaping ([Float]) -> Bool) throws(SherpaFailure) {
        let voice = reference
        reference = []
        if family == .zipVoice {
            guard voice.isEmpty == false, speech.referenceText.isEmpty == false, speech.referenceRate > 0 else {
                throw SherpaFailure(.badRequest, "this model speaks in the voice of a reference; a recording and its words are needed")
            }
        }
        guard speech.tokens.isEmpty == speech.referenceTokens.isEmpty else {
            throw SherpaFailure(.badRequest, "tokens are needed of the text and of the reference, or of neither")
        }
        var strings = CStringPool()
        var config = unsafe SherpaOnnxGenerationConfig()
        unsafe config.silence_scale = 1
        unsafe config.speed = speech.speed
        unsafe config.sid = Int32(speech.voice)
        unsafe config.num_steps = Int32(speech.steps)
        unsafe config.reference_text = strings.borrow(speech.referenceText)
        unsafe config.reference_sample_rate = Int32(speech.referenceRate)
        let codes = speech.phonemes.unicodeScalars.map { Int32(bitPattern: $0.value) }
        let codeLengths = [Int32(codes.count)]
        var tokens: [UnsafePointer<CChar>?] = unsafe []
        for token in speech.referenceTokens + speech.tokens { unsafe tokens.append(strings.borrow(token)) }
        // The library takes the first sentence for the reference's words.
        let tokenLengths = [Int32(speech.referenceTokens.count), Int32(speech.tokens.count)]
        let sink = Sink(emit)
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        let made = unsafe voice.withUnsafeBufferPointer { voice in
            unsafe codes.withUnsafeBufferPointer { codes in
                unsafe codeLengths.withUnsafeBufferPointer { codeLengths in
                    unsafe tokens.withUnsafeBufferPointer { tokens in
                        unsafe tokenLengths.withUnsafeBufferPointer { tokenLengths in
                            if voice.isEmpty == false {
                                unsafe config.reference_audio = voice.baseAddress
                                unsafe config.reference_audio_len = Int32(voice.count)
                            }
                            if codes.isEmpty == false {
                                unsafe config.phoneme_codepoints = codes.baseAddress
                                unsafe config.phoneme_codepoints_lens = codeLengths.baseAddress
                                unsafe config.phoneme_codepoints_num_sentences = 1
                            } else if tokens.isEmpty == false {
                                unsafe config.tokens = tokens.baseAddress
                                unsafe config.tokens_lens = tokenLengths.baseAddress
                                unsafe config.tokens_num_sentences = 2
                            }
                            return unsafe library.calls.synthesize(synthesizer, speech.text, &config, passOn, context)
                        }
                    }
                }
            }
        }
        withExtendedLifetime(strings) {}
        withExtendedLifetime(sink) {}
        guard let made = unsafe made else {
            throw SherpaFailure(.engineFailed, "sherpa-onnx makes no speech of this text; its words may not be in the model's lexicon")
        }
        defer { unsafe library.calls.destroyAudio(made) }
        let count = Int(unsafe made.pointee.n)
        guard count > 0 else {
            throw SherpaFailure(.engineFailed, "sherpa-onnx makes no sound of this text; its words may not be in the model's lexicon")
        }
        // What no callback has given.
        if sink.given < count, let samples = unsafe made.pointee.samples {
            _ = emit(unsafe Array(UnsafeBufferPointer(start: samples + sink.given, count: count - sink.given)))
        }
    }

    private let passOn: SherpaOnnxGeneratedAudioProgressCallbackWithArg = { samples, count, _, context in
        guard let context = unsafe context else { return 1 }
        let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        let piece = unsafe samples.map { unsafe Array(UnsafeBufferPointer(start: $0, count: Int(count))) } ?? []
        sink.given += piece.count
        return sink.emit(piece) ? 1 : 0
    }
}
