import SottoFetching
import SottoSearching
import Testing

@testable import SottoSearch

@Suite struct InstantAnswerTests {
    @Test(
        "answers without sources are told apart",
        arguments: [
            (200, #"{"Heading":"","AbstractText":"","RelatedTopics":[],"Results":[],"Type":""}"#, SearchOutcome.Kind.empty),
            (200, "{}", .unrecognized), (200, "", .unrecognized), (202, "", .rateLimited),
            (429, "", .rateLimited), (403, "", .blocked), (500, "{}", .unreachable), (200, "<html>", .unrecognized),
            (200, #"{"Heading":"X","AbstractText":"","RelatedTopics":[{"FirstURL":"https://duckduckgo.com/X","Text":"X - y"}]}"#, .empty),
        ])
    func status(code: Int, body: String, kind: SearchOutcome.Kind) {
        #expect(
            DuckDuckGoInstantAnswer.read(response(body, status: code, type: "application/x-javascript"), query: SearchQuery("x"), provider: "i").kind
                == kind)
    }

    @Test("an official site and a definition are hits")
    func sources() {
        let body = #"""
            {"Heading":"Swift","AbstractText":"A language.","AbstractURL":"https://en.wikipedia.org/wiki/Swift","Definition":"quick","DefinitionURL":"https://dictionary.example/swift",
             "Results":[{"FirstURL":"https://swift.org","Text":"Official site - the home of Swift"}],"RelatedTopics":[]}
            """#
        let hits = DuckDuckGoInstantAnswer.read(response(body), query: SearchQuery("swift"), provider: "i").hits
        #expect(hits.map(\.address) == ["https://en.wikipedia.org/wiki/Swift", "https://dictionary.example/swift", "https://swift.org"])
        #expect(hits.map(\.title) == ["Swift", "Swift", "Official site"])
    }
}
