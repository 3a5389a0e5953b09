/// A question to be answered from sources.
public struct ResearchTask: Sendable, Equatable {
    /// How much work an answer is worth.
    public enum Mode: String, Sendable, Codable, CaseIterable {
        /// The question itself is the only query, and few passages are read.
        case quick
        /// Planned queries and enough passages for most questions.
        case balanced
        /// More queries and passages, for questions with several parts.
        case deep
    }

    public var question: String
    public var mode: Mode
    /// BCP 47 tag; sources in it rank first, and the answer is written in it.
    public var language: String
    /// Only these parts of the library; all of it when empty.
    public var libraryRoots: [String]
    /// Today, as the planner should know it: `Monday, 30 November 2026`.
    public var today: String
    /// What this question follows up: its sources keep their numbers, and what it cited is read again.
    public var previous: ResearchResult?

    public init(
        question: String, mode: Mode = .balanced, language: String = "en", libraryRoots: [String] = [], today: String,
        previous: ResearchResult? = nil
    ) {
        self.question = question
        self.mode = mode
        self.language = language
        self.libraryRoots = libraryRoots
        self.today = today
        self.previous = previous
    }

    /// What is searched for: a follow-up ("and for one user?") seldom says what it is about.
    var searchText: String {
        guard let previous else { return question }
        return question + " " + previous.question
    }
}

/// The bounds that a mode sets. None is ever passed: what is left of a question is told as a gap.
public struct ResearchLimits: Sendable, Equatable {
    /// Planned queries, beside the question itself.
    public var plannedQueries: Int
    /// Passages asked for with each query.
    public var hitsPerQuery: Int
    /// Passages that the model is shown.
    public var passages: Int
    /// Tokens that these passages may have together. Reading costs about 25 ms a token with the default model on two
    /// AVX2 cores, so this bounds the wait.
    public var passageTokens: Int
    public var claims: Int
    public var answerTokens: Int
    /// Times that is searched, read and drafted; after each the gaps are reviewed.
    public var rounds: Int
    /// Queries sent to the web in all rounds.
    public var queries: Int
    /// Pages of the web that are tried in all rounds, read or not.
    public var pages: Int
    /// Tokens that the model may read anew and write in all.
    public var tokens: Int
    /// From the beginning to the write-up's end.
    public var time: Duration
    /// Until when the pages of one round must have come; a slow server is not waited for longer.
    public var readingTime: Duration

    public init(
        plannedQueries: Int, hitsPerQuery: Int, passages: Int, passageTokens: Int, claims: Int, answerTokens: Int, rounds: Int = 1, queries: Int = 1,
        pages: Int = 5, tokens: Int = 6_000, time: Duration = .seconds(120), readingTime: Duration = .seconds(20)
    ) {
        self.plannedQueries = plannedQueries
        self.hitsPerQuery = hitsPerQuery
        self.passages = passages
        self.passageTokens = passageTokens
        self.claims = claims
        self.answerTokens = answerTokens
        self.rounds = rounds
        self.queries = queries
        self.pages = pages
        self.tokens = tokens
        self.time = time
        self.readingTime = readingTime
    }

    public init(_ mode: ResearchTask.Mode) {
        switch mode {
        case .quick:
            self.init(plannedQueries: 0, hitsPerQuery: 8, passages: 5, passageTokens: 900, claims: 2, answerTokens: 220)
        case .balanced:
            self.init(
                plannedQueries: 2, hitsPerQuery: 10, passages: 6, passageTokens: 1100, claims: 3, answerTokens: 320, queries: 3, pages: 9, tokens: 10_000,
                time: .seconds(300), readingTime: .seconds(40))
        case .deep:
            self.init(
                plannedQueries: 4, hitsPerQuery: 16, passages: 12, passageTokens: 2600, claims: 6, answerTokens: 700, rounds: 3, queries: 10, pages: 24,
                tokens: 40_000, time: .seconds(1_500), readingTime: .seconds(90))
        }
    }
}
