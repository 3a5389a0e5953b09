import SottoSearchCascade
import SottoSearching
import SottoTestSupport
import Synchronization
import Testing
import struct Foundation.Date

/// Says what it is told to say.
private final class ScriptedProvider: SearchProvider {
    let id: ProviderID
    let scope: SearchScope
    let pace: SearchPace
    private let script: @Sendable (Int) async throws(CancellationError) -> SearchOutcome
    private let count = Mutex(0)
    private let running = Mutex((now: 0, most: 0))

    init(
        _ id: ProviderID, _ scope: SearchScope = .web, interval: Duration = .zero, concurrent: Int = 1, group: String? = nil,
        _ script: @escaping @Sendable (Int) async throws(CancellationError) -> SearchOutcome
    ) {
        self.id = id
        self.scope = scope
        pace = SearchPace(group: group ?? id.rawValue, interval: interval, concurrent: concurrent)
        self.script = script
    }

    convenience init(_ id: ProviderID, _ scope: SearchScope = .web, says outcome: SearchOutcome) { self.init(id, scope) { _ in outcome } }

    var asked: Int { count.withLock { $0 } }
    var mostAtOnce: Int { running.withLock { $0.most } }

    func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { running.withLock { $0.now -= 1 } }
        return try await script(number)
    }
}

private func hits(_ provider: ProviderID, _ addresses: String...) -> SearchOutcome {
    .results(addresses.enumerated().map { SearchHit(title: $1, address: $1, snippet: "", provider: provider, rank: $0 + 1) })
}

private struct Time: Sendable {
    let clock = ManualClock()
    var now: @Sendable () -> Date { { [clock] in Date(timeIntervalSince1970: 1_800_000_000).addingTimeInterval(clock.now.offset / .seconds(1)) } }
    var sleep: @Sendable (Duration) async throws -> Void { { [clock] in try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) } }

    func cascade(
        _ providers: [any SearchProvider], health: ProviderHealth = ProviderHealth(), keep: @escaping @Sendable (ProviderHealth) -> Void = { _ in }
    ) -> SearchCascade {
        SearchCascade(providers, health: health, now: now, sleep: sleep, keepHealth: keep)
    }
}

@Suite struct SearchCascadeTests {
    private let query = SearchQuery("x")

    @Test("the first that answers does; the others are left alone")
    func first() async throws {
        let second = ScriptedProvider("b", says: hits("b", "https://b.example/"))
        let report = try await Time().cascade([ScriptedProvider("a", says: hits("a", "https://a.example/")), second]).search(
            query, origin: SearchOrigin())
        #expect(report.verdict == .found && report.hits.map(\.address) == ["https://a.example/"])
        #expect(report.attempts.map(\.provider) == ["a"])
        #expect(second.asked == 0)
    }

