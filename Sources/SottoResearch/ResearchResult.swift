import Foundation
import SottoDocument
import SottoPassageIndex

/// What a task found, in the form that `--json` prints.
public struct ResearchResult: Sendable, Equatable, Codable {
    /// How the task ended.
    public enum Status: String, Sendable, Codable {
        /// At least one claim is supported by a source.
        case answered
        /// Sources were read and do not answer the question.
        case notAnswered
        /// No source matched.
        case nothingFound
        /// No language model is installed: sentences copied from the sources, not an answer.
        case digest
        /// The work was stopped before claims were checked: what was read is listed, nothing is claimed.
        case stopped
    }

    public enum Verdict: String, Sendable, Codable {
        case supported
        case notFound = "not found in source"
    }

    /// How much of a source was read.
    public enum Level: String, Sendable, Codable { case full, partial, snippet, failed }

    public struct SourcePassage: Sendable, Equatable, Codable {
        /// `2.1` is the first passage shown of source 2.
        public var id: String
        public var text: String
        /// The headings above it, outermost first, joined by " › ".
        public var heading: String
        /// Where it begins in the document's plain text, in UTF-8 bytes.
        public var offset: Int

        public init(id: String, text: String, heading: String, offset: Int) {
            self.id = id
            self.text = text
            self.heading = heading
            self.offset = offset
        }
    }

    public struct Source: Sendable, Equatable, Codable {
        /// The number in `[n]`, from 1, the same in findings, list and speech.
        public var id: Int
        public var title: String
        /// A path or a final address.
        public var location: String
        public var level: Level
        /// Why the level is not `full`; empty when it is.
        public var reason: String
        public var passages: [SourcePassage]
        /// Whether a supported claim names it.
        public var cited: Bool
        /// When it appeared, as ISO 8601; `nil` when nobody says.
        public var published: String?

        public init(
            id: Int, title: String, location: String, level: Level, reason: String, passages: [SourcePassage], cited: Bool, published: String? = nil
        ) {
            self.id = id
            self.title = title
            self.location = location
            self.level = level
            self.reason = reason
            self.passages = passages
            self.cited = cited
            self.published = published
        }
    }

    public struct Claim: Sendable, Equatable, Codable {
        public var text: String
        /// Source numbers.
        public var sources: [Int]
        /// Passage ids that state it.
        public var passages: [String]
        public var verdict: Verdict
        /// Why the verdict is what it is, for people who want to know.
        public var reason: String
        /// How sure the judging pass was that it answers the question, from 0 to 1; `nil` when it was not asked.
        public var relevance: Double?

        public init(text: String, sources: [Int], passages: [String], verdict: Verdict, reason: String = "", relevance: Double? = nil) {
            self.text = text
            self.sources = sources
            self.passages = passages
            self.verdict = verdict
            self.reason = reason
            self.relevance = relevance
        }
    }

    /// A sentence of another source that gives other numbers than a supported claim.
    public struct Conflict: Sendable, Equatable, Codable {
        /// Index of the claim in ``ResearchResult/claims``.
        public var claim: Int
        /// Number of the source that says otherwise.
        public var source: Int
        public var text: String

        public init(claim: Int, source: Int, text: String) {
            self.claim = claim
            self.source = source
            self.text = text
        }
    }

    /// What was asked of the web.
    public struct Web: Sendable, Equatable, Codable {
        public var searches: [WebSearched]
        /// Pages that were read, whole or in part.
        public var read: Int
        /// Pages of which only a search provider's snippet was read.
        public var snippets: Int
        /// Pages that gave nothing.
        public var failed: Int
        /// Times that was searched and read.
        public var rounds: Int

        public init(searches: [WebSearched], read: Int, snippets: Int, failed: Int, rounds: Int) {
            self.searches = searches
            self.read = read
            self.snippets = snippets
            self.failed = failed
            self.rounds = rounds
        }

