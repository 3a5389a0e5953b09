import SottoDocument
public import SottoLanguageModels
public import SottoObservability
import SottoText
import SottoPassageIndex

/// Answers one question: plan, search, interleave, choose passages, draft claims, check them, write findings and summary.
///
/// Code searches and cites; the model only proposes queries and drafts sentences about passages that it is shown.
public struct ResearchRunner: Sendable {
    private let sources: [any EvidenceSource]
    private let model: (any LanguageModel)?
    private let support: ClaimSupport
    private let clock: any Clock<Duration>
    private let log: Log

    /// - Parameters:
    ///   - sources: Where passages come from.
    ///   - model: Without one, the result is an extractive digest.
    ///   - clock: Measures ``ResearchResult/Timings``.
    public init(
        sources: [any EvidenceSource], model: (any LanguageModel)?, support: ClaimSupport = ClaimSupport(),
        clock: any Clock<Duration> = ContinuousClock(), log: Log = .none
    ) {
        self.sources = sources
        self.model = model
        self.support = support
        self.clock = clock
        self.log = log
    }

    /// Runs one task to its end.
    ///
    /// - Throws: `CancellationError` within a second of a cancel; errors of the index and the model.
    public func run(_ task: ResearchTask, limits: ResearchLimits? = nil, progress: ProgressHandler = { _ in }) async throws -> ResearchResult {
        let limits = limits ?? ResearchLimits(task.mode)
        let prompts = Prompts(task: task)
        var timings = ResearchResult.Timings()
        let started = Stopwatch(clock)

        let session = try await model?.makeSession()
        var usage = GenerationUsage()

        var watch = Stopwatch(clock)
        progress(Progress(phase: "Planning"))
        var proposed: [String] = []
        if let session, limits.plannedQueries > 0 {
            do {
                let options = GenerationOptions(maximumTokens: 60)
                let plan = try await session.respond(to: prompts.plan(queries: limits.plannedQueries), generating: QueryPlan.self, options: options)
                proposed = plan.value.queries
                usage = usage + plan.usage
            } catch let error as LanguageModelError where error.code == .malformedOutput {
                // The question alone is a good query; a plan is an extra.
                log.info("the plan was malformed; searching with the question alone")
            }
        }
        let queries = QueryCleaner().clean(proposed, question: task.question, limit: limits.plannedQueries)
        timings.plan = watch.lap()

        var lists: [[PassageHit]] = []
        for query in queries {
            progress(Progress(phase: "Searching", item: query))
            for source in sources {
                try Task.checkCancellation()
                lists.append(try await source.passages(matching: query, task: task, limit: limits.hitsPerQuery))
            }
        }
        let candidates = Interleaving.merge(lists)
        let shown = try await choose(candidates, limits: limits)
        timings.search = watch.lap()

        guard shown.isEmpty == false else {
            timings.total = started.total()
            return result(task, .nothingFound, queries: queries, shown: [], drafted: [], gaps: [], leftOut: 0, summary: nil, timings, model: model?.name ?? "")
        }
        let leftOut = candidates.count - shown.count
        guard let session, let model else {
            let picked = ExtractiveDigest.sentences(question: task.question, passages: shown, limit: limits.claims + 2)
            let drafted = picked.map { Checked(text: $0.text, passages: [$0.passage], isSupported: true, reason: "copied word for word") }
            timings.total = started.total()
            return result(task, .digest, queries: queries, shown: shown, drafted: drafted, gaps: [], leftOut: leftOut, summary: nil, timings, model: "")
        }

        progress(Progress(phase: "Reading", item: "\(shown.count) passages"))
        let conversation = prompts.claims(passages: shown, limit: limits.claims)
        let schema = ClaimDraft.schema(passages: shown.count, claims: limits.claims)
        let answer = try await session.respond(
            to: conversation, generating: ClaimDraft.self, options: GenerationOptions(maximumTokens: limits.answerTokens, schema: schema))
        let draft = answer.value
        usage = usage + answer.usage
        timings.claims = watch.lap()

        var checked = check(draft, shown: shown, task: task)
        if draft.answered {
            progress(Progress(phase: "Checking"))
            usage = usage + (try await judge(&checked, shown: shown, prompts: prompts, session: session))
        }
        let supported = checked.filter(\.isSupported)
        let status: ResearchResult.Status = draft.answered && supported.isEmpty == false ? .answered : .notAnswered
        let gaps = Self.cleanGaps(draft.gaps, question: task.question, status: status)
        timings.check = watch.lap()

        var summary: String?
        // Up to three claims are their own best summary: nothing can be lost or added on the way to the ear, and nobody waits.
        if status == .answered, supported.count > 3 {
            progress(Progress(phase: "Summarizing"))
            let claims = supported.map(\.text)
            let messages = prompts.summary(after: conversation, draft: answer.text, claims: claims)
            do {
                let (text, stop, cost) = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 150)).collect()
                usage = usage + cost
                // A summary that was cut is never read out as if it were whole.
                if stop == .endOfTurn { summary = SpokenSummary.checked(text, claims: claims, question: task.question, support: support) }
            } catch let error as LanguageModelError where error.code == .contextOverflow {
                log.info("no room left for a summary pass; the claims are read instead")
            }
        }
        timings.summary = watch.lap()
        timings.total = started.total()
        timings.promptTokens = usage.promptTokens
        timings.reusedTokens = usage.reusedTokens
        timings.generatedTokens = usage.generatedTokens
        return result(
            task, status, queries: queries, shown: shown, drafted: status == .answered ? checked : checked.map { $0.unsupported(draft.answered) },
            gaps: gaps, leftOut: leftOut, summary: summary, timings, model: model.name)
    }

    /// Fills the token budget with the best candidates; what does not fit is skipped, not cut.
    private func choose(_ candidates: [PassageHit], limits: ResearchLimits) async throws -> [PassageHit] {
        var chosen: [PassageHit] = []
        var room = limits.passageTokens
        for candidate in candidates {
            guard chosen.count < limits.passages else { break }
            let text = Prompts.block(candidate, number: chosen.count + 1)
            // Without a model nothing is paid for by the token, so bytes do.
            let cost = try await model?.tokenCount(text) ?? text.utf8.count / 4
            guard cost <= room || chosen.isEmpty else { continue }
            room -= cost
            chosen.append(candidate)
        }
        return chosen
    }

    struct Checked {
        var text: String
        var passages: [Int]
        var isSupported: Bool
        var reason: String

        func unsupported(_ answered: Bool) -> Checked {
            var copy = self
            if isSupported, answered == false {
                copy.isSupported = false
                copy.reason = "the model itself says that the sources do not answer the question"
            }
            return copy
        }
    }

    /// Checks each drafted claim against the passage it names, then against the others that were shown.
    private func check(_ draft: ClaimDraft, shown: [PassageHit], task: ResearchTask) -> [Checked] {
        var seen: Set<[String]> = []
        let blocks = shown.enumerated().map { Prompts.block($1, number: $0 + 1) }
        let surroundings = blocks.joined(separator: "\n")
        return draft.claims.compactMap { claim in
            let text = claim.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing(/\s*\[\d+(,\s*\d+)*\]/, with: "")
            guard text.isEmpty == false, seen.insert(Terms.content(text)).inserted else { return nil }
            let named = claim.sources.filter { shown.indices.contains($0 - 1) }
            let findings = blocks.map { support.check(claim: text, passage: $0, question: task.question, surroundings: surroundings) }
            let holding = named.filter { findings[$0 - 1].isSupported }
            if holding.isEmpty == false { return Checked(text: text, passages: holding, isSupported: true, reason: "") }
            let others = shown.indices.filter { findings[$0].isSupported }
            if let best = others.max(by: { findings[$0].overlap < findings[$1].overlap }) {
                return Checked(text: text, passages: [best + 1], isSupported: true, reason: "the model named another passage")
            }
            let nearest = named.map { findings[$0 - 1] }.max { $0.overlap < $1.overlap }
            let missing = nearest?.missing ?? []
            return Checked(
                text: text, passages: named, isSupported: false,
                reason: missing.isEmpty ? "its words are not the passage's" : "not in the passage: " + missing.joined(separator: ", "))
        }
    }

    /// Asks of the claims, in order, whether they answer the question, until one does; those before it are dropped.
    ///
    /// Later claims ride on the one that answers: they passed the rule, and each question costs a second.
    private func judge(
        _ checked: inout [Checked], shown: [PassageHit], prompts: Prompts, session: any LanguageModelSession
    ) async throws -> GenerationUsage {
        var usage = GenerationUsage()
        let options = GenerationOptions(maximumTokens: 6, schema: .choice(["Yes", "No"]))
        for index in checked.indices where checked[index].isSupported {
            let answer = try await session.respond(to: prompts.relevance(passages: shown, claim: checked[index].text), options: options).collect()
            usage = usage + answer.usage
            if answer.text.contains("Yes") { return usage }
            checked[index].isSupported = false
            checked[index].reason = "true of its passage, but it does not answer the question"
        }
        return usage
    }

    private func result(
        _ task: ResearchTask, _ status: ResearchResult.Status, queries: [String], shown: [PassageHit], drafted: [Checked], gaps: [String],
        leftOut: Int, summary: String?, _ timings: ResearchResult.Timings, model: String
    ) -> ResearchResult {
        let supported = drafted.filter(\.isSupported)
        let (sources, sourceNumbers, passageIDs) = SourceTable(shown: shown).number(citations: supported.map(\.passages))
        var place = 0
        let claims = drafted.map { claim in
            defer { if claim.isSupported { place += 1 } }
            return ResearchResult.Claim(
                text: claim.text, sources: claim.isSupported ? sourceNumbers[place] : [], passages: claim.isSupported ? passageIDs[place] : [],
                verdict: claim.isSupported ? .supported : .notFound, reason: claim.reason)
        }
        return ResearchResult(
            question: task.question, status: status, language: task.language, model: model, queries: queries, sources: sources, claims: claims,
            gaps: gaps, leftOut: leftOut,
            findings: Findings.markdown(status: status, claims: claims, gaps: gaps, sources: sources),
            summary: summary ?? SpokenSummary.composed(status: status, claims: supported.map(\.text), gaps: gaps), timings: timings)
    }

    /// A gap is worth showing when it says something; models like to fill the field with "none".
    static func cleanGaps(_ gaps: [String], question: String, status: ResearchResult.Status) -> [String] {
        let useful = gaps.map { SpokenSummary.plain($0) }.filter { gap in
            gap.count > 8 && gap.lowercased().wholeMatch(of: /(none|nothing|no gaps?|n\/a|not applicable)\W*.*/) == nil
        }
        if useful.isEmpty, status == .notAnswered { return [question] }
        return status == .answered ? useful : Array(useful.prefix(2))
    }
}

/// Seconds between laps, on whatever clock was passed in.
private struct Stopwatch {
    private let elapsed: () -> Duration
    private var last = Duration.zero

    init(_ clock: any Clock<Duration>) {
        func start<C: Clock>(_ clock: C) -> () -> Duration where C.Duration == Duration {
            let begin = clock.now
            return { begin.duration(to: clock.now) }
        }
        elapsed = start(clock)
    }

    func total() -> Double { Self.seconds(elapsed()) }

    mutating func lap() -> Double {
        let now = elapsed()
        defer { last = now }
        return Self.seconds(now - last)
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