    @Test("a blocked provider rests, the next takes over, and nothing is asked again at once")
    func rests() async throws {
        let time = Time()
        let blocked = ScriptedProvider("a") { $0 == 0 ? .blocked("a challenge") : hits("a", "https://a.example/") }
        let kept = Mutex<ProviderHealth?>(nil)
        let cascade = time.cascade([blocked, ScriptedProvider("b", says: hits("b", "https://b.example/"))]) { health in kept.withLock { $0 = health }
        }
        let report = try await cascade.search(query, origin: SearchOrigin())
        #expect(report.hits.map(\.provider) == ["b"])
        #expect(report.attempts.map(\.outcome) == [.blocked, .results])
        #expect(report.attempts[0].restsUntil == time.now().addingTimeInterval(600))
        let second = try await cascade.search(SearchQuery("y"), origin: SearchOrigin())
        #expect(second.attempts.map(\.wasAsked) == [false, true])
        #expect(second.attempts[0].cause.contains("a challenge"))
        #expect(blocked.asked == 1)
        // Another run of the program knows it too.
        let later = time.cascade([blocked], health: try #require(kept.withLock { $0 }))
        #expect(try await later.search(SearchQuery("z"), origin: SearchOrigin()).verdict == .failed)
        #expect(blocked.asked == 1)
        time.clock.advance(by: .seconds(600))
        #expect(try await cascade.search(SearchQuery("z"), origin: SearchOrigin()).hits.map(\.provider) == ["a"])
    }

    @Test("when all fail each cause is told, and until one may be asked again no request is made")
    func down() async throws {
        let time = Time()
        let providers = [
            ScriptedProvider("a", says: .blocked("a challenge")), ScriptedProvider("b", says: .rateLimited("too many", retryAfter: .seconds(90))),
            ScriptedProvider("c", .facts, says: .unreachable("no network")),
            ScriptedProvider("k", .local, says: .unreachable("not running")),
        ]
        let cascade = time.cascade(providers)
        let report = try await cascade.search(query, origin: SearchOrigin())
        #expect(report.verdict == .failed)
        #expect(report.summary == "no search provider could answer: a: a challenge; b: too many; c: no network; k: not running")
        #expect(report.attempts.allSatisfy { $0.advice.isEmpty == false })
        for number in 0..<20 { #expect(try await cascade.search(SearchQuery("other \(number)"), origin: SearchOrigin()).verdict == .failed) }
        #expect(providers.map(\.asked) == [1, 1, 1, 1])
        #expect(await cascade.isDownUntil() == time.now().addingTimeInterval(15))
        time.clock.advance(by: .seconds(15))
        #expect(await cascade.isDownUntil() == nil)
        _ = try await cascade.search(SearchQuery("again"), origin: SearchOrigin())
        #expect(providers.map(\.asked) == [1, 1, 2, 2])
    }

    @Test("archives are asked beside the web and take turns with it")
    func archives() async throws {
        let report = try await Time().cascade([
            ScriptedProvider("a", says: hits("a", "https://a.example/1", "https://a.example/2")),
            ScriptedProvider("k", .local, says: hits("k", "http://127.0.0.1:8080/1", "https://a.example/2")),
        ]).search(query, origin: SearchOrigin())
        #expect(report.hits.map(\.address) == ["https://a.example/1", "http://127.0.0.1:8080/1", "https://a.example/2"])
        #expect(report.hits[2].alsoFoundBy == ["k"])
    }

    @Test("an unrecognized page goes to the next and is kept; empty means empty only from who covers the web")
    func unrecognized() async throws {
        let page = UnrecognizedPage(reason: "no results", status: 200, body: [1, 2])
        let report = try await Time().cascade([ScriptedProvider("a", says: .unrecognized(page)), ScriptedProvider("b", .facts, says: .empty)]).search(
            query, origin: SearchOrigin())
        #expect(report.verdict == .failed)
        #expect(report.attempts[0].page == page)
        let empty = try await Time().cascade([
            ScriptedProvider("a", says: .unrecognized(page)), ScriptedProvider("b", says: .empty),
            ScriptedProvider("c", says: hits("c", "https://c.example/")),
        ])
        .search(query, origin: SearchOrigin())
        #expect(empty.verdict == .nothingFound)
    }

    @Test("the same query is asked once; another language is another query")
    func cache() async throws {
        let time = Time()
        let provider = ScriptedProvider("a", says: hits("a", "https://a.example/"))
        let cascade = time.cascade([provider])
        #expect(try await cascade.search(query, origin: SearchOrigin()).isFromCache == false)
        #expect(try await cascade.search(SearchQuery(" x "), origin: SearchOrigin(job: 9)).isFromCache)
        #expect(provider.asked == 1)
        _ = try await cascade.search(SearchQuery("x", language: "de"), origin: SearchOrigin())
        #expect(provider.asked == 2)
        time.clock.advance(by: .seconds(901))
        #expect(try await cascade.search(query, origin: SearchOrigin()).isFromCache == false)
    }

    @Test("searches at the same time are an interval apart and one at a time")
    func pace() async throws {
        let time = Time()
        let provider = ScriptedProvider("a", interval: .seconds(3)) { _ in hits("a", "https://a.example/") }
        let cascade = time.cascade([provider])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 { group.addTask { _ = try await cascade.search(SearchQuery("q\(number)"), origin: SearchOrigin()) } }
            for round in 1...3 {
                await time.clock.sleepers(atLeast: 4 - round)
                #expect(provider.asked == round)
                time.clock.advance(by: .seconds(3))
            }
            try await group.waitForAll()
        }
        #expect(provider.asked == 4)
        #expect(provider.mostAtOnce == 1)
        #expect(time.clock.now.offset == .seconds(9))
    }

    @Test("a request on its way holds the next one of its operator back, and a cancelled wait ends")
    func oneAtATime() async throws {
        let gate = Gate()
        let provider = ScriptedProvider("a") { number in
            if number == 0 { await gate.pass() }
            return hits("a", "https://a.example/")
        }
        let cascade = Time().cascade([provider])
        let first = Task { try await cascade.search(SearchQuery("1"), origin: SearchOrigin()) }
        await gate.arrived()
        let second = Task { try await cascade.search(SearchQuery("2"), origin: SearchOrigin()) }
        let third = Task { try await cascade.search(SearchQuery("3"), origin: SearchOrigin()) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(provider.asked == 1)
        await gate.open()
        _ = try await first.value
        _ = try await third.value
        #expect(provider.mostAtOnce == 1)
    }

    @Test("a search that was refused while another waited is not sent after it")
    func refusedMeanwhile() async throws {
        let time = Time()
        let provider = ScriptedProvider("a", interval: .seconds(3)) { $0 == 0 ? hits("a", "https://a.example/") : .blocked("a challenge") }
        let cascade = time.cascade([provider])
        _ = try await cascade.search(SearchQuery("0"), origin: SearchOrigin())
        async let one = cascade.search(SearchQuery("1"), origin: SearchOrigin())
        async let two = cascade.search(SearchQuery("2"), origin: SearchOrigin())
        // Both wait for their turn; after it, one is refused, and the other waits for the next.
        await time.clock.sleepers(atLeast: 2)
        time.clock.advance(by: .seconds(3))
        await time.clock.sleepers(atLeast: 1)
        time.clock.advance(by: .seconds(3))
        let reports = try await [one, two]
        #expect(reports.allSatisfy { $0.verdict == .failed })
        #expect(provider.asked == 2)
    }

    @Test("a provider that cannot be reached does not make the next of its operator wait")
    func offline() async throws {
        let time = Time()
        let providers = ["a", "b", "c"].map { id in
            ScriptedProvider(ProviderID(id), interval: .seconds(3), group: "g") { _ in .unreachable("no network") }
        }
        let report = try await time.cascade(providers).search(query, origin: SearchOrigin())
        #expect(report.verdict == .failed)
        #expect(time.clock.now.offset == .zero)
        #expect(providers.map(\.asked) == [1, 1, 1])
    }

    @Test("the check asks everybody once, but not those that refused us")
    func check() async throws {
        let time = Time()
        let refused = ScriptedProvider("a", says: .blocked("a challenge"))
        let away = ScriptedProvider("b", says: .unreachable("not running"))
        let cascade = time.cascade([refused, away, ScriptedProvider("k", .local, says: .empty)])
        #expect(try await cascade.check(query, origin: SearchOrigin()).map(\.outcome) == [.blocked, .unreachable, .empty])
        #expect(try await cascade.check(query, origin: SearchOrigin()).map(\.wasAsked) == [false, true, true])
        #expect(refused.asked == 1 && away.asked == 2)
        #expect(try await cascade.check(query, origin: SearchOrigin(), only: ["k"]).count == 1)
    }

    @Test("no query and no provider are honest failures")
    func nothing() async throws {
        let provider = ScriptedProvider("a", says: .empty)
        #expect(try await Time().cascade([provider]).search(SearchQuery(" "), origin: SearchOrigin()).verdict == .failed)
        #expect(try await Time().cascade([]).search(query, origin: SearchOrigin()).summary == "no search provider is configured")
        #expect(provider.asked == 0)
    }

    @Test("cancelling ends a search and leaves the cascade usable")
    func cancellation() async throws {
        let provider = ScriptedProvider("a") { number throws(CancellationError) in
            if number == 0 { throw CancellationError() }
            return hits("a", "https://a.example/")
        }
        let cascade = Time().cascade([provider])
        await #expect(throws: CancellationError.self) { try await cascade.search(query, origin: SearchOrigin()) }
        #expect(try await cascade.search(query, origin: SearchOrigin()).verdict == .found)
    }
}

/// Holds whoever passes until it is opened.
private actor Gate {
    private var held: CheckedContinuation<Void, Never>?
    private var watcher: CheckedContinuation<Void, Never>?
    private var isOpen = false

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { continuation in
            held = continuation
            watcher?.resume()
            watcher = nil
        }
    }

    func arrived() async {
        if held != nil { return }
        await withCheckedContinuation { watcher = $0 }
    }

    func open() {
        isOpen = true
        held?.resume()
        held = nil
    }
}
