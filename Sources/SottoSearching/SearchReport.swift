/// What a search over several providers came to.
public struct SearchReport: Sendable, Equatable {
    public enum Verdict: String, Sendable, Codable {
        /// At least one hit.
        case found
        /// A provider that covers the web (or, without one, the user's archives) says that there is nothing.
        case nothingFound
        /// Nobody could answer: nothing is known about what exists. Every cause is in `attempts`.
        case failed
    }

    public var query: SearchQuery
    public var verdict: Verdict
    /// Merged over the providers in turn, without copies, at most the query's limit.
    public var hits: [SearchHit]
    /// Every provider that was considered, in order, with what it said.
    public var attempts: [SearchAttempt]
    /// Whether the answer was remembered: nothing was asked.
    public var isFromCache: Bool

    public init(query: SearchQuery, verdict: Verdict, hits: [SearchHit], attempts: [SearchAttempt], isFromCache: Bool = false) {
        self.query = query
        self.verdict = verdict
        self.hits = hits
        self.attempts = attempts
        self.isFromCache = isFromCache
    }

    /// One line for people: what came of it, and when nothing did, why.
    public var summary: String {
        switch verdict {
        case .found: return hits.count == 1 ? "1 result" : "\(hits.count) results"
        case .nothingFound: return "nothing found for “\(query.text)”"
        case .failed:
            guard attempts.isEmpty == false else { return "no search provider is configured" }
            return "no search provider could answer: " + attempts.map { "\($0.provider): \($0.cause)" }.joined(separator: "; ")
        }
    }
}
