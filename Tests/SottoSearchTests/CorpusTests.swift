import Foundation
import SottoFetching
import SottoSearching
import Testing

@testable import SottoSearch

/// The corpus of result pages: truth was written by others.
@Suite(.enabled(if: Corpus.isThere, "set SOTTO_CORPORA"))
struct CorpusTests {
    private func read(_ page: Corpus.Page, query: String = "something else", status: Int = 200) throws -> SearchOutcome {
        let endpoint: DuckDuckGo.Endpoint = page.kind == "ddg-lite" ? .lite : .html
        return try DuckDuckGo.read(
            response(page.bytes, status: status), endpoint: endpoint, query: SearchQuery(query, limit: 50), provider: "duckduckgo")
    }

    private func compare(_ hits: [SearchHit], _ expected: [Corpus.Expected.Hit]) {
        #expect(hits.map(\.title) == expected.map { plain($0.title) })
        #expect(hits.map(\.address) == expected.map(\.url))
        #expect(hits.map(\.snippet) == expected.map { plain($0.snippet) })
        #expect(hits.map { $0.date.map { day($0) } } == expected.map { $0.date.map { String($0.prefix(10)) } })
        #expect(hits.map(\.rank) == Array(1...hits.count))
    }

    /// Hidden characters are left out of hits on purpose.
    private func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { [0x200B, 0x200E, 0x200F, 0xAD, 0xFEFF].contains($0.value) == false }))
    }

    private func day(_ date: Date) -> String { date.ISO8601Format().prefix(10).description }

    @Test("DuckDuckGo pages give every result with its title, address, snippet and date", arguments: Corpus.pages("ddg-html", "ddg-lite"))
    func duckDuckGo(page: Corpus.Page) throws {
        let expected = try #require(page.expected).organic
        if page.isReal { #expect(expected.count == page.results) }
        let outcome = try read(page)
        if expected.isEmpty {
            // Pages of other forms, and pages that say that there is nothing: never results, and empty only with the mark.
            let isMarked = String(decoding: page.bytes, as: UTF8.self).contains("no-result")
            #expect(outcome.kind == (isMarked ? .empty : .unrecognized), "\(outcome.kind)")
        } else {
            compare(outcome.hits, expected)
        }
    }

    @Test("challenge pages are blocked, whatever the status", arguments: Corpus.pages("ddg-anomaly"), [200, 202, 403])
    func challenges(page: Corpus.Page, status: Int) throws {
        #expect(try read(page, status: status).kind == .blocked)
        #expect(try read(Corpus.Page(kind: "ddg-lite", isReal: page.isReal, file: page.file), status: status).kind == .blocked)
    }

    @Test(
        "a query that names the marks of a challenge takes no results away", arguments: Corpus.pages("ddg-html", "ddg-lite").filter(\.isReal),
        [200, 202])
    func forged(page: Corpus.Page, status: Int) throws {
        let marks = "anomaly-modal challenge-form Please verify you are human /anomaly.js"
        let own = ["Hello", "eino", "golang programming language", "does caffeine affect sleep", "weather san francisco"]
        var text = String(decoding: page.bytes, as: UTF8.self)
        for word in own {
            text = text.replacingOccurrences(of: "value=\"\(word)\"", with: "value=\"\(marks)\"").replacingOccurrences(
                of: "<title>\(word) at", with: "<title>\(marks) at")
        }
        let endpoint: DuckDuckGo.Endpoint = page.kind == "ddg-lite" ? .lite : .html
        let outcome = try DuckDuckGo.read(
            response(text, status: status), endpoint: endpoint, query: SearchQuery(marks, limit: 50), provider: "duckduckgo")
        #expect(text.contains(marks))
        #expect(outcome.hits.count == page.results)
    }

    @Test("a real page with its results cut out is not called empty", arguments: Corpus.pages("ddg-html", "ddg-lite").filter(\.isReal))
    func withoutResults(page: Corpus.Page) throws {
        let text = String(decoding: page.bytes, as: UTF8.self).replacingOccurrences(of: "result__a", with: "entry__a").replacingOccurrences(
            of: "result-link", with: "entry-link")
        let endpoint: DuckDuckGo.Endpoint = page.kind == "ddg-lite" ? .lite : .html
        let outcome = try DuckDuckGo.read(response(text), endpoint: endpoint, query: SearchQuery("x"), provider: "duckduckgo")
        #expect(outcome.kind == .unrecognized)
    }

    @Test(
        "a page that is cut anywhere gives whole results or none, and is never called empty or blocked",
        arguments: Corpus.pages("ddg-html", "ddg-lite").filter(\.isReal))
    func cut(page: Corpus.Page) throws {
        let expected = try #require(page.expected).organic
        let bytes = page.bytes
        let endpoint: DuckDuckGo.Endpoint = page.kind == "ddg-lite" ? .lite : .html
        for step in 1..<40 {
            let outcome = try DuckDuckGo.read(
                response(Array(bytes[..<(bytes.count * step / 40)])), endpoint: endpoint, query: SearchQuery("x", limit: 50), provider: "duckduckgo")
            #expect(outcome.kind == .results || outcome.kind == .unrecognized)
            // All but the last are whole: no snippet has wandered.
            for (hit, truth) in zip(outcome.hits.dropLast(), expected) {
                #expect(hit.address == truth.url)
                #expect(hit.snippet == plain(truth.snippet))
            }
        }
    }

    @Test("Brave's JSON gives every web result", arguments: Corpus.pages("brave-api"))
    func brave(page: Corpus.Page) throws {
        let outcome = Brave.read(response(page.bytes, type: "application/json"), query: SearchQuery("x", limit: 50), provider: "brave")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(page.bytes)) as? [String: Any])
        let results = try #require((object["web"] as? [String: Any])?["results"] as? [[String: Any]])
        #expect(outcome.hits.count == page.results)
        #expect(outcome.hits.map(\.address) == results.compactMap { $0["url"] as? String })
        for (hit, result) in zip(outcome.hits, results) {
            #expect(words(hit.title) == words(unmarked(result["title"] as? String)))
            #expect(words(hit.snippet) == words(unmarked(result["description"] as? String)))
            #expect(hit.snippet.contains("<strong>") == false && hit.snippet.contains("&#") == false)
            if let age = result["page_age"] as? String { #expect(hit.date.map { day($0) } == String(age.prefix(10))) }
        }
    }

    private func unmarked(_ text: String?) -> String {
        var text = (text ?? "").replacingOccurrences(of: "<[^>]+>", with: "", options: .regularExpression)
        for (reference, sign) in [("&#x27;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#x2F;", "/"), ("&amp;", "&")] {
            text = text.replacingOccurrences(of: reference, with: sign)
        }
        return plain(text)
    }

    private func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

    @Test("SearXNG's JSON gives every result with a web address", arguments: Corpus.pages("searxng-json"))
    func searXNG(page: Corpus.Page) throws {
        let outcome = SearXNG.read(
            response(page.bytes, type: "application/json"), query: SearchQuery("x", limit: 50), provider: "searxng", base: "http://127.0.0.1")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(page.bytes)) as? [String: Any])
        let results = try #require(object["results"] as? [[String: Any]]).filter { ($0["url"] as? String)?.hasPrefix("http") == true }
        if results.isEmpty {
            #expect(outcome == .empty)
        } else {
            #expect(outcome.hits.map(\.address) == results.compactMap { $0["url"] as? String })
            #expect(outcome.hits.map(\.title) == results.compactMap { $0["title"] as? String })
            #expect(outcome.hits.map(\.snippet) == results.compactMap { $0["content"] as? String })
        }
    }

    @Test("instant answers give sources outside of DuckDuckGo only", arguments: Corpus.pages("ddg-instant-answer"))
    func instantAnswer(page: Corpus.Page) throws {
        let outcome = DuckDuckGoInstantAnswer.read(
            response(page.bytes, type: "application/json"), query: SearchQuery("x"), provider: "duckduckgo-instant")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(page.bytes)) as? [String: Any])
        let abstract = try #require(object["AbstractURL"] as? String)
        #expect(outcome.hits.first?.address == abstract)
        #expect(outcome.hits.first?.snippet == object["AbstractText"] as? String)
        #expect(outcome.hits.allSatisfy { $0.address.contains("duckduckgo.com") == false })
    }

    @Test(
        "no page is taken for another provider's",
        arguments: Corpus.pages("ddg-html", "ddg-lite", "ddg-anomaly", "other-json", "brave-api", "searxng-json").filter(\.isReal))
    func strangers(page: Corpus.Page) throws {
        let reply = response(page.bytes, type: page.file.hasSuffix("json") ? "application/json" : "text/html")
        let query = SearchQuery("x")
        if page.kind != "brave-api" { #expect(Brave.read(reply, query: query, provider: "brave").isAnswer == false) }
        if page.kind != "searxng-json" { #expect(SearXNG.read(reply, query: query, provider: "searxng", base: "http://127.0.0.1").isAnswer == false) }
        #expect(DuckDuckGoInstantAnswer.read(reply, query: query, provider: "i").isAnswer == false)
        #expect(try KiwixArchives.read(reply, query: query, provider: "kiwix", base: "http://127.0.0.1").isAnswer == false)
        if page.file.hasSuffix("json") { #expect(try DuckDuckGo.read(reply, endpoint: .html, query: query, provider: "d").kind == .unrecognized) }
    }
}
