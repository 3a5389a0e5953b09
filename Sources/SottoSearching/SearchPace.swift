/// How often a provider may be asked.
public struct SearchPace: Sendable, Hashable {
    /// Providers with the same group are paced together; by custom the operator's domain.
    public var group: String
    /// Between the starts of two requests.
    public var interval: Duration
    /// At the same time.
    public var concurrent: Int

    public init(group: String, interval: Duration, concurrent: Int = 1) {
        self.group = group
        self.interval = interval
        self.concurrent = max(1, concurrent)
    }
}
