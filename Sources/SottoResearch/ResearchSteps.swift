public import SottoLanguageModels
public import SottoPassageIndex

/// Keeps what the steps of a research came to, so that work that was interrupted goes on behind the last finished one.
///
/// The step names are `plan`, `search`, `claims`, `check` and `summary`; their outputs are ``ResearchStep``'s.
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
