import CLlama
import SottoLanguageModels
import SottoStreams

/// Owns one inference context with its key/value memory, and keeps its model alive.
@safe struct ContextHandle: ~Copyable {
    private let pointer: OpaquePointer
    private let pool: OpaquePointer?
    let model: ModelHandle

    /// - Parameters:
    ///   - length: Tokens of memory.
    ///   - step: The most tokens of one call to ``decode(_:wantingLogits:threads:flag:)``.
    ///   - threads: The most threads ever used.
    ///   - polling: How long waiting threads poll between steps, 0–100; `nil` starts threads anew in each step.
    init(model: ModelHandle, length: Int, step: Int, threads: Int, polling: UInt32?) throws(LanguageModelError) {
        var parameters = unsafe llama_context_default_params()
        unsafe parameters.n_ctx = UInt32(length)
        unsafe parameters.n_batch = UInt32(step)
        unsafe parameters.n_ubatch = UInt32(step)
        unsafe parameters.n_seq_max = 1
        unsafe parameters.n_threads = Int32(threads)
        unsafe parameters.n_threads_batch = Int32(threads)
        unsafe parameters.no_perf = true
        LlamaBackend.clearErrors()
        guard let pointer = unsafe llama_init_from_model(model.pointer, parameters) else {
            throw LanguageModelError(
                .modelNotLoaded,
                "cannot make room for \(length) tokens of context: \(LlamaBackend.lastError() ?? "no reason given"); set a smaller context length")
        }
        unsafe self.pointer = pointer
        self.model = model
        if let polling, threads > 1 {
            var settings = ggml_threadpool_params_default(Int32(threads))
            settings.poll = polling
            unsafe self.pool = ggml_threadpool_new(&settings)
            if let pool = unsafe pool { unsafe llama_attach_threadpool(pointer, pool, pool) }
        } else {
            unsafe self.pool = nil
        }
    }

    deinit {
        unsafe llama_free(pointer)
        if let pool = unsafe pool { unsafe ggml_threadpool_free(pool) }
    }

    /// Forgets everything from a position on.
    ///
    /// - Returns: `false` when that cannot be done in part, and everything was forgotten.
    borrowing func truncate(to position: Int) -> Bool {
        let memory = unsafe llama_get_memory(pointer)
        if unsafe llama_memory_seq_rm(memory, 0, Int32(position), -1) { return true }
        unsafe llama_memory_clear(memory, true)
        return false
    }

    /// Computes tokens after those in memory.
    ///
    /// - Parameters:
    ///   - tokens: At most the context's step.
    ///   - wantingLogits: Whether ``withLogits(_:)`` is needed afterwards, for the last token.
    ///   - threads: How many may be used.
    ///   - flags: Read after each operation of the graph, so that stopping takes milliseconds.
    /// - Throws: `CancellationError` or ``StepInterrupted`` when a flag was raised.
    borrowing func decode(_ tokens: ArraySlice<Int32>, wantingLogits: Bool, threads: Int, flags: StopFlags) throws {
        unsafe llama_set_n_threads(pointer, Int32(threads), Int32(threads))
        unsafe llama_set_abort_callback(pointer, isStopped, Unmanaged.passUnretained(flags).toOpaque())
        defer { unsafe llama_set_abort_callback(pointer, nil, nil) }
        var tokens = Array(tokens)
        var outputs = [Int8](repeating: 0, count: tokens.count)
        if wantingLogits { outputs[tokens.count - 1] = 1 }
        let status = unsafe tokens.withUnsafeMutableBufferPointer { tokens in
            unsafe outputs.withUnsafeMutableBufferPointer { outputs in
                var batch = unsafe llama_batch_get_one(tokens.baseAddress, Int32(tokens.count))
                unsafe batch.logits = outputs.baseAddress
                return unsafe llama_decode(pointer, batch)
            }
        }
        withExtendedLifetime(flags) {}
        switch status {
        case 0: return
        case 2:
            if flags.cancelled.isCancelled { throw CancellationError() }
            throw StepInterrupted()
        case 1: throw LanguageModelError(.contextOverflow, "the model's memory is full; shorten the prompt or allow fewer tokens")
        default:
            throw LanguageModelError(.engineFailed, "llama.cpp failed with status \(status): \(LlamaBackend.lastError() ?? "no reason given")")
        }
    }

    /// Lends the logits of the last token decoded with logits, one for each token of the vocabulary.
    borrowing func withLogits<Value>(_ body: (UnsafeBufferPointer<Float>) throws -> Value) throws -> Value {
        guard let logits = unsafe llama_get_logits_ith(pointer, -1) else {
            throw LanguageModelError(.engineFailed, "llama.cpp computed no logits")
        }
        return unsafe try body(UnsafeBufferPointer(start: logits, count: model.vocabularySize))
    }
}

/// What may stop a step.
final class StopFlags {
    let cancelled: CancellationFlag
    let interrupted: CancellationFlag?

    init(cancelled: CancellationFlag, interrupted: CancellationFlag? = nil) {
        self.cancelled = cancelled
        self.interrupted = interrupted
    }

    var isRaised: Bool { cancelled.isCancelled || interrupted?.isCancelled == true }
}

/// A step was given up because somebody more urgent waits; it is to be taken again.
struct StepInterrupted: Error {}

private nonisolated let isStopped: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
    guard let context = unsafe context else { return false }
    return unsafe Unmanaged<StopFlags>.fromOpaque(context).takeUnretainedValue().isRaised
}
