/// One place that can be searched.
public protocol SearchProvider: Sendable {
    var id: ProviderID { get }
    /// What it can be expected to know.
    var scope: SearchScope { get }
    /// How it may be asked; providers of one operator share its `group`.
    var pace: SearchPace { get }

    /// Asks once: no retries, no waiting for a turn, no cache.
    ///
    /// Everything that can go wrong is an outcome. Cancelling the task closes the connection.
    /// - Throws: `CancellationError`, and nothing else.
    func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome
}

/// What a provider can be expected to know.
public enum SearchScope: String, Sendable, Codable {
    /// The web: when it says that there is nothing, that means something.
    case web
    /// Ready facts on few subjects: finding nothing means nothing.
    case facts
    /// Archives of the user's own: asked beside the web, never instead of it.
    case local
}

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
