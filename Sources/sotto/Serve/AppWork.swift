import Synchronization

/// Work that was begun by a request and goes on after its answer: documents that are read, models that are fetched. It ends with the server.
final class AppWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        /// What is wanted once more after the work of that name that goes on.
        var next: [String: Work] = [:]
        var isEnding = false
    }

    private let state = Mutex(State())

    /// Does something, and gives what is told once it is over.
    typealias Work = @Sendable () async -> @Sendable () async -> Void

    /// Begins work under a name, unless some of that name goes on.
    ///
    /// - Parameters:
    ///   - repeats: Whether it is done after the one that goes on, instead of not at all; of several, the last.
    ///   - work: What it returns is called when the name is free again: who is told of an end may begin anew.
    /// - Returns: Whether it was begun, or will be.
    func begin(_ name: String, orAfter repeats: Bool = false, _ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard state.isEnding == false else { return false }
            guard state.tasks[name] == nil else {
                if repeats { state.next[name] = work }
                return repeats
            }
            start(name, work, &state)
            return true
        }
    }

    private func start(_ name: String, _ work: @escaping Work, _ state: inout State) {
        // Unstructured: it outlives its request; ``end()`` waits for it.
        state.tasks[name] = Task {
            let tell = await work()
            self.state.withLock { state in
                state.tasks[name] = nil
                if let next = state.next.removeValue(forKey: name), state.isEnding == false { self.start(name, next, &state) }
            }
            await tell()
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
