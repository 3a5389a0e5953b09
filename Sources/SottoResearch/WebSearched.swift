/// What became of one search of the web.
public struct WebSearched: Sendable, Equatable, Codable {
    /// What was sent.
    public var query: String
    /// `found`, `nothingFound` or `failed`.
    public var verdict: String
    public var hits: Int
    /// For each provider that could not answer: its name, what happened and what to do.
    public var problems: [String]
    /// Whether the answer was remembered from an earlier search: nothing was sent.
    public var isFromCache: Bool

    public init(query: String, verdict: String, hits: Int, problems: [String] = [], isFromCache: Bool = false) {
        self.query = query
        self.verdict = verdict
        self.hits = hits
        self.problems = problems
        self.isFromCache = isFromCache
    }
}