        /// Whether no search at all was answered: then nothing is known about what the web holds.
        public var couldNotSearch: Bool { searches.isEmpty == false && searches.allSatisfy { $0.verdict == "failed" } }
        /// Why providers did not answer, each once.
        public var problems: [String] {
            var seen: Set<String> = []
            return searches.flatMap(\.problems).filter { seen.insert($0).inserted }
        }
    }

    /// What the check of the claims came to.
    public struct Counts: Sendable, Equatable, Codable {
        public var checked: Int
        public var supported: Int
        public var notFound: Int

        public init(checked: Int, supported: Int, notFound: Int) {
            self.checked = checked
            self.supported = supported
            self.notFound = notFound
        }
    }

    /// Seconds of each part.
    public struct Timings: Sendable, Equatable, Codable {
        public var plan: Double
        public var search: Double
        public var claims: Double
        public var check: Double
        public var summary: Double
        public var total: Double
        /// Tokens read and written by the model, with those that an earlier pass had left computed.
        public var promptTokens: Int
        public var reusedTokens: Int
        public var generatedTokens: Int

        public init(
            plan: Double = 0, search: Double = 0, claims: Double = 0, check: Double = 0, summary: Double = 0, total: Double = 0, promptTokens: Int = 0,
            reusedTokens: Int = 0, generatedTokens: Int = 0
        ) {
            self.plan = plan
            self.search = search
            self.claims = claims
            self.check = check
            self.summary = summary
            self.total = total
            self.promptTokens = promptTokens
            self.reusedTokens = reusedTokens
            self.generatedTokens = generatedTokens
        }
    }

    /// Rises when a field changes its meaning or goes away.
    public var schemaVersion: Int
    public var question: String
    public var status: Status
    public var language: String
    /// The model that wrote the claims; empty when none did.
    public var model: String
    public var queries: [String]
    public var sources: [Source]
    public var claims: [Claim]
    public var counts: Counts
    /// Where sources contradict each other; empty when none was noticed.
    public var conflicts: [Conflict]
    /// What was asked and not found.
    public var gaps: [String]
    /// Passages that matched and were left out for length.
    public var leftOut: Int
    /// Sentences of the sources that were not read because they speak to a reader-model, not to people.
    public var screened: Int
    /// Markdown with `[n]` marks and the list of sources.
    public var findings: String
    /// Up to three plain sentences for the ear.
    public var summary: String
    public var timings: Timings
    /// `nil` when the web was not to be used.
    public var web: Web?

    public init(
        question: String, status: Status, language: String, model: String, queries: [String], sources: [Source], claims: [Claim],
        conflicts: [Conflict] = [], gaps: [String], leftOut: Int, screened: Int = 0, findings: String, summary: String, timings: Timings, web: Web? = nil
    ) {
        schemaVersion = 1
        self.question = question
        self.status = status
        self.language = language
        self.model = model
        self.queries = queries
        self.sources = sources
        self.claims = claims
        let supported = claims.count { $0.verdict == .supported }
        counts = Counts(checked: claims.count, supported: supported, notFound: claims.count - supported)
        self.conflicts = conflicts
        self.gaps = gaps
        self.leftOut = leftOut
        self.screened = screened
        self.findings = findings
        self.summary = summary
        self.timings = timings
        self.web = web
    }

    /// The passages that its supported claims cite, as they were read.
    var citedPassages: [PassageHit] {
        let cited = Set(claims.filter { $0.verdict == .supported }.flatMap(\.passages))
        return sources.flatMap { source in
            source.passages.enumerated().filter { cited.contains($1.id) }.map { place, passage in
                PassageHit(
                    location: source.location, title: source.title, language: language,
                    // An ordinal of their own, since the index's is not kept; equal text is recognized as such.
                    passage: Passage(
                        text: passage.text, headings: passage.heading.components(separatedBy: " › ").filter { $0.isEmpty == false },
                        offset: passage.offset, ordinal: -1 - place),
                    score: 0)
            }
        }
    }
}
