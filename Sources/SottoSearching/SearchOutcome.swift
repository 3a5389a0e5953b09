/// What one provider said to one search. A page that is not understood is never taken for an empty one.
public enum SearchOutcome: Sendable, Equatable {
    /// At least one hit.
    case results([SearchHit])
    /// The provider says itself that it has nothing.
    case empty
    /// The reply does not look as expected.
    case unrecognized(UnrecognizedPage)
    /// The provider takes us for a robot, or refuses us.
    case blocked(String)
    /// Too many searches; `retryAfter` is the provider's own word for how long.
    case rateLimited(String, retryAfter: Duration?)
    /// No answer, or that of a broken server.
    case unreachable(String)
    /// An address or a key in the settings is wrong or missing.
    case misconfigured(String)

    public enum Kind: String, Sendable, Codable, CaseIterable {
        case results, empty, unrecognized, blocked, rateLimited, unreachable, misconfigured
    }

    public var kind: Kind {
        switch self {
        case .results: .results
        case .empty: .empty
        case .unrecognized: .unrecognized
        case .blocked: .blocked
        case .rateLimited: .rateLimited
        case .unreachable: .unreachable
        case .misconfigured: .misconfigured
        }
    }

    public var hits: [SearchHit] {
        guard case .results(let hits) = self else { return [] }
        return hits
    }

    /// The provider did its work: it found something, or says that there is nothing.
    public var isAnswer: Bool { kind == .results || kind == .empty }

    /// What happened, in one sentence without a period.
    public var cause: String {
        switch self {
        case .results(let hits): hits.count == 1 ? "1 result" : "\(hits.count) results"
        case .empty: "nothing found"
        case .unrecognized(let page): "the reply does not look as expected: \(page.reason) (HTTP \(page.status), \(page.body.count) bytes)"
        case .blocked(let reason), .unreachable(let reason), .misconfigured(let reason), .rateLimited(let reason, _): reason
        }
    }

    /// What the user can do, in one sentence without a period; empty when nothing is wrong.
    public var advice: String {
        switch self {
        case .results: ""
        case .empty: "try other or fewer words"
        case .unrecognized: "the provider may have changed its pages; report it with the page that was kept, and use another provider meanwhile"
        case .blocked: "wait before searching there again, or configure another provider (a SearXNG address or a Brave key)"
        case .rateLimited(_, let wait): "search less often there; the next try is useful in \(Self.words(wait ?? .seconds(60)))"
        case .unreachable: "check the network connection, and that the provider is up"
        case .misconfigured: "correct the setting that the message names"
        }
    }

    private static func words(_ duration: Duration) -> String {
        let seconds = max(1, duration.components.seconds)
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
    }
}
