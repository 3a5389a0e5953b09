import Foundation
import SottoFetching
import SottoTestSupport
import Synchronization
import Testing

@testable import SottoWebFetch

@Suite struct PolicyTests {
    private func redirects(_ url: String, _ change: (inout FetchRequest) -> Void = { _ in }) throws -> RedirectPolicy {
        var request = FetchRequest(url, purpose: .search)
        change(&request)
        return RedirectPolicy(request, at: try WebAddress(url), limit: 5)
    }

    private func code(_ body: () throws -> Void) -> FetchError.Code? {
        do { try body() } catch { return (error as? FetchError)?.code }
        return nil
    }

    @Test(
        "methods change as RFC 9110 §15.4 says, and nothing sent goes to another origin",
        arguments: [
            (301, FetchRequest.Method.get), (302, .get), (303, .get), (307, .post), (308, .post),
        ])
    func methods(status: Int, method: FetchRequest.Method) throws {
        let post: (inout FetchRequest) -> Void = {
            $0.method = .post
            $0.body = [1]
            $0.headers = [.init("X-Key", "secret"), .init("Content-Type", "a/b")]
        }
        var same = try redirects("http://a.example/x", post)
        #expect(try same.follow(status: status, location: "/y"))
        #expect(same.current.method == method)
        #expect(same.current.body == (method == .post ? [1] : []))
        #expect(same.current.headers.map(\.name) == (method == .post ? ["X-Key", "Content-Type"] : ["X-Key"]))
        var other = try redirects("http://a.example/x", post)
        if method == .post {
            #expect(code { _ = try other.follow(status: status, location: "http://b.example/") } == .redirectRefused)
        } else {
            #expect(try other.follow(status: status, location: "http://b.example/"))
            #expect(other.current.headers.isEmpty)
        }
    }

    @Test("the allowance holds at the provider's own origin and never comes back")
    func allowance() throws {
        let own = WebOrigin(scheme: "http", host: "127.0.0.1", port: 8888)
        var inside = try redirects("http://127.0.0.1:8888/search") { $0.allowance = own }
        #expect(inside.current.isAllowed)
        #expect(try inside.follow(status: 302, location: "/result"))
        #expect(inside.current.isAllowed)
        #expect(try inside.follow(status: 302, location: "http://127.0.0.1:8889/"))
        #expect(inside.current.isAllowed == false)
        #expect(try inside.follow(status: 302, location: "http://127.0.0.1:8888/"))
        #expect(inside.current.isAllowed == false, "back at the provider, but not by its own request")
        #expect(try redirects("http://127.0.0.1:8889/") { $0.allowance = own }.current.isAllowed == false)
        #expect(try redirects("https://127.0.0.1:8888/") { $0.allowance = own }.current.isAllowed == false)
    }

