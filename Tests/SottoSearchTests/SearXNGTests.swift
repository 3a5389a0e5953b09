import Foundation
import SottoFetching
import SottoSearching
import Testing

@testable import SottoSearch

@Suite struct SearXNGTests {
    private func read(_ body: String, status: Int = 200, type: String = "application/json") -> SearchOutcome {
        SearXNG.read(response(body, status: status, type: type), query: SearchQuery("x"), provider: "searxng", base: "http://127.0.0.1:8888")
    }

    @Test(
        "the allowance for a private address is that of the configured server alone",
        arguments: [
            ("http://127.0.0.1:8888", "http://127.0.0.1:8888/search", WebOrigin(scheme: "http", host: "127.0.0.1", port: 8888)),
            ("http://[::1]:8888/searx/", "http://[::1]:8888/searx/search", WebOrigin(scheme: "http", host: "::1", port: 8888)),
            ("HTTPS://Search.LAN./?q=1", "https://", WebOrigin(scheme: "https", host: "search.lan", port: 443)),
        ])
    func allowance(address: String, start: String, origin: WebOrigin) async throws {
        let fetcher = ScriptedFetcher { _ in response(#"{"query":"x","results":[]}"#, type: "application/json") }
        #expect(
            try await SearXNG(address: address, fetcher: fetcher).search(SearchQuery("x", language: "de", region: "CH"), origin: SearchOrigin())
                == .empty)
        let request = try #require(fetcher.requests.first)
        #expect(request.allowance == origin)
        #expect(request.url.lowercased().hasPrefix(start))
        #expect(request.url.hasSuffix("/search?q=x&format=json&language=de-CH"))
    }

    @Test(
        "an address that is none is named, and nothing is asked",
        arguments: ["", "127.0.0.1:8888", "ftp://x", "http://", "http://user:pw@host", "file:///etc"])
    func badAddress(address: String) async throws {
        let fetcher = ScriptedFetcher { _ in response("") }
        let outcome = try await SearXNG(address: address, fetcher: fetcher).search(SearchQuery("x"), origin: SearchOrigin())
        #expect(outcome.kind == .misconfigured)
        #expect(outcome.cause.contains("searxngAddress"))
        #expect(fetcher.requests.isEmpty)
    }

    @Test(
        "answers without results are told apart",
        arguments: [
            (403, "<html>", SearchOutcome.Kind.misconfigured), (404, "<html>", .misconfigured), (200, "<!doctype html><html>", .misconfigured),
            (429, "", .rateLimited), (502, "", .unreachable),
            (200, "{}", .unrecognized), (200, "[]", .unrecognized), (200, #"{"results":[{"title":"x"}]}"#, .unrecognized),
            (200, #"{"results":[]}"#, .empty),
            (200, #"{"results":[],"unresponsive_engines":[["google","timeout"]]}"#, .unreachable),
            (200, #"{"results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","access denied"]]}"#, .blocked),
            (200, #"{"results":[],"unresponsive_engines":[["google","too many requests"]]}"#, .rateLimited),
            (200, #"{"results":[{"title":"x","url":"https://x.example/"}],"unresponsive_engines":[["google","timeout"]]}"#, .results),
        ])
    func status(code: Int, body: String, kind: SearchOutcome.Kind) {
        #expect(read(body, status: code, type: body.hasPrefix("<") ? "text/html" : "application/json").kind == kind)
    }

    @Test("plain text stays plain text")
    func plain() throws {
        let hit = try #require(
            read(#"{"results":[{"title":"std::vector<int> & co","url":"https://x.example/","content":"a <b> c\n d","publishedDate":"2024-02-30"}]}"#)
                .hits.first)
        #expect(hit.title == "std::vector<int> & co")
        #expect(hit.snippet == "a <b> c d")
        #expect(hit.date == nil)
    }

    @Test(
        "dates of both kinds are read as UTC",
        arguments: [
            ("2026-03-01T00:00:00Z", 1_772_323_200), ("2023-01-02", 1_672_617_600), ("2023-01-02T15:04:05+02:00", 1_672_664_645),
            ("2025-07-16T09:43:00.0000000", 1_752_658_980),
        ])
    func iso(text: String, seconds: Double) { #expect(SearchDate.iso(text)?.timeIntervalSince1970 == seconds) }

    @Test(
        "dates of mail are read with their zone",
        arguments: [("Mon, 02 Jan 2023 15:04:05 GMT", 1_672_671_845), ("Mon, 02 Jan 2023 15:04:05 +0200", 1_672_664_645)])
    func mail(text: String, seconds: Double) { #expect(SearchDate.mail(text)?.timeIntervalSince1970 == seconds) }

    @Test(
        "what is no date is none",
        arguments: ["", "yesterday", "2023-13-01", "2023-02-30", "99999-01-01", "2023-01-01T25:00:00", "--", "2023-01-01T1"])
    func noDate(text: String) {
        #expect(SearchDate.iso(text) == nil)
        #expect(SearchDate.mail(text) == nil)
    }
}
