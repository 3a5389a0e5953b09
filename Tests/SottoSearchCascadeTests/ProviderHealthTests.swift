import SottoSearching
import Testing
import struct Foundation.Date

@testable import SottoSearchCascade

private let start = Date(timeIntervalSince1970: 1_800_000_000)

@Suite struct ProviderHealthTests {
    @Test(
        "each failure of a kind rests longer, up to a limit",
        arguments: [
            (SearchOutcome.blocked("x"), [600.0, 1_200, 2_400, 4_800, 9_600, 19_200, 21_600, 21_600]),
            (.unreachable("x"), [15, 30, 60, 120, 240, 480, 600, 600]),
            (.rateLimited("x", retryAfter: nil), [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]),
            (.rateLimited("x", retryAfter: .seconds(500)), [500, 500, 500, 500, 960, 1_920, 3_600, 3_600]),
            (.unrecognized(UnrecognizedPage(reason: "x", status: 200, body: [])), [600, 1_200]), (.misconfigured("x"), [0, 0]),
        ])
    func backoff(outcome: SearchOutcome, lengths: [Double]) {
        var health = ProviderHealth()
        var now = start
        for length in lengths {
            health.record(outcome, of: "p", at: now)
            guard length > 0 else {
                #expect(health.rest(of: "p", at: now) == nil)
                continue
            }
            #expect(health.rest(of: "p", at: now)?.until == now.addingTimeInterval(length))
            #expect(health.rest(of: "p", at: now.addingTimeInterval(length - 0.001)) != nil)
            now = now.addingTimeInterval(length)
            #expect(health.rest(of: "p", at: now) == nil)
            #expect(health.rest(of: "q", at: start) == nil)
        }
    }

    @Test("an answer ends the series; an empty one too", arguments: [SearchOutcome.empty, .results([])])
    func recovers(answer: SearchOutcome) {
        var health = ProviderHealth()
        for _ in 0..<5 { health.record(.blocked("x"), of: "p", at: start) }
        health.record(answer, of: "p", at: start)
        #expect(health.rest(of: "p", at: start) == nil)
        health.record(.blocked("x"), of: "p", at: start)
        #expect(health.rest(of: "p", at: start)?.failures == 1)
    }

    @Test("a failure of long ago is no series")
    func forgets() {
        var health = ProviderHealth()
        health.record(.unreachable("x"), of: "p", at: start)
        health.record(.unreachable("x"), of: "p", at: start.addingTimeInterval(10_000))
        #expect(health.rest(of: "p", at: start.addingTimeInterval(10_000))?.failures == 1)
    }

    @Test("a clock that was set back keeps nobody resting")
    func clock() {
        var health = ProviderHealth()
        health.record(.blocked("x"), of: "p", at: start)
        #expect(health.rest(of: "p", at: start.addingTimeInterval(-100_000)) == nil)
        #expect(health.rest(of: "p", at: start.addingTimeInterval(-60)) != nil)
    }

    @Test("refusals outlive the program, a network that was down does not")
    func lasting() throws {
        var health = ProviderHealth()
        health.record(.blocked("x"), of: "p", at: start)
        health.record(.unreachable("x"), of: "q", at: start)
        let kept = health.lasting(at: start)
        #expect(kept.rest(of: "p", at: start) != nil && kept.rest(of: "q", at: start) == nil)
        #expect(kept.lasting(at: start.addingTimeInterval(100_000)) == ProviderHealth())
    }
}

@Suite struct PacingTests {
    private let pace = SearchPace(group: "g", interval: .seconds(3), concurrent: 2)

    @Test("starts are an interval apart, and never more run at once than allowed")
    func pacing() {
        var pacing = Pacing()
        #expect(pacing.take(pace, at: start) == .go)
        #expect(pacing.take(pace, at: start.addingTimeInterval(1)) == .wait(.seconds(2)))
        #expect(pacing.take(pace, at: start.addingTimeInterval(3)) == .go)
        #expect(pacing.take(pace, at: start.addingTimeInterval(60)) == .full)
        #expect(pacing.take(SearchPace(group: "other", interval: .seconds(3)), at: start) == .go)
        pacing.end(pace, wasHeard: true)
        #expect(pacing.take(pace, at: start.addingTimeInterval(60)) == .go)
    }

    @Test("who was not heard keeps nobody waiting; a clock that was set back neither")
    func unheard() {
        var pacing = Pacing()
        #expect(pacing.take(pace, at: start) == .go)
        pacing.end(pace, wasHeard: false)
        #expect(pacing.take(pace, at: start) == .go)
        pacing.end(pace, wasHeard: true)
        #expect(pacing.take(pace, at: start.addingTimeInterval(-1_000)) == .wait(.seconds(3)))
    }
}