    @Test("loops, long chains, steps down to http and odd statuses end as they should")
    func ends() throws {
        var loop = try redirects("http://a.example/1")
        #expect(try loop.follow(status: 302, location: "/2"))
        #expect(code { _ = try loop.follow(status: 302, location: "http://a.example/1") } == .redirectLoop)
        var long = try redirects("http://a.example/0")
        for number in 1...5 { #expect(try long.follow(status: 302, location: "/\(number)")) }
        #expect(code { _ = try long.follow(status: 302, location: "/6") } == .tooManyRedirects)
        var down = try redirects("https://a.example/")
        #expect(code { _ = try down.follow(status: 301, location: "http://a.example/") } == .redirectRefused)
        var scheme = try redirects("https://a.example/")
        #expect(code { _ = try scheme.follow(status: 301, location: "ftp://a.example/") } == .unsupportedScheme)
        #expect(code { _ = try scheme.follow(status: 301, location: "https://u:p@a.example/") } == .credentialsInAddress)
        #expect(try scheme.follow(status: 304, location: "/x") == false)
        #expect(try scheme.follow(status: 200, location: "/x") == false)
        #expect(try scheme.follow(status: 301, location: nil) == false)
    }

    @Test("hosts are asked one request at a time, with a rest between two, and few at once in all")
    func pacing() {
        var limits = Pacing.Limits()
        limits.total = 2
        var pacing = Pacing(limits)
        #expect(pacing.begin("a", at: .zero) == .go)
        #expect(pacing.begin("a", at: .zero) == .wait(until: nil))
        #expect(pacing.begin("b", at: .zero) == .go)
        #expect(pacing.begin("c", at: .zero) == .wait(until: nil))
        pacing.end("a", at: .seconds(2))
        #expect(pacing.begin("a", at: .seconds(2.5)) == .wait(until: .seconds(3)))
        #expect(pacing.begin("a", at: .seconds(3)) == .go)
        pacing.end("b", at: .seconds(3), rest: .seconds(10))
        #expect(pacing.begin("b", at: .seconds(4)) == .wait(until: .seconds(13)))
        pacing.end("a", at: .seconds(5), rest: nil)
        #expect(pacing.begin("a", at: .seconds(5)) == .go, "a request that belongs to the last one need not wait")
        pacing.end("a", at: .seconds(5), rest: .seconds(9_999))
        #expect(pacing.begin("a", at: .seconds(6)) == .wait(until: .seconds(35)))
    }

    @Test("the gate wakes who waits for a place or for time, in order, and lets go of who is cancelled")
    func gate() async throws {
        let clock = ManualClock()
        let gate = HostGate(Pacing.Limits(), clock: clock)
        let first = try await gate.enter("a")
        let second = Task { try await gate.enter("a") }
        let cancelled = Task { try await gate.enter("a") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        await gate.leave("a", first, rest: .zero)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(999))
        clock.advance(by: .milliseconds(1))
        let worker = try await second.value
        await gate.leave("a", worker, rest: .zero)
    }

    @Test(
        "answers are kept as RFC 9111 lets a private cache keep them",
        arguments: [
            (200, "max-age=60", true, 60.0), (200, "", true, Freshness.unstated), (200, "no-store", false, Freshness.unstated),
            (200, "private, max-age=\"5\"", true, 5),
            (200, "no-cache", true, 0), (404, "max-age=60", false, 60), (200, "max-age=99999999", true, Freshness.longest),
            (200, "max-age=-4", true, 0),
        ])
    func freshness(status: Int, control: String, mayStore: Bool, lifetime: Double) {
        let freshness = Freshness(status: status, headers: control.isEmpty ? [:] : ["cache-control": control])
        #expect(freshness.mayStore == mayStore && freshness.lifetime == lifetime)
    }

    @Test(
        "a body's kind is told by its bytes first",
        arguments: [
            ("%PDF-1.7 …", "text/html", ContentKind.pdf), ("\u{FEFF}<!DOCTYPE HTML>", "", .html), ("  <html>", "application/octet-stream", .html),
            ("<p>x", "text/plain", .text),
            ("{\"a\":1}", "application/json; charset=utf-8", .json), ("[1]", "", .json), ("<?xml version='1.0'?><rss/>", "text/xml", .xml),
            ("<?xml version='1.0'?><html xmlns='x'/>", "application/xhtml+xml", .html), ("plain words", "", .text), ("GIF89a", "text/html", .other),
            ("PK\u{3}\u{4}", "text/html", .other), ("a\u{0}b", "text/html", .other), ("plain", "text/html", .html), ("", "", .text),
        ])
    func kinds(text: String, type: String, kind: ContentKind) {
        #expect(ContentKind(sniffing: Array(text.utf8), type: type) == kind)
    }

    @Test("languages are sent the best first, and what is no tag is left out")
    func languages() {
        #expect(WebFetcher.acceptLanguage(["de-DE", "de", "en"]) == "de-DE, de;q=0.9, en;q=0.8")
        #expect(WebFetcher.acceptLanguage(["de\r\nX: y", "en"]) == "en")
        #expect(WebFetcher.acceptLanguage([]) == "")
        #expect(WebFetcher.charset("text/html; x=y; Charset=\"Shift_JIS\"") == "Shift_JIS")
    }
}
