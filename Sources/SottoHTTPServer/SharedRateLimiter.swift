internal import SottoServing
internal import Synchronization

/// Counts requests from every connection's task.
final class SharedRateLimiter: Sendable {
    private let limiter: Mutex<RateLimiter>
    private let start = ContinuousClock.now

    init(rate: Double) { limiter = Mutex(RateLimiter(rate: rate)) }

    func admit(_ address: String) -> Duration? {
        let now = ContinuousClock.now - start
        return limiter.withLock { $0.admit(address, at: now) }
    }
}
