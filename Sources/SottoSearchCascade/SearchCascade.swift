public import SottoSearching
public import struct Foundation.Date

/// Searches with several providers: the first that can answer does, those that fail rest, and when nobody can, each cause is told.
///
/// Nothing is asked again at once, and while all providers rest a search ends without a request (R-01, R-03, R-04 of the design: pace, rest, give up).
public actor SearchCascade: Searching {
    public struct Configuration: Sendable {
        /// After so long no further provider is asked.
        public var deadline: Duration
        /// Answers that are remembered.
        public var cachedAnswers: Int

        public init(deadline: Duration = .seconds(60), cachedAnswers: Int = 256) {
            self.deadline = deadline
            self.cachedAnswers = cachedAnswers
        }
    }

    private let providers: [any SearchProvider]
    private let configuration: Configuration
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    private let keepHealth: @Sendable (ProviderHealth) -> Void
    private var health: ProviderHealth
    private var pacing = Pacing()
    private var cache: SearchCache
    private var waiting: [String: [(number: Int, continuation: CheckedContinuation<Void, Never>)]] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - providers: In the order in which they are asked; of two with the same id the first counts.
    ///   - health: What is known from earlier.
    ///   - now: The time.
    ///   - sleep: Waits; cancelled with its task.
    ///   - keepHealth: Told what should be known next time, whenever it changes; called from within the actor, so it should be quick.
    public init(
        _ providers: [any SearchProvider], configuration: Configuration = Configuration(), health: ProviderHealth = ProviderHealth(),
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        keepHealth: @escaping @Sendable (ProviderHealth) -> Void = { _ in }
    ) {
        var known: Set<ProviderID> = []
        self.providers = providers.filter { known.insert($0.id).inserted }
        self.configuration = configuration
        self.health = health
        self.now = now
        self.sleep = sleep
        self.keepHealth = keepHealth
        cache = SearchCache(capacity: configuration.cachedAnswers)
    }

    /// The providers in order.
    public nonisolated var order: [ProviderID] { providers.map(\.id) }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchReport {
        try await search(query, origin: origin, only: nil)
    }

    /// Searches with some of the providers.
    ///
    /// - Parameter only: Ids to ask; the others are left out. `nil`: all.
    /// - Throws: `CancellationError`, and nothing else.
    public func search(_ query: SearchQuery, origin: SearchOrigin, only: [ProviderID]?) async throws(CancellationError) -> SearchReport {
        let chosen = providers.filter { only?.contains($0.id) ?? true }
        guard query.text.isEmpty == false, chosen.isEmpty == false else {
            return SearchReport(query: query, verdict: .failed, hits: [], attempts: [])
        }
        let key = SearchCache.Key(query: query, providers: chosen.map(\.id))
        if let known = cache.report(key, at: now()) { return known }
        let start = now()
        var run = CascadeRun(chosen.map { .init(id: $0.id, scope: $0.scope, rests: health.rest(of: $0.id, at: start) != nil) })
        var replies: [ProviderID: Reply] = [:]
        do {
            let beside = chosen.filter { run.beside.contains($0.id) }
            async let archives = askAll(beside, query, origin)
            for id in run.besideResting { replies[id] = resting(id) }
            chain: while true {
                switch run.next() {
                case .finish: break chain
                case .skip(let id): replies[id] = resting(id)
                case .ask(let id):
                    guard let provider = chosen.first(where: { $0.id == id }) else { continue }
                    let reply = try await ask(provider, query, origin)
                    replies[id] = reply
                    run.take(reply.attempt.outcome, from: provider.scope)
                    if now().timeIntervalSince(start) > configuration.deadline / .seconds(1) {
                        for late in run.stop() { replies[late] = Self.late(late) }
                    }
                }
            }
            for reply in try await archives {
                replies[reply.attempt.provider] = reply
                run.take(reply.attempt.outcome, from: .local)
            }
        } catch {
            throw CancellationError()
        }
        let ordered = chosen.compactMap { replies[$0.id] }
        let hits = HitMerging.merge(ordered.map(\.hits).filter { $0.isEmpty == false }, limit: query.limit)
        let report = SearchReport(query: query, verdict: run.verdict(hits: hits.count), hits: hits, attempts: ordered.map(\.attempt))
        cache.keep(report, as: key, at: now())
        return report
    }

    /// Asks every provider once with a common word, and says how it is with each.
    ///
    /// Providers that rest because they do not want us are not asked; their cause is told.
    /// - Throws: `CancellationError`, and nothing else.
    public func check(_ query: SearchQuery, origin: SearchOrigin, only: [ProviderID]? = nil) async throws(CancellationError) -> [SearchAttempt] {
        var attempts: [SearchAttempt] = []
        for provider in providers where only?.contains(provider.id) ?? true {
            if let rest = health.rest(of: provider.id, at: now()), rest.outcome != .unreachable {
                attempts.append(resting(provider.id).attempt)
                continue
            }
            var attempt = try await ask(provider, query, origin, ignoringRest: true).attempt
            if attempt.outcome == .empty, provider.scope == .web {
                attempt.cause = "it answers, but finds nothing for the common word “\(query.text)”"
                attempt.advice = "look whether it still searches; the engines behind it may be switched off"
            }
            attempts.append(attempt)
        }
        return attempts
    }

    /// When the first resting provider may be asked again, while all rest: until then a search ends at once. `nil` while one may be asked.
    public func isDownUntil() -> Date? {
        let time = now()
        let rests = providers.map { health.rest(of: $0.id, at: time)?.until }
        guard rests.isEmpty == false, rests.allSatisfy({ $0 != nil }) else { return nil }
        return rests.compactMap { $0 }.min()
    }

    // MARK: One provider

    private struct Reply: Sendable {
        var attempt: SearchAttempt
        var hits: [SearchHit] = []
    }

    private func askAll(_ providers: [any SearchProvider], _ query: SearchQuery, _ origin: SearchOrigin) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for provider in providers { group.addTask { try await self.ask(provider, query, origin) } }
            var replies: [Reply] = []
            for try await reply in group { replies.append(reply) }
            return replies
        }
    }

    private func ask(
        _ provider: any SearchProvider, _ query: SearchQuery, _ origin: SearchOrigin, ignoringRest: Bool = false
    ) async throws(CancellationError) -> Reply {
        try await takeTurn(provider.pace)
        // Somebody else may have been refused while this one waited for its turn.
        if ignoringRest == false, health.rest(of: provider.id, at: now()) != nil {
            endTurn(provider.pace, wasHeard: true)
            return resting(provider.id)
        }
        let start = now()
        let outcome: SearchOutcome
        do {
            outcome = try await provider.search(query, origin: origin)
        } catch {
            endTurn(provider.pace, wasHeard: true)
            throw error
        }
        endTurn(provider.pace, wasHeard: outcome.kind != .unreachable && outcome.kind != .misconfigured)
        let end = now()
        let before = health
        health.record(outcome, of: provider.id, at: end)
        if health.lasting(at: end) != before.lasting(at: end) { keepHealth(health.lasting(at: end)) }
        var page: UnrecognizedPage?
        if case .unrecognized(let found) = outcome { page = found }
        return Reply(
            attempt: SearchAttempt(
                provider: provider.id, outcome: outcome.kind, cause: outcome.cause, advice: outcome.advice, hits: outcome.hits.count, wasAsked: true,
                restsUntil: health.rest(of: provider.id, at: end)?.until, duration: .seconds(end.timeIntervalSince(start)), page: page),
            hits: outcome.hits)
    }

    private func resting(_ id: ProviderID) -> Reply {
        let rest = health.rest(of: id, at: now())
        return Reply(
            attempt: SearchAttempt(
                provider: id, outcome: rest?.outcome ?? .unreachable, cause: "left alone for now, because earlier " + (rest?.cause ?? "it failed"),
                advice: rest?.advice ?? "",
                wasAsked: false, restsUntil: rest?.until))
    }

    private static func late(_ id: ProviderID) -> Reply {
        Reply(
            attempt: SearchAttempt(
                provider: id, outcome: .unreachable, cause: "not asked, for the others took all the time there was", advice: "try again",
                wasAsked: false))
    }

    // MARK: Turns

    private func takeTurn(_ pace: SearchPace) async throws(CancellationError) {
        while true {
            if Task.isCancelled { throw CancellationError() }
            switch pacing.take(pace, at: now()) {
            case .go: return
            case .wait(let time):
                do { try await sleep(time) } catch { throw CancellationError() }
            case .full: await waitForEnd(in: pace.group)
            }
        }
    }

    private func endTurn(_ pace: SearchPace, wasHeard: Bool) {
        pacing.end(pace, wasHeard: wasHeard)
        // All look again; those for whom there is no turn wait on.
        for waiter in waiting.removeValue(forKey: pace.group) ?? [] { waiter.continuation.resume() }
    }

    /// Returns when a request of the group has ended, or the task is cancelled.
    private func waitForEnd(in group: String) async {
        lastNumber += 1
        let number = lastNumber
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                waiting[group, default: []].append((number, continuation))
            }
        } onCancel: {
            // The handler runs outside of the actor, at any time.
            Task { await self.wake(number, in: group) }
        }
    }

    private func wake(_ number: Int, in group: String) {
        guard let index = waiting[group]?.firstIndex(where: { $0.number == number }) else { return }
        waiting[group]?.remove(at: index).continuation.resume()
    }
}
