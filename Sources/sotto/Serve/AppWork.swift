import Synchronization

/// Work that was begun by a request and goes on after its answer: documents that are read, models that are fetched. It ends with the server.
final class AppWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isEnding = false
    }

    private let state = Mutex(State())

    /// Begins work under a name, unless some of that name goes on.
    ///
    /// - Returns: Whether it was begun.
    func begin(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard state.tasks[name] == nil, state.isEnding == false else { return false }
            // Unstructured: it outlives its request; ``end()`` waits for it.
            state.tasks[name] = Task {
                await body()
                self.state.withLock { $0.tasks[name] = nil }
            }
            return true
        }
    }

    func isGoingOn(_ name: String) -> Bool { state.withLock { $0.tasks[name] != nil } }

    /// - Returns: Whether there was any.
    func cancel(_ name: String) -> Bool {
        let task = state.withLock { $0.tasks[name] }
        task?.cancel()
        return task != nil
    }

    /// Cancels all and waits.
    func end() async {
        let tasks = state.withLock { state in
            state.isEnding = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
