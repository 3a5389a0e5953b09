public import SottoSearching
public import struct Foundation.Date

/// Which providers rest after a failure, and until when. A value without clock: the time is told.
public struct ProviderHealth: Sendable, Equatable, Codable {
    /// Why and how long a provider is left alone.
    public struct Rest: Sendable, Equatable, Codable {
        public var outcome: SearchOutcome.Kind
        /// What happened, and what to do, as the outcome said.
        public var cause: String
        public var advice: String
        /// Failures of this kind one after the other.
        public var failures: Int
        public var since: Date
        public var until: Date
    }

    /// First and longest rest after a kind of failure; each further failure doubles it.
    public struct Policy: Sendable, Equatable {
        public var first: Duration
        public var longest: Duration

        public init(first: Duration, longest: Duration) {
            self.first = first
            self.longest = longest
        }

        /// Long where we are unwelcome, short where the network may be back at any moment. What is wrong in the settings does not mend by waiting.
        static func standard(_ kind: SearchOutcome.Kind) -> Policy? {
            switch kind {
            case .results, .empty, .misconfigured: nil
            case .blocked: Policy(first: .seconds(600), longest: .seconds(6 * 3_600))
            case .rateLimited: Policy(first: .seconds(60), longest: .seconds(3_600))
            case .unrecognized: Policy(first: .seconds(600), longest: .seconds(6 * 3_600))
            case .unreachable: Policy(first: .seconds(15), longest: .seconds(600))
            }
        }
    }

    private var rests: [String: Rest] = [:]

    public init() {}

    /// The rest that holds at a time; `nil` when the provider may be asked.
    public func rest(of provider: ProviderID, at now: Date) -> Rest? {
        guard let rest = rests[provider.rawValue], now < rest.until else { return nil }
        // The clock was set back: nobody rests for years because of that.
        guard now > rest.since.addingTimeInterval(-300) else { return nil }
        return rest
    }

    /// Takes note of what a provider said.
    public mutating func record(_ outcome: SearchOutcome, of provider: ProviderID, at now: Date) {
        guard let policy = Policy.standard(outcome.kind) else {
            if outcome.isAnswer { rests[provider.rawValue] = nil }
            return
        }
        let before = rests[provider.rawValue]
        // What happened long ago is no series any more.
        let continues = before.map { $0.outcome == outcome.kind && now < $0.until.addingTimeInterval(2 * Self.seconds(policy.longest)) } ?? false
        let failures = continues ? (before?.failures ?? 0) + 1 : 1
        var length = Self.seconds(policy.first)
        for _ in 1..<min(failures, 32) where length < Self.seconds(policy.longest) { length *= 2 }
        length = min(length, Self.seconds(policy.longest))
        // The provider's own word counts, when it is longer.
        if case .rateLimited(_, let wait?) = outcome { length = max(length, min(Self.seconds(wait), 86_400)) }
        rests[provider.rawValue] = Rest(
            outcome: outcome.kind, cause: outcome.cause, advice: outcome.advice, failures: failures, since: now, until: now.addingTimeInterval(length)
        )
    }

    /// What is worth keeping until the program runs again: where we are unwelcome, not whether the network was down.
    public func lasting(at now: Date) -> ProviderHealth {
        var kept = self
        kept.rests = rests.filter { $0.value.outcome != .unreachable && now < $0.value.until.addingTimeInterval(6 * 3_600) }
        return kept
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
