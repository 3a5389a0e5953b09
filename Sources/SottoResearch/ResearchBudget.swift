/// What a research has used of its limits, and what it may still do. A value: time is told to it.
///
/// The last 15 % of time and tokens belong to the write-up: gathering stops before it, so that what was found is written down and not lost.
public struct ResearchBudget: Sendable, Equatable {
    /// Why gathering ended.
    public enum Bound: String, Sendable, Codable {
        case rounds, queries, pages, tokens, time
    }

    /// The share that gathering may use.
    public static let gatheringShare = 0.85

    public let limits: ResearchLimits
    public private(set) var rounds = 0
    public private(set) var queries = 0
    public private(set) var pages = 0
    public private(set) var tokens = 0
    private var lastRound = 0

    public init(_ limits: ResearchLimits) { self.limits = limits }

    /// Until when pages may be gathered, counted from the beginning of the research.
    public var gatheringTime: Duration { limits.time * Self.gatheringShare }

    /// What stands in the way of one more round; `nil` when it may begin.
    ///
    /// - Parameter elapsed: Since the beginning of the research.
    public func bound(at elapsed: Duration) -> Bound? {
        if rounds >= limits.rounds { return .rounds }
        if rounds == 0 { return nil }
        if queries >= limits.queries { return .queries }
        if pages >= limits.pages { return .pages }
        if elapsed >= gatheringTime { return .time }
        // One more round reads about as much as the last did.
        if Double(tokens + lastRound) > Double(limits.tokens) * Self.gatheringShare { return .tokens }
        return nil
    }

    /// Takes a round that ended.
    ///
    /// - Parameters:
    ///   - queries: Sent to the web.
    ///   - pages: Tried, read or not.
    ///   - tokens: Read anew and written by the model in it.
    public mutating func took(queries: Int, pages: Int, tokens: Int) {
        rounds += 1
        self.queries += queries
        self.pages += pages
        self.tokens += tokens
        lastRound = tokens
    }

    public var queriesLeft: Int { max(0, limits.queries - queries) }
    /// Pages that the next round may try: an even share of what is left for the rounds that are left.
    public var pagesOfRound: Int {
        let left = max(0, limits.pages - pages)
        let rounds = max(1, limits.rounds - rounds)
        return (left + rounds - 1) / rounds
    }
}
