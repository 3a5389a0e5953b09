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
    private let minimumRelevance: Double
    /// Sentences that nobody drafted as an answer must be surer ones.
    private let minimumExtractRelevance = 0.7
    /// How much surer the judging pass must be when nothing that was read holds any word of the question; less for fewer words.
    private let doubtOfUnread = 0.5
    private let clock: any Clock<Duration>
    private let log: Log

    /// - Parameters:
    ///   - sources: Where passages come from.
    ///   - model: Without one, the result is an extractive digest.
    ///   - minimumRelevance: How sure the judging pass must be that a claim answers the question, from 0 to 1. With the default
    ///     model the right first claims of the 20 answerable development questions had 0.59 to 0.89, the wrong ones of the 26 others 0.21 to 0.50.
    ///   - clock: Measures ``ResearchResult/Timings``.
    public init(
        sources: [any EvidenceSource], model: (any LanguageModel)?, support: ClaimSupport = ClaimSupport(),
        minimumRelevance: Double = 0.55, clock: any Clock<Duration> = ContinuousClock(), log: Log = .none
    ) {
        self.sources = sources
        self.model = model
        self.support = support
        self.minimumRelevance = minimumRelevance
        self.clock = clock
        self.log = log
    }

    /// Runs one task to its end.
    ///
    /// - Parameters:
    ///   - limits: The mode's when `nil`.
    ///   - steps: Keeps each step's output; a step that it has already is not done again.
    /// - Throws: `CancellationError` within a second of a cancel; errors of the index, the model and the keeper.
    public func run(
        _ task: ResearchTask, limits: ResearchLimits? = nil, steps: any ResearchSteps = UnkeptSteps(),
        progress: @escaping ProgressHandler = { _ in }
    ) async throws -> ResearchResult {
        let limits = limits ?? ResearchLimits(task.mode)
        let prompts = Prompts(task: task)
        let started = Stopwatch(clock)
        var watch = Stopwatch(clock)
        var timings = ResearchResult.Timings()
        let session = try await model?.makeSession()

        let plan = try await steps.step(ResearchStep.Plan.name) {
            progress(Progress(phase: "Planning"))
            return try await self.plan(task, limits: limits, prompts: prompts, session: session)
        }
        timings.plan = watch.lap()

        let reading = try await steps.step(ResearchStep.Reading.name) {
            try await self.read(plan.queries, task: task, limits: limits, progress: progress)
        }
        timings.search = watch.lap()
        let shown = reading.passages
        guard shown.isEmpty == false else {
            timings.total = started.total()
            return Report(task: task, queries: plan.queries, reading: reading, model: model?.name ?? "").result(.nothingFound, timings: timings)
        }
        guard let session, let model else {
            let picked = ExtractiveDigest.sentences(question: task.question, passages: shown, limit: limits.claims + 2)
            timings.total = started.total()
            var report = Report(task: task, queries: plan.queries, reading: reading, model: "")
            report.claims = picked.map { .init(text: $0.text, passages: [$0.passage], isSupported: true, reason: "copied word for word") }
            return report.result(.digest, timings: timings)
        }

        let drafting = try await steps.step(ResearchStep.Drafting.name) {
            progress(Progress(phase: "Reading", item: "\(shown.count) passages"))
            return try await self.draft(shown, limits: limits, prompts: prompts, session: session, model: model)
        }
        timings.claims = watch.lap()

        let checking = try await steps.step(ResearchStep.Checking.name) {
            progress(Progress(phase: "Checking"))
            return try await self.check(drafting.draft, shown: shown, task: task, limits: limits, prompts: prompts, session: session, model: model)
        }
        timings.check = watch.lap()

        var report = Report(task: task, queries: plan.queries, reading: reading, model: model.name)
        report.claims = checking.claims
        report.conflicts = checking.conflicts
        let supported = checking.claims.filter(\.isSupported)
        let status: ResearchResult.Status = supported.isEmpty ? .notAnswered : .answered
        report.gaps = Self.cleanGaps(drafting.draft.gaps, question: task.question, status: status)
        if drafting.wasCut { report.gaps.append(Phrasebook(task.language).shortened) }

        let summing = try await steps.step(ResearchStep.Summing.name) {
            // Up to three claims are their own best summary: nothing can be lost or added on the way to the ear, and nobody waits.
            guard status == .answered, supported.count > 3 else { return ResearchStep.Summing(usage: GenerationUsage()) }
            progress(Progress(phase: "Summarizing"))
            let conversation = prompts.claims(passages: shown, limit: limits.claims)
            return try await self.sumUp(
                supported.map(\.text), task: task, messages: prompts.summary(after: conversation, draft: drafting.text, claims: supported.map(\.text)),
                session: session)
        }
        timings.summary = watch.lap()
        timings.total = started.total()
        report.summary = summing.summary
        let usage = plan.usage + drafting.usage + checking.usage + summing.usage
        timings.promptTokens = usage.promptTokens
        timings.reusedTokens = usage.reusedTokens
        timings.generatedTokens = usage.generatedTokens
        return report.result(status, timings: timings)
    }

    // MARK: Steps

    private func plan(
        _ task: ResearchTask, limits: ResearchLimits, prompts: Prompts, session: (any LanguageModelSession)?
    ) async throws -> ResearchStep.Plan {
        var proposed: [String] = []
        var usage = GenerationUsage()
        if let session, limits.plannedQueries > 0 {
            do {
                let options = GenerationOptions(maximumTokens: 60)
                let plan = try await session.respond(to: prompts.plan(queries: limits.plannedQueries), generating: QueryPlan.self, options: options)
                proposed = plan.value.queries
                usage = plan.usage
            } catch let error as LanguageModelError where error.code == .malformedOutput {
                // The question alone is a good query; a plan is an extra.
                log.info("the plan was malformed; searching with the question alone")
            }
        }
        return ResearchStep.Plan(queries: QueryCleaner().clean(proposed, question: task.searchText, limit: limits.plannedQueries), usage: usage)
    }

    private func read(
        _ queries: [String], task: ResearchTask, limits: ResearchLimits, progress: ProgressHandler
    ) async throws -> ResearchStep.Reading {
        var lists: [[PassageHit]] = []
        for query in queries {
            progress(Progress(phase: "Searching", item: query))
            for source in sources {
                try Task.checkCancellation()
                lists.append(try await source.passages(matching: query, task: task, limit: limits.hitsPerQuery))
            }
        }
        // What an earlier answer rests on is read again, behind the best of what is new.
        if let previous = task.previous { lists.append(previous.citedPassages) }
        let candidates = Interleaving.merge(lists)
        let (shown, screened) = try await choose(candidates, limits: limits)
        return ResearchStep.Reading(passages: shown, leftOut: candidates.count - shown.count, screened: screened)
    }

    /// A passage without the sentences that speak to a reader-model, in its title and headings too.
    private static func screen(_ hit: PassageHit) -> (PassageHit, Int) {
        var hit = hit
        var (text, removed) = ReaderAddressed.screened(hit.passage.text)
        hit.passage.text = text.split(whereSeparator: \.isWhitespace).isEmpty ? "" : text
        let headings = hit.passage.headings.filter { ReaderAddressed.reason($0) == nil }
        removed += hit.passage.headings.count - headings.count
        hit.passage.headings = headings
        if ReaderAddressed.reason(hit.title) != nil {
            removed += 1
            hit.title = hit.location.split(separator: "/").last.map(String.init) ?? hit.location
        }
        return (hit, removed)
    }

    /// Asks for claims; an answer that runs into its limit is asked for again with more room, and then for one claim, which always fits.
    private func draft(
        _ shown: [PassageHit], limits: ResearchLimits, prompts: Prompts, session: any LanguageModelSession, model: any LanguageModel
    ) async throws -> ResearchStep.Drafting {
        var usage = GenerationUsage()
        for (claims, tokens) in [(limits.claims, limits.answerTokens), (limits.claims, limits.answerTokens * 2), (1, limits.answerTokens * 2)] {
            let conversation = prompts.claims(passages: shown, limit: claims)
            let room = model.contextLength - (try await model.tokenCount(conversation))
            let options = GenerationOptions(
                maximumTokens: max(1, min(tokens, room)), schema: ClaimDraft.schema(passages: shown.count, claims: claims))
            do {
                let answer = try await session.respond(to: conversation, generating: ClaimDraft.self, options: options)
                usage = usage + answer.usage
                guard answer.completeness == .whole || claims == 1 else { continue }
                return ResearchStep.Drafting(draft: answer.value, text: answer.text, wasCut: claims != limits.claims, usage: usage)
            } catch let error as LanguageModelError where error.code == .malformedOutput && claims > 1 {
                log.info("the answer was cut or malformed; asking again: \(error.message)")
            }
        }
        throw LanguageModelError(.malformedOutput, "the model gave no complete answer in three tries; ask in fewer words, or use another model")
    }

    private func check(
        _ draft: ClaimDraft, shown: [PassageHit], task: ResearchTask, limits: ResearchLimits, prompts: Prompts, session: any LanguageModelSession, model: any LanguageModel
    ) async throws -> ResearchStep.Checking {
        let focus = try await QuestionFocus.words(of: task.question, language: task.language) { try await model.tokenCount($0) }
        let check = ClaimCheck(question: task.question, passages: shown, focus: focus, support: support)
        var claims = check.check(draft)
        var usage = GenerationUsage()
        let doubt = check.unreadShare(language: task.language) * doubtOfUnread
        if draft.answered {
            usage = try await judge(
                &claims, shown: shown, limit: limits.claims + 1, atLeast: minimumRelevance + doubt, prompts: prompts, session: session)
        } else {
            for index in claims.indices where claims[index].isSupported {
                claims[index].isSupported = false
                claims[index].reason = "the model itself says that the sources do not answer the question"
            }
        }
        // What the model left out may stand in the passages word for word.
        var extracts: [ResearchStep.CheckedClaim] = []
        if claims.contains(where: \.isSupported) == false {
            extracts = check.extracts(limit: 2)
            usage = usage + (try await judge(
                &extracts, shown: shown, limit: 2, atLeast: minimumExtractRelevance + doubt, prompts: prompts, session: session))
        } else if let completion = check.completion(of: claims) {
            extracts = [completion]
            usage = usage + (try await judge(
                &extracts, shown: shown, limit: 1, atLeast: minimumRelevance + doubt, prompts: prompts, session: session))
        }
        claims = check.settled(claims + extracts.filter(\.isSupported))
        return ResearchStep.Checking(claims: claims, conflicts: check.conflicts(with: claims), usage: usage)
    }

    private func sumUp(
        _ claims: [String], task: ResearchTask, messages: [ChatMessage], session: any LanguageModelSession
    ) async throws -> ResearchStep.Summing {
        do {
            let (text, stop, cost) = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 150)).collect()
            // A summary that was cut is never read out as if it were whole.
            let summary = stop == .endOfTurn ? SpokenSummary.checked(text, claims: claims, question: task.question, support: support) : nil
            return ResearchStep.Summing(summary: summary, usage: cost)
        } catch let error as LanguageModelError where error.code == .contextOverflow {
            log.info("no room left for a summary pass; the claims are read instead")
            return ResearchStep.Summing(usage: GenerationUsage())
        }
    }

    /// Fills the token budget with the best candidates, screened; what does not fit is skipped, not cut.
    ///
    /// - Returns: How many sentences were taken out too: of what is shown, and of what would be if anything were left of it.
    private func choose(_ candidates: [PassageHit], limits: ResearchLimits) async throws -> (shown: [PassageHit], screened: Int) {
        var chosen: [PassageHit] = []
        var screened = 0
        var room = limits.passageTokens
        for candidate in candidates {
            guard chosen.count < limits.passages else { break }
            let (candidate, removed) = Self.screen(candidate)
            guard candidate.passage.text.isEmpty == false else {
                screened += removed
                continue
            }
            let text = Prompts.block(candidate, number: chosen.count + 1)
            // Without a model nothing is paid for by the token, so bytes do.
            let cost = try await model?.tokenCount(text) ?? text.utf8.count / 4
            guard cost <= room || chosen.isEmpty else { continue }
            room -= cost
            screened += removed
            chosen.append(candidate)
        }
        return (chosen, screened)
    }

    /// Asks of each supported claim whether it answers the question, drops those that do not, and puts the surest first.
    ///
    /// Only the first few are asked about: each question costs about a second, and later ones seldom add anything.
    private func judge(
        _ checked: inout [ResearchStep.CheckedClaim], shown: [PassageHit], limit: Int, atLeast minimum: Double, prompts: Prompts,
        session: any LanguageModelSession
    ) async throws -> GenerationUsage {
        var usage = GenerationUsage()
        var asked = 0
        for index in checked.indices where checked[index].isSupported {
            guard asked < limit else {
                checked[index].isSupported = false
                checked[index].reason = "beyond the number of claims that are shown"
                continue
            }
            asked += 1
            let likely = try await session.likelihoods(of: ["Yes", "No"], after: prompts.relevance(passages: shown, claim: checked[index].text))
            usage = usage + likely.usage
            checked[index].relevance = likely.values[0]
            guard likely.values[0] < minimum else { continue }
            checked[index].isSupported = false
            checked[index].reason = "true of its passage, but it does not answer the question"
        }
        let best = checked.indices.filter { checked[$0].isSupported }.max { (checked[$0].relevance ?? 0) < (checked[$1].relevance ?? 0) }
        if let best, let first = checked.firstIndex(where: \.isSupported), best != first { checked.insert(checked.remove(at: best), at: first) }
        return usage
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
