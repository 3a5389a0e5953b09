import Synchronization

/// How many record at the same time: more than the machine can hear are told so at once.
final class ListenerCount: Sendable {
    let most: Int
    private let count = Mutex(0)

    init(most: Int) { self.most = most }

    /// - Returns: Whether there was a place; ``leave()`` gives it back.
    func enter() -> Bool {
        count.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
