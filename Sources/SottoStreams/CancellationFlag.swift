import Synchronization

/// A one-way flag that blocking work polls: set from any thread, read from inside a C callback.
///
/// A running actor method cannot receive a message, so cancelling it must not need its executor; the flag is what
/// llama.cpp's abort callback and ONNX Runtime's run options read.
public final class CancellationFlag: Sendable {
    private let raised = Atomic<Bool>(false)
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    public init() {}

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { raised.load(ordering: .acquiring) }

    /// Raises the flag and runs every handler once. Later calls do nothing.
    public func cancel() {
        guard raised.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        let pending = handlers.withLock { list in
            defer { list = [] }
            return list
        }
        for handler in pending { handler() }
    }

    /// Runs `handler` when the flag is raised; at once, on the caller's thread, when it already is.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runNow = handlers.withLock { list in
            if isCancelled { return true }
            list.append(handler)
            return false
        }
        if runNow { handler() }
    }

    /// Lets go of the handlers: a handler often holds what holds the flag, and neither would ever be freed.
    fileprivate func retire() {
        handlers.withLock { $0 = [] }
    }
}

/// Runs `operation` with a flag that is raised when the surrounding task is cancelled.
///
/// - Returns: What `operation` returned. The operation decides how to stop; it should throw `CancellationError`.
public nonisolated(nonsending) func withCancellationFlag<Value>(
    _ operation: (CancellationFlag) async throws -> Value
) async rethrows -> Value {
    let flag = CancellationFlag()
    defer { flag.retire() }
    return try await withTaskCancellationHandler {
        try await operation(flag)
    } onCancel: {
        flag.cancel()
    }
}
