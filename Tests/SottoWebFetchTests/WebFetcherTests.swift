import Foundation
import SottoFetching
import SottoStreams
import SottoTestSupport
import Synchronization
import Testing

@testable import SottoWebFetch

@Suite struct WebFetcherTests {
    @Test("a page comes with its headers and kind, and asks as we say it does")
    func page() async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        var request = FetchRequest("http://Site.test:\(web.port)/page#part", purpose: .page)
        request.languages = ["de-DE", "en"]
        request.job = 7
        request.origin = "a test"
        let response = try await world.fetcher.fetch(request)
        #expect(
            response.status == 200 && response.kind == .html && response.charset == "utf-8" && response.isTruncated == false
                && response.isFromCache == false)
        #expect(String(decoding: response.body, as: UTF8.self) == Faults.body)
        #expect(response.finalURL == "http://site.test:\(web.port)/page" && response.hops == [response.finalURL])
        let asked = try #require(web.requests.last)
        #expect(asked.headers["accept-language"] == "de-DE, en;q=0.9")
        #expect(asked.headers["user-agent"]?.contains("Sotto") == true)
        #expect(asked.headers["host"] == "site.test:\(web.port)")
        #expect(asked.headers["accept-encoding"] == "deflate, gzip, br, zstd")
        #expect(asked.headers["cookie"] == nil && asked.headers["referer"] == nil && asked.headers["authorization"] == nil)
        #expect(world.ledger.rows.map(\.url) == ["http://site.test:\(web.port)/robots.txt", response.finalURL])
        let row = try #require(world.ledger.rows.last)
        #expect(row.job == 7 && row.origin == "a test" && row.purpose == .page && row.host == "site.test" && row.port == web.port)
        #expect(row.ending == NetworkLedgerEnding(.answered, address: "127.0.0.1", status: 200, receivedBytes: Int64(Faults.body.utf8.count)))
        #expect(world.sockets == ["127.0.0.1:\(web.port)", "127.0.0.1:\(web.port)"])
    }

    @Test(
        "each fault has its own outcome, in time, and its row in the ledger",
        arguments: [
            ("/loop", FetchError.Code.redirectLoop), ("/self", .redirectLoop), ("/chain/6", .tooManyRedirects), ("/drip", .deadlineExceeded),
            ("/drip-headers", .deadlineExceeded), ("/silent", .stalled), ("/stall", .stalled), ("/endless-headers", .malformedResponse),
            ("/image", .unsupportedKind),
            ("/short", .connectionBroken), ("/nothing", .connectionBroken), ("/garbage", .malformedResponse), ("/wrong-encoding", .badEncoding),
            ("/unknown-encoding", .badEncoding), ("/endless-pdf", .tooLarge), ("/huge-pdf", .tooLarge), ("/to?ftp://site.test/", .unsupportedScheme),
            ("/to?http://u:p@site.test/", .credentialsInAddress),
            ("/to?http://nowhere.invalid/", .nameNotFound), ("/packed/bomb.gz", .decompressionBomb), ("/packed/bomb.br", .decompressionBomb),
            ("/packed/bomb.zst", .decompressionBomb), ("/packed/bomb.deflate", .decompressionBomb), ("/packed/bomb.gz.gz", .decompressionBomb),
            ("/packed/bomb.gz?chunked", .decompressionBomb), ("/packed/bomb.br?chunked", .decompressionBomb),
        ])
    func faults(path: String, code: FetchError.Code) async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port]) {
            // Short where a bound is what is tested, and long elsewhere: the machine may be busy.
            if ["/silent", "/stall"].contains(path) { ($0.limits.connect, $0.limits.idle) = (.milliseconds(300), .milliseconds(100)) }
            $0.limits.total = path.contains("drip") ? .milliseconds(400) : .seconds(20)
        }
        let start = ContinuousClock.now
        let error = try await world.failure("http://site.test:\(web.port)\(path)")
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.message.isEmpty == false)
        #expect(ContinuousClock.now - start < .seconds(60))
        let last = try #require(world.ledger.rows.last)
        #expect(last.ending.reason == code && [.failed, .refused].contains(last.ending.outcome))
        #expect(world.ledger.rows.contains { $0.ending.outcome == .started } == false)
    }

    @Test(
        "answers that are no success are handed over, and named when a page is required",
        arguments: [
            ("/missing", 404, FetchError.Code.notFound), ("/secret", 403, .forbiddenByServer), ("/busy", 429, .rateLimited),
            ("/broken", 500, .serverFailed),
        ])
    func statuses(path: String, status: Int, code: FetchError.Code) async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        let response = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)\(path)", purpose: .search))
        #expect(response.status == status && response.body.isEmpty == false)
        do {
            try response.requireSuccess()
            Issue.record("\(status) was taken for a success")
        } catch { #expect(error.code == code) }
        #expect(world.ledger.rows.last?.ending.outcome == .answered && world.ledger.rows.last?.ending.status == status)
        if status == 429 { #expect(response.retryAfter == 7) }
    }

    @Test("what is posted arrives, with its headers; a line end within one begins no other")
    func posted() async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        var request = FetchRequest("http://site.test:\(web.port)/page", purpose: .search)
        request.method = .post
        request.body = Array("q=a%20b".utf8) + [0, 255]
        request.headers = [.init("Content-Type", "application/x-www-form-urlencoded"), .init("X-Key", "key\r\nX-Other: no\n")]
        #expect(try await world.fetcher.fetch(request).status == 200)
        let asked = try #require(web.requests.last)
        #expect(asked.method == "POST" && asked.body == request.body && asked.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(asked.headers["x-key"] == "keyX-Other: no" && asked.headers["x-other"] == nil)
        #expect(world.ledger.rows.last?.sentBytes == 9 && world.ledger.rows.last?.method == .post)
    }

    @Test("what has no end is cut at the bound and says so", arguments: ["/endless", "/endless-chunks"])
    func cut(path: String) async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        let response = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)\(path)", purpose: .page))
        #expect(response.isTruncated && response.body.count == 1_200_000 && response.status == 200)
        let received = try #require(world.ledger.rows.last).ending.receivedBytes
        #expect((1_100_000...1_300_000).contains(received), "\(received)")
    }

    @Test("a PDF file is known by its content and may be longer than a page")
    func portable() async throws {
        let web = try TestWeb(Faults.serve)
        let response = try await TestWorld(ports: [web.port]).fetcher.fetch(FetchRequest("http://site.test:\(web.port)/big-pdf", purpose: .page))
        #expect(response.kind == .pdf && response.isTruncated == false && response.body.count == 3_000_009)
    }

    @Test("every encoding that is asked for is decoded, once", arguments: ["gz", "deflate", "br", "zst"], ["", "?chunked"])
    func encodings(kind: String, form: String) async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        let response = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/packed/page.\(kind)\(form)", purpose: .page))
        #expect(response.body == (try Fixture.bytes("page.html")))
        #expect(try #require(world.ledger.rows.last).ending.receivedBytes == Int64(try Fixture.bytes("page.\(kind)").count) + (form.isEmpty ? 0 : 0))
    }

    @Test("the sender's charset is handed on as it is, and the bytes untouched")
    func charset() async throws {
        let web = try TestWeb(Faults.serve)
        let response = try await TestWorld(ports: [web.port]).fetcher.fetch(FetchRequest("http://site.test:\(web.port)/charset", purpose: .page))
        #expect(response.charset == "Shift_JIS" && response.body.suffix(4) == [0x93, 0xFA, 0x96, 0x7B])
    }

    @Test("redirects are followed, each with its row")
    func redirects() async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        let response = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/chain/5", purpose: .page))
        #expect(response.status == 200 && response.hops.count == 6 && response.finalURL.hasSuffix("/chain/0"))
        #expect(world.ledger.rows.map(\.ending.status) == [404, 301, 301, 301, 301, 301, 200])
    }

    @Test(
        "robots.txt holds for pages alone; a broken one closes the host, a missing or misleading one does not",
        arguments: [
            ("closed", "/page", FetchError.Code?.some(.disallowedByRobots)), ("named", "/page", nil), ("named", "/missing", .disallowedByRobots),
            ("failing", "/page", .robotsUnreachable), ("moved", "/page", nil), ("moved", "/missing", .disallowedByRobots),
            ("lost", "/page", .robotsUnreachable),
            ("open", "/missing", nil),
        ])
    func robots(host: String, path: String, code: FetchError.Code?) async throws {
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port])
        let error = try await world.failure("http://\(host).test:\(web.port)\(path)")
        #expect(error?.code == code)
        #expect(web.requests.contains { $0.target == path } == (code == nil))
        let count = web.requests.filter { $0.target == "/robots.txt" }.count
        #expect(try await world.failure("http://\(host).test:\(web.port)\(path)")?.code == code)
        #expect(web.requests.filter { $0.target == "/robots.txt" }.count == count, "it is remembered")
        #expect(try await world.failure("http://\(host).test:\(web.port)\(path)", .search) == nil, "a provider's interface is no page")
    }

    @Test("cancelling closes the connection at once and is in the ledger")
    func cancelled() async throws {
        let arrived = Channel<Void>()
        let closed = Channel<Void>()
        let web = try TestWeb { request, connection in
            guard request.target == "/hang" else { return connection.answer(404) }
            Task { try await arrived.send(()) }
            connection.waitForClose()
            Task { try await closed.send(()) }
        }
        let world = TestWorld(ports: [web.port])
        let task = Task { try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/hang", purpose: .page)) }
        _ = try await arrived.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        _ = try await closed.next()
        #expect(world.ledger.rows.last?.ending.outcome == .cancelled)
    }

    @Test("nobody listens, and names that do not exist")
    func unreachable() async throws {
        let (socket, port) = try Listening.open("127.0.0.1", 0)
        close(socket)
        let world = TestWorld(ports: [port])
        #expect(try await world.failure("http://site.test:\(port)/")?.code == .connectFailed)
        #expect(try await world.failure("http://site.invalid/")?.code == .nameNotFound)
        #expect(world.ledger.rows.map(\.ending.reason) == [.connectFailed, .connectFailed, .nameNotFound, .nameNotFound])
        #expect(world.ledger.rows.map(\.purpose) == [.robots, .page, .robots, .page])
    }

    @Test("version 6 is dialed too, and the next address when the first does not answer")
    func version6() async throws {
        let web = try TestWeb(at: "::1") { _, connection in connection.answer(html: "six") }
        let world = TestWorld(ports: [web.port], names: ["six.test": [["::1"]]])
        let response = try await world.fetcher.fetch(FetchRequest("http://six.test:\(web.port)/", purpose: .search))
        #expect(response.status == 200 && world.ledger.rows.last?.ending.address == "::1")
        let other = try TestWeb { _, connection in connection.answer(html: "four") }
        let both = TestWorld(ports: [other.port], names: ["both.test": [["::1", "127.0.0.1"]]])
        #expect(try await both.fetcher.fetch(FetchRequest("http://both.test:\(other.port)/", purpose: .search)).status == 200)
        #expect(both.ledger.rows.last?.ending.address == "127.0.0.1" && both.resolver.lookups.count == 1)
    }

    @Test("pages of one host are asked one second apart, those of another at once")
    func paced() async throws {
        let web = try TestWeb(Faults.serve)
        let clock = ManualClock()
        let world = TestWorld(ports: [web.port], clock: clock) { $0.gap = .seconds(1) }
        _ = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/chain/1", purpose: .page))
        let second = Task { try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/page", purpose: .page)) }
        await clock.sleepers(atLeast: 1)
        _ = try await world.fetcher.fetch(FetchRequest("http://other.test:\(web.port)/page", purpose: .page))
        #expect(web.requests.map(\.target) == ["/robots.txt", "/chain/1", "/chain/0", "/robots.txt", "/page"])
        clock.advance(by: .seconds(1))
        #expect(try await second.value.status == 200)
        #expect(web.requests.count == 6)
    }

    @Test("many pages of a host at once: its robots.txt is asked for once, and no two requests run at the same time")
    func together() async throws {
        let running = Mutex((now: 0, most: 0))
        let web = try TestWeb { request, connection in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            // Time for another one to come, were it let through.
            connection.waitForClose(milliseconds: 20)
            running.withLock { $0.now -= 1 }
            if request.target == "/robots.txt" { connection.answer(404) } else { connection.answer(html: "page") }
        }
        let world = TestWorld(ports: [web.port])
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<12 {
                group.addTask { try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/\(number)", purpose: .page)).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(web.requests.filter { $0.target == "/robots.txt" }.count == 1)
        #expect(web.requests.count == 13)
        #expect(running.withLock { $0.most } == 1)
    }

    @Test("the system's resolver gives the addresses of a name, and lets go when it is cancelled")
    func systemResolver() async throws {
        let found = try await SystemResolver().addresses(of: "localhost", within: .seconds(10))
        #expect(found.isEmpty == false && found.allSatisfy { AddressScope($0) == .loopback })
        // Cancelled before it asks: the answer would be there at once.
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await SystemResolver().addresses(of: "localhost", within: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("encryption that proves nothing is not accepted")
    func untrusted() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Fixture.folder + "/tls_server.py"]
        let output = Pipe(), input = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        defer { try? input.fileHandleForWriting.close() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        let world = TestWorld(ports: [port])
        #expect(try await world.failure("https://site.test:\(port)/", .search)?.code == .tlsFailed)
        #expect(world.ledger.rows.last?.ending.receivedBytes == 0)
        // The same server, once somebody vouches for it, under its own name and under another's.
        let trusting = TestWorld(ports: [port], authorities: Fixture.folder + "/site.test.pem") { _ in }
        let response = try await trusting.fetcher.fetch(FetchRequest("https://site.test:\(port)/", purpose: .search))
        #expect(response.body == Array("secret".utf8))
        #expect(try await trusting.failure("https://other.test:\(port)/", .search)?.code == .tlsFailed)
    }

    @Test("the proxy of the settings is used, and pinning is then said to be off")
    func proxies() async throws {
        let web = try TestWeb { request, connection in connection.answer(html: "via \(request.target)") }
        let proxied = TestWorld(ports: [web.port]) { $0.proxy = "http://127.0.0.1:\(web.port)" }
        let through = try await proxied.fetcher.fetch(FetchRequest("http://far.example/y", purpose: .search))
        #expect(String(decoding: through.body, as: UTF8.self) == "via http://far.example/y")
        #expect(proxied.ledger.rows.last?.ending.isPinned == false)
        #expect(proxied.resolver.lookups.isEmpty, "names are looked up behind the proxy")
        #expect(try await proxied.failure("http://127.0.0.1/", .search)?.code == .forbiddenAddress)
    }

    @Test("an empty proxy is none: names that lead to forbidden addresses are refused before anything is opened, and pinning stays on")
    func emptyProxy() async throws {
        let web = try TestWeb { _, connection in connection.answer(html: "page") }
        let world = TestWorld(ports: [web.port], names: ["inside.example": [["10.0.0.1"]]]) { $0.proxy = "" }
        #expect(try await world.failure("http://inside.example/", .search)?.code == .forbiddenAddress)
        #expect(world.sockets.isEmpty)
        #expect(try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/", purpose: .search)).status == 200)
        #expect(world.ledger.rows.last?.ending.isPinned == true)
    }
}
