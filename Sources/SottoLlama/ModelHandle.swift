import CLlama
import SottoLanguageModels
import SottoStreams

/// Owns a loaded model and frees it exactly once; contexts hold their model.
@safe final class ModelHandle {
    let pointer: OpaquePointer
    /// Owned by the model.
    let vocabulary: OpaquePointer

    /// Maps the weights into memory. Blocks for about a second per gigabyte.
    ///
    /// - Throws: ``LanguageModelError`` with `.modelNotLoaded`; `CancellationError` when `flag` is raised meanwhile.
    init(path: String, flag: CancellationFlag) throws {
        var parameters = unsafe llama_model_default_params()
        unsafe parameters.n_gpu_layers = 0
        unsafe parameters.load_mode = LLAMA_LOAD_MODE_MMAP
        unsafe parameters.progress_callback = continueLoading
        unsafe parameters.progress_callback_user_data = Unmanaged.passUnretained(flag).toOpaque()
        LlamaBackend.clearErrors()
        let loaded = unsafe llama_model_load_from_file(path, parameters)
        withExtendedLifetime(flag) {}
        guard let pointer = unsafe loaded, let vocabulary = unsafe llama_model_get_vocab(pointer) else {
            if flag.isCancelled { throw CancellationError() }
            throw LanguageModelError(
                .modelNotLoaded,
                "cannot load the language model at \(path): \(LlamaBackend.lastError() ?? "llama.cpp refused it"); run `sotto models verify`")
        }
        unsafe self.pointer = pointer
        unsafe self.vocabulary = vocabulary
    }

    deinit { unsafe llama_model_free(pointer) }

    /// How many tokens the model was trained to see at once.
    var trainedContextLength: Int { unsafe Int(llama_model_n_ctx_train(pointer)) }

    /// How many different tokens there are.
    var vocabularySize: Int { unsafe Int(llama_vocab_n_tokens(vocabulary)) }

    /// The model's own chat template, if its file holds one.
    var chatTemplate: String? {
        guard let template = unsafe llama_model_chat_template(pointer, nil) else { return nil }
        return unsafe String(cString: template)
    }

    /// Whether this token ends an answer.
    func endsGeneration(_ token: Int32) -> Bool { unsafe llama_vocab_is_eog(vocabulary, token) }

    /// - Parameters:
    ///   - text: Any text.
    ///   - parsingControlTokens: Whether `<|im_start|>` and the like mean control tokens; `false` for everything that
    ///     did not come from the chat template, or else a page could speak as the system.
    ///   - beginning: Whether the tokens that the model wants at the very beginning are added.
    func tokenize(_ text: String, parsingControlTokens: Bool, beginning: Bool) throws(LanguageModelError) -> [Int32] {
        var text = text
        let tokens: [Int32]? = text.withUTF8 { utf8 in
            // A token is at least one byte, plus what the model adds at the ends.
            var tokens = [Int32](repeating: 0, count: utf8.count + 4)
            guard let length = Int32(exactly: utf8.count), let capacity = Int32(exactly: tokens.count) else { return nil }
            let count = unsafe tokens.withUnsafeMutableBufferPointer { buffer in
                unsafe utf8.withMemoryRebound(to: CChar.self) { bytes in
                    unsafe llama_tokenize(vocabulary, bytes.baseAddress, length, buffer.baseAddress, capacity, beginning, parsingControlTokens)
                }
            }
            guard count >= 0 else { return nil }
            tokens.removeLast(tokens.count - Int(count))
            return tokens
        }
        guard let tokens else { throw LanguageModelError(.engineFailed, "a text of \(text.utf8.count) bytes is too long to tokenize") }
        return tokens
    }

    /// The bytes a token stands for; none for control tokens.
    func piece(_ token: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = pieceBytes(token, into: &bytes)
        if count < 0 {
            bytes = [UInt8](repeating: 0, count: Int(-count))
            count = pieceBytes(token, into: &bytes)
        }
        return Array(bytes.prefix(max(0, Int(count))))
    }

    private func pieceBytes(_ token: Int32, into bytes: inout [UInt8]) -> Int32 {
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe llama_token_to_piece(vocabulary, token, characters.baseAddress, Int32(characters.count), 0, false)
            }
        }
    }
}

private nonisolated let continueLoading: @convention(c) (Float, UnsafeMutableRawPointer?) -> Bool = { _, context in
    guard let context = unsafe context else { return true }
    return unsafe Unmanaged<CancellationFlag>.fromOpaque(context).takeUnretainedValue().isCancelled == false
}
