internal import Synchronization

/// Work in a task of its own, so that work which does not obey a cancel can be left behind.
final class SupervisedWork<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let ended: WakeUp

    /// - Parameter ended: Rung when the work has ended.
    init(ended: WakeUp) { self.ended = ended }

    /// What it came to; `nil` while it runs.
    var result: Result<Value, any Error>? { state.withLock { $0.result } }

    func start(_ body: @escaping @Sendable () async throws -> Value) {
        // Not a child of the caller's: a child that hangs would keep its parent from ever returning.
        let task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            state.withLock { $0.result = result }
            ended.ring()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

/// Runs what a cancel must not tear apart, such as keeping what was just found.
func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    // A task of its own does not inherit the cancel.
    try await Task { try await body() }.value
}