@Suite struct CascadeRunTests {
    private func run(_ candidates: (ProviderID, SearchScope, Bool)...) -> CascadeRun {
        CascadeRun(candidates.map { .init(id: $0.0, scope: $0.1, rests: $0.2) })
    }

    @Test("the next takes over until one answers")
    func takesOver() {
        var chain = run(("a", .web, false), ("b", .web, true), ("c", .web, false), ("k", .local, false), ("d", .facts, false))
        #expect(chain.beside == ["k"])
        #expect(chain.next() == .ask("a"))
        chain.take(.blocked, from: .web)
        #expect(chain.next() == .skip("b"))
        #expect(chain.next() == .ask("c"))
        chain.take(.results, from: .web)
        #expect(chain.next() == .finish)
    }

    @Test(
        "the verdict is never kinder than what was said",
        arguments: [
            ([(SearchScope.web, SearchOutcome.Kind.empty)], 0, SearchReport.Verdict.nothingFound),
            ([(.web, .blocked), (.web, .empty)], 0, .nothingFound), ([(.web, .blocked), (.facts, .empty)], 0, .failed),
            ([(.web, .unrecognized)], 0, .failed), ([(.web, .unreachable), (.local, .empty)], 0, .failed), ([(.local, .empty)], 0, .nothingFound),
            ([(.facts, .empty)], 0, .nothingFound), ([(.facts, .blocked)], 0, .failed),
            ([(.web, .blocked), (.local, .results)], 3, .found), ([], 0, .failed),
        ])
    func verdict(said: [(SearchScope, SearchOutcome.Kind)], hits: Int, verdict: SearchReport.Verdict) {
        var chain = CascadeRun(said.map { .init(id: "x", scope: $0.0, rests: false) })
        for (scope, kind) in said { chain.take(kind, from: scope) }
        #expect(chain.verdict(hits: hits) == verdict)
    }

    @Test("every order of failures ends, and asks nobody twice")
    func ends() {
        for pattern in 0..<64 {
            var chain = CascadeRun((0..<3).map { .init(id: ProviderID("p\($0)"), scope: .web, rests: pattern >> $0 & 1 == 1) })
            var seen: [ProviderID] = []
            loop: while true {
                switch chain.next() {
                case .finish: break loop
                case .skip(let id): seen.append(id)
                case .ask(let id):
                    seen.append(id)
                    chain.take(pattern >> (seen.count + 2) & 1 == 1 ? .empty : .blocked, from: .web)
                }
            }
            #expect(Set(seen).count == seen.count)
        }
    }
}

@Suite struct SearchCacheTests {
    private func report(_ verdict: SearchReport.Verdict) -> SearchReport {
        SearchReport(query: SearchQuery("x"), verdict: verdict, hits: [], attempts: [])
    }

    @Test(
        "answers are remembered for some minutes, failures never",
        arguments: [(SearchReport.Verdict.found, 900.0), (.nothingFound, 300), (.failed, 0)])
    func times(verdict: SearchReport.Verdict, seconds: Double) {
        var cache = SearchCache(capacity: 3)
        let key = SearchCache.Key(query: SearchQuery("x"), providers: ["a"])
        cache.keep(report(verdict), as: key, at: start)
        #expect((cache.report(key, at: start) != nil) == (seconds > 0))
        #expect(cache.report(key, at: start)?.isFromCache ?? true)
        #expect((cache.report(key, at: start.addingTimeInterval(seconds - 1)) != nil) == (seconds > 0))
        #expect(cache.report(key, at: start.addingTimeInterval(seconds)) == nil)
        #expect(cache.report(SearchCache.Key(query: SearchQuery("x"), providers: ["b"]), at: start) == nil)
        #expect(cache.report(SearchCache.Key(query: SearchQuery("x", language: "de"), providers: ["a"]), at: start) == nil)
    }

    @Test("the oldest goes when it is full")
    func capacity() {
        var cache = SearchCache(capacity: 3)
        func key(_ number: Int) -> SearchCache.Key { .init(query: SearchQuery("q\(number)"), providers: []) }
        for number in 0..<10 { cache.keep(report(.found), as: key(number), at: start.addingTimeInterval(Double(number))) }
        #expect((0..<10).filter { cache.report(key($0), at: start.addingTimeInterval(10)) != nil } == [7, 8, 9])
    }
}
