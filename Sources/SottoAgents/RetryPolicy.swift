/// How long a job waits before it is tried again: longer each time, and not all at once.
public struct RetryPolicy: Sendable, Equatable {
    /// The wait after the first failed attempt.
    public var first: Duration
    /// Each further wait is this many times longer; at least 1.
    public var factor: Double
    /// No wait is longer, before ``spread``.
    public var longest: Duration
    /// Share of the wait by which it is lengthened at random, so that jobs that failed together do not come back together; 0 for none.
    public var spread: Double

    public init(first: Duration = .seconds(5), factor: Double = 4, longest: Duration = .seconds(600), spread: Double = 0.2) {
        self.first = first
        self.factor = factor
        self.longest = longest
        self.spread = spread
    }

    /// - Parameters:
    ///   - failures: Attempts that have failed in a row; 1 or less stands for the first.
    ///   - chance: In [0, 1).
    public func delay(afterFailures failures: Int, chance: Double) -> Duration {
        var delay = first
        for _ in 1..<max(2, failures) where failures > 1 && delay < longest { delay = delay * max(1, factor) }
        return min(delay, longest) * (1 + spread * chance)
    }
}
