import CLlama
import SottoObservability
import Synchronization

/// What of llama.cpp belongs to the whole process: its start and its one log callback.
///
/// The library keeps both in globals of its own, so an owned value per model would only pretend: the second model's
/// would silently replace the first one's. A `let` at file scope is started once, by whoever comes first, on any thread.
enum LlamaBackend {
    /// Starts the backend on the first call and sends what llama.cpp says to `log` from now on.
    static func start(log: Log) {
        llamaMessages.withLock { $0.log = log }
        _ = backendStarted
    }

    /// Forgets errors of earlier calls, so that the next ``lastError()`` belongs to what follows.
    static func clearErrors() { llamaMessages.withLock { $0.lastError = nil } }

    /// The last error that llama.cpp logged, on one line.
    static func lastError() -> String? { llamaMessages.withLock { $0.lastError } }
}

private let llamaMessages = Mutex(LlamaMessages())

private let backendStarted: Void = {
    unsafe llama_log_set(forwardMessage, nil)
    llama_backend_init()
}()

private nonisolated let forwardMessage: @convention(c) (ggml_log_level, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void = {
    level, text, _ in
    guard let text = unsafe text else { return }
    let message = unsafe String(cString: text)
    let finished = llamaMessages.withLock { $0.add(message, level: level.rawValue) }
    finished?()
}

/// Joins llama.cpp's fragments into lines.
struct LlamaMessages {
    /// Where lines go.
    var log = Log.none
    /// The last line of error level.
    var lastError: String?
    private var line = ""
    private var level: UInt32 = 0

    /// Adds a fragment; level 5 continues the line before it.
    ///
    /// - Returns: What to do once the lock is released, when a line is complete. Everything below an error is for
    ///   developers: a user can do nothing about llama.cpp's warnings.
    mutating func add(_ fragment: String, level newLevel: UInt32) -> (() -> Void)? {
        if newLevel != GGML_LOG_LEVEL_CONT.rawValue {
            line = ""
            level = newLevel
        }
        line += fragment
        guard line.last == "\n" else { return nil }
        line.removeLast()
        let (complete, log) = (line, log)
        line = ""
        guard level == GGML_LOG_LEVEL_ERROR.rawValue else { return { log.debug("llama.cpp: \(complete)") } }
        lastError = complete
        return { log.warning("llama.cpp: \(complete)") }
    }
}
