public import struct Foundation.Date

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

/// What one provider said in the course of a search.
public struct SearchAttempt: Sendable, Equatable {
    public var provider: ProviderID
    public var outcome: SearchOutcome.Kind
    /// What happened, in one sentence without a period.
    public var cause: String
    /// What to do; empty when nothing is wrong.
    public var advice: String
    public var hits: Int
    /// `false` when the provider rests after an earlier failure and was left alone.
    public var wasAsked: Bool
    /// Until when it is left alone; `nil` when it may be asked again.
    public var restsUntil: Date?
    /// How long the request took, without waiting for its turn.
    public var duration: Duration
    /// The reply that was not understood, for a bug report.
    public var page: UnrecognizedPage?

    public init(
        provider: ProviderID, outcome: SearchOutcome.Kind, cause: String, advice: String, hits: Int = 0, wasAsked: Bool, restsUntil: Date? = nil,
        duration: Duration = .zero, page: UnrecognizedPage? = nil
    ) {
        self.provider = provider
        self.outcome = outcome
        self.cause = cause
        self.advice = advice
        self.hits = hits
        self.wasAsked = wasAsked
        self.restsUntil = restsUntil
        self.duration = duration
        self.page = page
    }
}
