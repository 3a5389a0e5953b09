import CWhisper
import SottoObservability
import Synchronization

/// What whisper.cpp says, which it keeps one global callback for.
enum WhisperLog {
    /// Sends everything that whisper.cpp says to `log` from now on, and nothing to standard error.
    static func start(_ log: Log) {
        whisperMessages.withLock { $0.log = log }
        _ = whisperLogSet
    }

    /// Forgets errors of earlier calls.
    static func clearErrors() { whisperMessages.withLock { $0.lastError = nil } }

    /// The last error since then, on one line.
    static func lastError() -> String? { whisperMessages.withLock { $0.lastError } }
}

private struct WhisperMessages {
    var log = Log.none
    var lastError: String?
}

private let whisperMessages = Mutex(WhisperMessages())

private let whisperLogSet: Void = {
    unsafe sotto_whisper_set_log(forwardWhisperMessage)
}()

private nonisolated let forwardWhisperMessage: @convention(c) (ggml_log_level, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void = { level, text, _ in
    guard let text = unsafe text else { return }
    var line = unsafe String(cString: text)
    while line.last?.isWhitespace == true { line.removeLast() }
    guard line.isEmpty == false else { return }
    let (log, message) = (whisperMessages.withLock { $0.log }, line)
    // Everything is for developers: what a user can act on is thrown.
    log.debug("whisper.cpp: \(message)")
    if level == GGML_LOG_LEVEL_ERROR { whisperMessages.withLock { $0.lastError = message } }
}
