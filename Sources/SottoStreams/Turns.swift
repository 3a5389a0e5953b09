import Synchronization

/// Lets one piece of work at a time use a thing that is busy over several suspensions, first come, first served.
///
/// An actor alone does not do that: while its method waits, another call may come in between.
public final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var nextID: UInt64 = 0
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Runs `body` when its turn has come; whatever happens in it, the next one follows.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting, and what `body` throws.
    public nonisolated(nonsending) func withTurn<Value>(_ body: nonisolated(nonsending) () async throws -> Value) async throws -> Value {
        try await take()
        defer { release() }
        return try await body()
    }

    /// How many wait, for tests.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    private nonisolated(nonsending) func take() async throws {
        try Task.checkCancellation()
        let id = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.isTaken == false {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let withdrawn = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            withdrawn?.resume(returning: false)
        }
        guard isMine else { throw CancellationError() }
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty == false else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
