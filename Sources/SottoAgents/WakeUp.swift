internal import Synchronization

/// A bell for one listener that remembers a ring until it was heard.
final class WakeUp: Sendable {
    private struct State {
        var isRung = false
        var listener: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let listener = state.withLock { state in
            guard let listener = state.listener else {
                state.isRung = true
                return CheckedContinuation<Void, Never>?.none
            }
            state.listener = nil
            return listener
        }
        listener?.resume()
    }

    /// Returns at the next ring, at once when one was not heard yet, or when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let runNow = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        state.isRung = false
                        return true
                    }
                    state.listener = continuation
                    return false
                }
                if runNow { continuation.resume() }
            }
        } onCancel: {
            let listener = state.withLock { state in
                defer { state.listener = nil }
                return state.listener
            }
            listener?.resume()
        }
    }

    /// Returns at the next ring or after `limit`, whichever is first, or when the task is cancelled.
    func wait(atMost limit: Duration, clock: any Clock<Duration>) async {
        guard limit > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await clock.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
