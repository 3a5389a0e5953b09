/// A bucket of requests for each address, refilled at a steady rate. A value: the time is given.
public struct RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: Duration
    }

    private static let mostAddresses = 4_096

    private let rate: Double
    private let burst: Double
    private var buckets: [String: Bucket] = [:]

    /// - Parameter rate: Requests a second, above 0; twice as many may come at once.
    public init(rate: Double) {
        precondition(rate > 0, "a rate is above 0")
        self.rate = rate
        burst = max(1, rate * 2)
    }

    /// Counts one request.
    ///
    /// - Parameter now: Since any fixed moment; never goes back.
    /// - Returns: `nil` when it may be answered, else the time after which one may.
    public mutating func admit(_ address: String, at now: Duration) -> Duration? {
        var bucket = buckets[address] ?? Bucket(tokens: burst, at: now)
        bucket.tokens = min(burst, bucket.tokens + max(0, (now - bucket.at) / .seconds(1)) * rate)
        bucket.at = max(bucket.at, now)
        defer { store(bucket, address, now) }
        guard bucket.tokens >= 1 else { return .seconds((1 - bucket.tokens) / rate) }
        bucket.tokens -= 1
        return nil
    }

    private mutating func store(_ bucket: Bucket, _ address: String, _ now: Duration) {
        if buckets.count >= Self.mostAddresses, buckets[address] == nil {
            // Whoever has a full bucket again needs no entry; if nobody has, the table starts anew rather than grow.
            buckets = buckets.filter { $0.value.tokens + (now - $0.value.at) / .seconds(1) * rate < burst }
            if buckets.count >= Self.mostAddresses { buckets = [:] }
        }
        buckets[address] = bucket
    }
}
