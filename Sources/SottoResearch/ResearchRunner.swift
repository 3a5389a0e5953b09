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
    private let web: WebEvidence?
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
    ///   - sources: Where passages come from on this machine.
    ///   - web: The web, when it may be used.
    ///   - model: Without one, the result is an extractive digest.
    ///   - minimumRelevance: How sure the judging pass must be that a claim answers the question, from 0 to 1. With the default
    ///     model the right first claims of the 20 answerable development questions had 0.59 to 0.89, the wrong ones of the 26 others 0.21 to 0.50.
    ///   - clock: Measures ``ResearchResult/Timings``.
    public init(
        sources: [any EvidenceSource], web: WebEvidence? = nil, model: (any LanguageModel)?, support: ClaimSupport = ClaimSupport(),
        minimumRelevance: Double = 0.55, clock: any Clock<Duration> = ContinuousClock(), log: Log = .none
    ) {
        self.sources = sources
        self.web = web
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
        let watch = Stopwatch(clock)
        let session = try await model?.makeSession()

        let plan = try await steps.step(ResearchStep.Plan.name) {
            progress(Progress(phase: "Planning"))
            return try await self.plan(task, limits: limits, prompts: prompts, session: session)
        }
        var course = Course(plan, task: task, limits: limits, watch: watch)
        course.timings.plan = course.watch.lap()
        try await search(&course, task: task, limits: limits, prompts: prompts, session: session, steps: steps, progress: progress)

        guard let best = course.best, let session, let model else {
            course.timings.total = course.watch.total()
            var report = Report(task: task, reading: course.last, model: model?.name ?? "")
            report.rounds = course.budget.rounds
            guard course.last.passages.isEmpty == false else { return report.result(.nothingFound, timings: course.timings) }
            let picked = ExtractiveDigest.sentences(question: task.question, passages: course.last.passages, limit: limits.claims + 2)
            report.claims = picked.map { .init(text: $0.text, passages: [$0.passage], isSupported: true, reason: "copied word for word") }
            return report.result(.digest, timings: course.timings)
        }

        var report = Report(task: task, reading: best.reading.with(searchesOf: course.last), model: model.name)
        report.rounds = course.budget.rounds
        report.claims = best.checking.claims
        report.conflicts = best.checking.conflicts
        let supported = best.supported
        let status: ResearchResult.Status = supported.isEmpty ? .notAnswered : .answered
        report.gaps = Self.cleanGaps(best.drafting.draft.gaps, question: task.question, status: status)
        if best.drafting.wasCut { report.gaps.append(Phrasebook(task.language).shortened) }
        if let bound = course.bound { report.gaps.append(Self.told(bound, limits: limits)) }

        let (shown, draft) = (best.reading.passages, best.drafting.text)
        let summing = try await steps.step(ResearchStep.Summing.name) {
            // Up to three claims are their own best summary: nothing can be lost or added on the way to the ear, and nobody waits.
            guard status == .answered, supported.count > 3 else { return ResearchStep.Summing(usage: GenerationUsage()) }
            progress(Progress(phase: "Summarizing"))
            let conversation = prompts.claims(passages: shown, limit: limits.claims)
            return try await self.sumUp(
                supported.map(\.text), task: task, messages: prompts.summary(after: conversation, draft: draft, claims: supported.map(\.text)),
                session: session)
        }
        course.timings.summary = course.watch.lap()
        course.timings.total = course.watch.total()
        report.summary = summing.summary
        course.add(summing.usage)
        return report.result(status, timings: course.timings)
    }

    // MARK: Rounds

    /// How far a research has come.
    private struct Course {
        var queries: [String]
        var budget: ResearchBudget
        var vocabulary: QueryVocabulary
        var last = ResearchStep.Reading()
        /// The round that is shown.
        var best: Round?
        /// The limit that ended it.
        var bound: ResearchBudget.Bound?
        var timings = ResearchResult.Timings()
        var watch: Stopwatch

        init(_ plan: ResearchStep.Plan, task: ResearchTask, limits: ResearchLimits, watch: Stopwatch) {
            queries = plan.queries
            budget = ResearchBudget(limits)
            vocabulary = QueryVocabulary(task: task.searchText, queries: plan.queries)
            self.watch = watch
            add(plan.usage)
        }

        mutating func add(_ usage: GenerationUsage) {
            timings.promptTokens += usage.promptTokens
            timings.reusedTokens += usage.reusedTokens
            timings.generatedTokens += usage.generatedTokens
        }

        /// Takes what a round read; returns whether it is anything new.
        mutating func took(_ reading: ResearchStep.Reading) -> Bool {
            for page in reading.pages.dropFirst(last.pages.count) where page.isRead { vocabulary.note(page.text, of: page.site) }
            defer { last = reading }
            return reading.passages.isEmpty == false && reading.passages != last.passages
        }
    }

    /// Searches, reads, drafts and checks, round by round, until nothing is missing, nothing is new, or a limit is met.
    private func search(
        _ course: inout Course, task: ResearchTask, limits: ResearchLimits, prompts: Prompts, session: (any LanguageModelSession)?,
        steps: any ResearchSteps, progress: @escaping ProgressHandler
    ) async throws {
        while true {
            let number = course.budget.rounds + 1
            let (queries, before, budget, cited) = (course.queries, course.last, course.budget, course.best?.citedPassages ?? [])
            let elapsed = Duration.seconds(course.watch.total())
            let reading = try await steps.step(ResearchStep.name(ResearchStep.Reading.name, round: number)) {
                try await self.read(
                    queries, after: before, citing: cited, budget: budget, elapsed: elapsed, task: task, limits: limits, progress: progress)
            }
            course.timings.search += course.watch.lap()
            let (asked, tried) = (reading.searched.count - before.searched.count, reading.tried - before.tried)
            guard course.took(reading), let session, let model else {
                course.budget.took(queries: asked, pages: tried, tokens: 0)
                return
            }

            let shown = reading.passages
            let drafting = try await steps.step(ResearchStep.name(ResearchStep.Drafting.name, round: number)) {
                progress(Progress(phase: "Reading", item: "\(shown.count) passages"))
                return try await self.draft(shown, limits: limits, prompts: prompts, session: session, model: model)
            }
            course.timings.claims += course.watch.lap()
            let checking = try await steps.step(ResearchStep.name(ResearchStep.Checking.name, round: number)) {
                progress(Progress(phase: "Checking"))
                return try await self.check(
                    drafting.draft, shown: shown, task: task, limits: limits, prompts: prompts, session: session, model: model)
            }
            course.timings.check += course.watch.lap()
            let cost = drafting.usage + checking.usage
            course.add(cost)
            course.budget.took(queries: asked, pages: tried, tokens: cost.computedTokens)
            let round = Round(reading: reading, drafting: drafting, checking: checking)
            // A later round has read more, but a small model may make less of it.
            if course.best.map({ round.supported.count >= $0.supported.count }) ?? true { course.best = round }

            let gaps = round.gaps(of: task.question)
            guard limits.rounds > 1, gaps.isEmpty == false else { return }
            course.bound = course.budget.bound(at: .seconds(course.watch.total()))
            guard course.bound == nil else { return }
            let (vocabulary, room) = (course.vocabulary, web == nil ? limits.plannedQueries : min(limits.plannedQueries, course.budget.queriesLeft))
            let review = try await steps.step(ResearchStep.name(ResearchStep.Review.name, round: number + 1)) {
                progress(Progress(phase: "Reviewing", item: gaps.first ?? ""))
                return try await self.review(round, vocabulary: vocabulary, limit: room, prompts: prompts, session: session)
            }
            course.timings.plan += course.watch.lap()
            course.add(review.usage)
            guard review.queries.isEmpty == false else { return }
            for query in review.queries { course.vocabulary.add(query) }
            course.queries = review.queries
        }
    }

    /// What one round came to.
    private struct Round: Sendable {
        var reading: ResearchStep.Reading
        var drafting: ResearchStep.Drafting
        var checking: ResearchStep.Checking

        var supported: [ResearchStep.CheckedClaim] { checking.claims.filter(\.isSupported) }

        var citedPassages: [PassageHit] {
            var seen: Set<Int> = []
            return supported.flatMap(\.passages).filter { seen.insert($0).inserted && reading.passages.indices.contains($0 - 1) }
                .map { reading.passages[$0 - 1] }
        }

        /// What one would still search for; empty when the question is answered in all its parts.
        func gaps(of question: String) -> [String] {
            guard supported.isEmpty == false else { return [question] }
            let isShort = supported.count < ExpectedAnswer.parts(of: question)
            let told = ResearchRunner.cleanGaps(drafting.draft.gaps, question: question, status: .answered)
            return told.isEmpty && isShort ? [question] : told
        }
    }

    private static func told(_ bound: ResearchBudget.Bound, limits: ResearchLimits) -> String {
        let what =
            switch bound {
            case .rounds: "\(limits.rounds) rounds"
            case .queries: "\(limits.queries) queries"
            case .pages: "\(limits.pages) pages"
            case .tokens: "\(limits.tokens) tokens"
            case .time: "\(Int(limits.time / .seconds(60))) minutes"
            }
        return "Searching ended at this mode's limit of \(what); ask for what is missing in a question of its own."
    }

    // MARK: Steps

    private func plan(
        _ task: ResearchTask, limits: ResearchLimits, prompts: Prompts, session: (any LanguageModelSession)?
    ) async throws -> ResearchStep.Plan {
        var proposed: [String] = []
        var usage = GenerationUsage()
        if let session, limits.plannedQueries > 0 {
            (proposed, usage) = try await propose(prompts.plan(queries: limits.plannedQueries, isForWeb: web != nil), session: session)
        }
        return ResearchStep.Plan(queries: QueryCleaner().clean(proposed, question: task.searchText, limit: limits.plannedQueries), usage: usage)
    }

    /// Looks at what a round left open and says what to search for next; no queries when there is nothing new to ask.
    private func review(
        _ round: Round, vocabulary: QueryVocabulary, limit: Int, prompts: Prompts, session: any LanguageModelSession
    ) async throws -> ResearchStep.Review {
        guard limit > 0 else { return ResearchStep.Review(queries: [], usage: GenerationUsage()) }
        let claims = round.supported.map(\.text)
        let messages = prompts.review(passages: round.reading.passages, claims: claims, searched: round.reading.queries, queries: limit)
        let (proposed, usage) = try await propose(messages, session: session)
        let question = prompts.task.searchText
        let cleaned = QueryCleaner().clean(proposed, question: question, limit: limit).dropFirst()
        // When nothing of what was proposed may be sent: the words that no claim has, with the names that the pages share.
        let said = Set(claims.flatMap { Terms.content($0).map(Terms.stem) })
        let missing = Terms.content(question).filter { said.contains(Terms.stem($0)) == false }
        let plain = (missing + vocabulary.sharedNames.prefix(2)).joined(separator: " ")
        var words = vocabulary
        var queries: [String] = []
        for candidate in Array(cleaned) + [plain] where queries.count < limit {
            guard let query = words.admit(candidate), candidate != plain || queries.isEmpty else { continue }
            words.add(query)
            queries.append(query)
        }
        return ResearchStep.Review(queries: queries, usage: usage)
    }

    /// Queries as a model proposes them; none when it gives something else, for a plan is an extra.
    private func propose(_ messages: [ChatMessage], session: any LanguageModelSession) async throws -> ([String], GenerationUsage) {
        do {
            let plan = try await session.respond(to: messages, generating: QueryPlan.self, options: GenerationOptions(maximumTokens: 60))
            return (plan.value.queries, plan.usage)
        } catch let error as LanguageModelError where error.code == .malformedOutput {
            log.info("the plan was malformed; searching with the question alone")
            return ([], GenerationUsage())
        }
    }

    private func read(
        _ queries: [String], after last: ResearchStep.Reading, citing cited: [PassageHit], budget: ResearchBudget, elapsed: Duration, task: ResearchTask,
        limits: ResearchLimits, progress: @escaping ProgressHandler
    ) async throws -> ResearchStep.Reading {
        var reading = last
        reading.queries += queries
        var lists: [[PassageHit]] = []
        for query in reading.queries {
            if sources.isEmpty == false { progress(Progress(phase: "Searching", item: query)) }
            for source in sources {
                try Task.checkCancellation()
                lists.append(try await source.passages(matching: query, task: task, limit: limits.hitsPerQuery))
            }
        }
        if let web {
            let pages = budget.pagesOfRound
            let round = WebEvidence.Round(
                number: budget.rounds + 1, queries: Array(queries.prefix(budget.queriesLeft)), pages: pages, wanted: (pages * 2 + 2) / 3,
                time: max(.seconds(1), min(limits.readingTime, budget.gatheringTime - elapsed)))
            let found = try await web.gather(round, task: task, known: reading.pages, progress: progress)
            reading.searched += found.searched
            reading.pages += found.pages
            reading.tried += found.tried
            // One order for all: how good a library's hit is shows beside the web's, not by its place in a list of its own.
            let all = Interleaving.merge([reading.pages.flatMap(\.passages)] + lists)
            let ranked = PassageRanking().rank(all, question: task.searchText, queries: reading.queries)
            lists = [Self.spread(ranked, perPlace: (limits.passages + 1) / 2)]
        }
        // What is known stays in view, and what an earlier answer rests on is read again behind the best of what is new.
        lists.insert(cited, at: 0)
        if let previous = task.previous { lists.append(previous.citedPassages) }
        let candidates = Interleaving.merge(lists)
        (reading.passages, reading.screened) = try await choose(candidates, limits: limits)
        reading.leftOut = candidates.count - reading.passages.count
        return reading
    }

    /// At most so many passages of one page or document, so that one does not speak alone.
    private static func spread(_ hits: [PassageHit], perPlace limit: Int) -> [PassageHit] {
        var counts: [String: Int] = [:]
        return hits.filter { hit in
            counts[hit.location, default: 0] += 1
            return counts[hit.location, default: 0] <= limit
        }
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
