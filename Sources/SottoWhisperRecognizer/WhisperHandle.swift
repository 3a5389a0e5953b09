import CWhisper
import SottoSpeechEngines

/// Owns a loaded model and its one state, and frees both exactly once.
@safe struct WhisperHandle: ~Copyable {
    private let context: OpaquePointer
    private let state: OpaquePointer
    let vocabulary: WhisperVocabulary
    /// Tokens of text that fit, prompt included.
    let textLength: Int

    /// Reads the weights; takes some tenths of a second.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`, which says what to do.
    init(path: String) throws(RecognitionError) {
        var parameters = unsafe whisper_context_default_params()
        unsafe parameters.use_gpu = false
        unsafe parameters.flash_attn = true
        WhisperLog.clearErrors()
        let damaged = "fetch it again: sotto models pull whisper-base"
        if let fault = WhisperFileHead.fault(at: path) { throw RecognitionError(.modelNotLoaded, "\(path) is not a whole Whisper model: \(fault); \(damaged)") }
        guard let context = unsafe whisper_init_from_file_with_params_no_state(path, parameters) else {
            throw RecognitionError(.modelNotLoaded, "the Whisper model at \(path) cannot be loaded (\(WhisperLog.lastError() ?? "no reason given")); \(damaged)")
        }
        guard unsafe whisper_is_multilingual(context) != 0 else {
            unsafe whisper_free(context)
            throw RecognitionError(.modelNotLoaded, "the Whisper model at \(path) knows English alone; \(damaged)")
        }
        guard let state = unsafe whisper_init_state(context) else {
            unsafe whisper_free(context)
            throw RecognitionError(.modelNotLoaded, "there is not enough memory for the Whisper model at \(path): \(WhisperLog.lastError() ?? "no reason given")")
        }
        unsafe self.context = context
        unsafe self.state = state
        textLength = unsafe Int(whisper_n_text_ctx(context))
        let end = unsafe Int(whisper_token_eot(context))
        let last = unsafe Int(whisper_token_translate(context))
        var languages: [String: Int] = [:]
        for id in 0...whisper_lang_max_id() {
            guard let name = unsafe whisper_lang_str(id) else { continue }
            languages[unsafe Self.tag(name)] = unsafe Int(whisper_token_lang(context, id))
        }
        let control = unsafe WhisperVocabulary.Control(
            end: end, start: Int(whisper_token_sot(context)), translate: Int(whisper_token_translate(context)),
            transcribe: Int(whisper_token_transcribe(context)), noSpeech: Int(whisper_token_nosp(context)), noTimestamps: Int(whisper_token_not(context)),
            firstTimestamp: Int(whisper_token_beg(context)),
            // A model of fewer languages has other control tokens where the last ones would be.
            languages: languages.filter { $0.value < last })
        let texts = (0..<end).map { token -> [UInt8] in
            guard let text = unsafe whisper_token_to_str(context, Int32(token)) else { return [] }
            return unsafe Self.bytes(text)
        }
        vocabulary = WhisperVocabulary(control: control, texts: texts, count: unsafe Int(whisper_n_vocab(context)))
    }

    deinit {
        unsafe whisper_free_state(state)
        unsafe whisper_free(context)
    }

    /// The languages that the library has names for.
    static var libraryLanguages: Set<String> {
        Set((0...whisper_lang_max_id()).compactMap { id in unsafe whisper_lang_str(id).map { unsafe tag($0) } })
    }

    /// The library's names are ISO 639-1 but for one.
    private static func tag(_ name: UnsafePointer<CChar>) -> String {
        let name = unsafe String(cString: name)
        return name == "jw" ? "jv" : name
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = 0
        while unsafe text[position] != 0 {
            unsafe bytes.append(UInt8(bitPattern: text[position]))
            position += 1
        }
        return bytes
    }

    /// Turns samples into the features that the encoder hears.
    ///
    /// - Parameter samples: Mono at 16 kHz, at least 0.2 s.
    func hear(_ samples: [Float], threads: Int) throws(RecognitionError) {
        let status = unsafe samples.withUnsafeBufferPointer { unsafe whisper_pcm_to_mel_with_state(context, state, $0.baseAddress, Int32($0.count), Int32(threads)) }
        guard status == 0 else { throw failure("features", status) }
    }

    func encode(threads: Int) throws(RecognitionError) {
        let status = unsafe whisper_encode_with_state(context, state, 0, Int32(threads))
        guard status == 0 else { throw failure("encoder", status) }
    }

    /// Computes the values of the token after `tokens`.
    ///
    /// - Parameters:
    ///   - past: How many tokens came before; those after are forgotten.
    ///   - logits: Filled with one value for each token of the vocabulary.
    func decode(_ tokens: [Int], past: Int, threads: Int, into logits: inout [Float]) throws(RecognitionError) {
        let numbers = tokens.map(Int32.init)
        let status = unsafe numbers.withUnsafeBufferPointer {
            unsafe whisper_decode_with_state(context, state, $0.baseAddress, Int32($0.count), Int32(past), Int32(threads))
        }
        guard status == 0, let values = unsafe whisper_get_logits_from_state(state) else { throw failure("decoder", status) }
        let last = unsafe UnsafeBufferPointer(start: values + (tokens.count - 1) * vocabulary.count, count: vocabulary.count)
        unsafe logits.replaceSubrange(0..<logits.count, with: last)
    }

    private func failure(_ part: String, _ status: Int32) -> RecognitionError {
        RecognitionError(.engineFailed, "speech recognition: Whisper's \(part) failed with status \(status): \(WhisperLog.lastError() ?? "no reason given")")
    }
}
