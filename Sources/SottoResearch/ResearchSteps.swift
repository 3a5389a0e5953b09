public import SottoLanguageModels
public import SottoPassageIndex

/// Keeps what the steps of a research came to, so that work that was interrupted goes on behind the last finished one.
///
/// The step names are `plan`, `search`, `claims`, `check` and `summary`; those of a second round are `review 2`, `search 2`, `claims 2`, `check 2`. Their
/// outputs are ``ResearchStep``'s.
public protocol ResearchSteps: Sendable {
    /// Gives the kept output of a step, or runs it and keeps what it gives. A keeper with a watchdog may leave a body behind that does not end.
    func step<Output: Codable & Sendable>(_ name: String, _ body: @escaping @Sendable () async throws -> Output) async throws -> Output
}

/// Keeps nothing: for work in the foreground.
public struct UnkeptSteps: ResearchSteps {
    public init() {}

    public func step<Output: Codable & Sendable>(_ name: String, _ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await body()
    }
}

/// What each step leaves behind.
public enum ResearchStep {
    /// The name of a step in a round, from 1.
    public static func name(_ name: String, round: Int) -> String { round == 1 ? name : "\(name) \(round)" }

    /// The queries that were run, the question first.
    public struct Plan: Sendable, Equatable, Codable {
        public static let name = "plan"
        public var queries: [String]
        public var usage: GenerationUsage
    }

    /// The passages that are read, in the order in which the model sees them.
    public struct Reading: Sendable, Equatable, Codable {
        public static let name = "search"
        public var passages: [PassageHit]
        /// Passages that matched and did not fit.
        public var leftOut: Int
        /// Sentences taken out because they speak to a reader-model.
        public var screened: Int
        /// The queries of this round and of those before it.
        public var queries: [String]
        /// What was asked of the web in this round and before; empty when the web was not to be used.
        public var searched: [WebSearched]
        /// The pages of the web met in this round and before.
        public var pages: [WebPage]
        /// Pages that were tried in this round and before, copies among them.
        public var tried: Int

        init() {
            (passages, leftOut, screened, queries, searched, pages, tried) = ([], 0, 0, [], [], [], 0)
        }

        /// These passages, with all that was searched and met until `last`.
        func with(searchesOf last: Reading) -> Reading {
            var reading = self
            (reading.queries, reading.searched, reading.pages, reading.tried) = (last.queries, last.searched, last.pages, last.tried)
            return reading
        }
    }

    /// What is still missing after a round, as queries for the next.
    public struct Review: Sendable, Equatable, Codable {
        public static let name = "review"
        public var queries: [String]
        public var usage: GenerationUsage
    }

    /// What the model wrote.
    public struct Drafting: Sendable, Equatable, Codable {
        public static let name = "claims"
        public var draft: ClaimDraft
        public var text: String
        /// Whether the answer had to be asked for again, shorter, because it ran into its limit.
        public var wasCut: Bool
        public var usage: GenerationUsage
    }

    /// What the checks said of it.
    public struct Checking: Sendable, Equatable, Codable {
        public static let name = "check"
        public var claims: [CheckedClaim]
        public var conflicts: [Conflict]
        public var usage: GenerationUsage
    }

    public struct Summing: Sendable, Equatable, Codable {
        public static let name = "summary"
        public var summary: String?
        public var usage: GenerationUsage
    }

    /// A drafted sentence with its verdict; passages are numbered from 1 as shown.
    public struct CheckedClaim: Sendable, Equatable, Codable {
        public var text: String
        public var passages: [Int]
        public var isSupported: Bool
        public var reason: String
        /// How sure the judging pass is that it answers the question, from 0 to 1; `nil` when it was not asked.
        public var relevance: Double?
    }

    /// A passage of another source that says something else than a supported claim.
    public struct Conflict: Sendable, Equatable, Codable {
        /// Index of the claim among the drafted ones.
        public var claim: Int
        public var passage: Int
        public var sentence: String
    }
}
