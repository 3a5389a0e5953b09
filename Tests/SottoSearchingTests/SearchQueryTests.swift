import SottoSearching
import Testing

@Suite struct SearchQueryTests {
    @Test(
        "a query is one clean line",
        arguments: [
            ("  a \n b\t c ", "a b c"), ("a\u{200B}b\u{202E}c", "a b c"), ("a\u{0}b\u{1B}[31m", "a b [31m"), ("\u{E0041}x", "x"),
            ("Käse 東京 😀", "Käse 東京 😀"), ("", ""), (" \n", ""),
        ])
    func cleans(text: String, line: String) { #expect(SearchQuery(text).text == line) }

    @Test("a query has an end")
    func bounds() {
        #expect(SearchQuery(String(repeating: "word ", count: 200)).text.split(separator: " ").count == 50)
        #expect(SearchQuery(String(repeating: "sesquipedalian ", count: 200)).text.count <= 400)
        #expect(SearchQuery(String(repeating: "x", count: 5_000)).text.count == 400)
        #expect(SearchQuery("x", limit: -3).limit == 1)
        #expect(SearchQuery("x", limit: 9_000).limit == 50)
    }

    @Test(
        "region and language are codes or nothing",
        arguments: [
            ("de-AT", nil, "de-AT", "AT"), ("zh-Hant-TW", nil, "zh-Hant-TW", "TW"), ("en", "uk", "en", "GB"), ("en", "USA", "en", nil),
            ("x", "D1", nil, nil), ("en&x=1", nil, nil, nil), (nil, "ch", nil, "CH"),
        ] as [(String?, String?, String?, String?)])
    func codes(language: String?, region: String?, tag: String?, code: String?) {
        let query = SearchQuery("x", language: language, region: region)
        #expect(query.language == tag)
        #expect(query.region == code)
    }
}
