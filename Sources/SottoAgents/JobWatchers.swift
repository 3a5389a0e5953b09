internal import Synchronization

/// Tells everybody who follows jobs that something was written.
final class JobWatchers: Sendable {
    private struct State {
        var next = 0
        var bells: [Int: WakeUp] = [:]
    }

    private let state = Mutex(State())

    func ring() {
        for bell in state.withLock({ Array($0.bells.values) }) { bell.ring() }
    }

    /// - Returns: A bell of the caller's own, and the number under which to hand it back.
    func join() -> (number: Int, bell: WakeUp) {
        state.withLock { state in
            let bell = WakeUp()
            state.next += 1
            state.bells[state.next] = bell
            return (state.next, bell)
        }
    }

    func leave(_ number: Int) {
        _ = state.withLock { $0.bells.removeValue(forKey: number) }
    }
}
