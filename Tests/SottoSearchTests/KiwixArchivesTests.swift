import Foundation
import SottoFetching
import SottoSearching
import Testing

@testable import SottoSearch

@Suite struct KiwixArchivesTests {
    static func fixture(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/" + name)))
    }

    private func read(_ name: String, status: Int = 200, base: String = "http://127.0.0.1:8080") throws -> SearchOutcome {
        try KiwixArchives.read(response(Self.fixture(name), status: status), query: SearchQuery("harbor"), provider: "kiwix", base: base)
    }

    @Test("every article is found with its own snippet")
    func results() throws {
        let hits = try read("kiwix-harbor.html").hits
        #expect(hits.map(\.title) == ["Harbor handbook", "Ferry timetable", "Tides at the café pier", "The lighthouse & its lamp"])
        #expect(
            hits.map(\.address) == [
                "http://127.0.0.1:8080/harbor/index.html", "http://127.0.0.1:8080/harbor/ferry.html",
                "http://127.0.0.1:8080/harbor/tides%20caf%C3%A9.html",
                "http://127.0.0.1:8080/harbor/lighthouse.html",
            ])
        #expect(hits[1].snippet.contains("07:15, 12:40 and 18:05"))
        #expect(hits[3].snippet.contains("lit in 1874"))
        #expect(hits.allSatisfy { $0.snippet.contains("<") == false })
    }

    @Test("an empty list is the mark for nothing found, whatever the query holds", arguments: ["kiwix-none.html", "kiwix-markup-query.html"])
    func none(name: String) throws { #expect(try read(name) == .empty) }

    @Test("other answers are not called empty")
    func others() throws {
        #expect(try read("kiwix-404.html", status: 404).kind == .misconfigured)
        let refused = try read("kiwix-invalid.html", status: 400)
        #expect(refused.kind == .misconfigured && refused.cause.contains("No query provided."))
        #expect(try read("kiwix-none.html", status: 500).kind == .unreachable)
        #expect(
            try KiwixArchives.read(response("<html>Welcome</html>"), query: SearchQuery("x"), provider: "kiwix", base: "http://a.example").kind
                == .unrecognized)
    }

    @Test("a server that wants one language is asked again with that of the task")
    func language() async throws {
        let invalid = try Self.fixture("kiwix-invalid.html")
        let found = try Self.fixture("kiwix-harbor.html")
        let fetcher = ScriptedFetcher { $0.url.contains("books.filter.lang=deu") ? response(found) : response(invalid, status: 400) }
        let server = KiwixArchives(address: "http://127.0.0.1:8080/", fetcher: fetcher)
        #expect(try await server.search(SearchQuery("harbor", language: "de"), origin: SearchOrigin()).hits.count == 4)
        #expect(fetcher.requests.count == 2)
        #expect(fetcher.requests.allSatisfy { $0.allowance == WebOrigin(scheme: "http", host: "127.0.0.1", port: 8080) })
        #expect(try await server.search(SearchQuery("harbor"), origin: SearchOrigin()).kind == .misconfigured)
        #expect(fetcher.requests.count == 3)
    }

    @Test(
        "only the server's own pages may be read at a private address",
        arguments: [
            ("http://127.0.0.1:8080/wiki/harbor/ferry.html", true), ("http://127.0.0.1:8080/other", false), ("http://127.0.0.1:8081/wiki/x", false),
            ("https://127.0.0.1:8080/wiki/x", false),
            ("http://localhost:8080/wiki/x", false), ("http://127.0.0.1:8080@evil.example/wiki/x", false),
        ])
    func allowance(address: String, isAllowed: Bool) {
        let server = KiwixArchives(address: "http://127.0.0.1:8080/wiki", fetcher: ScriptedFetcher { _ in response("") })
        #expect((server.readingAllowance(for: address) != nil) == isAllowed)
    }

    @Test("a hit that leads to another server gets no allowance")
    func foreign() throws {
        let page = "<div class='results'><ul><li><a href='http://10.0.0.1/admin'>x</a></li></ul></div>"
        let hits = try KiwixArchives.read(response(page), query: SearchQuery("x"), provider: "kiwix", base: "http://127.0.0.1:8080").hits
        let server = KiwixArchives(address: "http://127.0.0.1:8080", fetcher: ScriptedFetcher { _ in response("") })
        #expect(hits.allSatisfy { server.readingAllowance(for: $0.address) == nil })
    }
}
