internal import Synchronization

/// What became of clients so far.
public struct ServerStatistics: Sendable, Equatable {
    /// Connections now, with those that are ending.
    public var open = 0
    public var accepted = 0
    /// Turned away: there were too many.
    public var refused = 0
    /// Ended for a new one while they waited without a request.
    public var replaced = 0
}

final class ServerCounters: Sendable {
    private let state = Mutex(ServerStatistics())

    var now: ServerStatistics { state.withLock { $0 } }

    func open() {
        state.withLock { state in
            state.open += 1
            state.accepted += 1
        }
    }

    func close() { state.withLock { $0.open -= 1 } }
    func refuse() { state.withLock { $0.refused += 1 } }
    func replace() { state.withLock { $0.replaced += 1 } }
}
