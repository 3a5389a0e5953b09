import SottoSearching
import Testing

@Suite struct HitMergingTests {
    private func hit(_ title: String, _ address: String, _ snippet: String = "", _ provider: ProviderID = "a", rank: Int = 1) -> SearchHit {
        SearchHit(title: title, address: address, snippet: snippet, provider: provider, rank: rank)
    }

    @Test("lists take turns")
    func turns() {
        let merged = HitMerging.merge(
            [
                [hit("a1", "https://a.example/1"), hit("a2", "https://a.example/2"), hit("a3", "https://a.example/3")],
                [hit("b1", "https://b.example/1")], [],
            ], limit: 10)
        #expect(merged.map(\.title) == ["a1", "b1", "a2", "a3"])
        #expect(HitMerging.merge([merged], limit: 2).count == 2)
        #expect(HitMerging.merge([], limit: 2).isEmpty)
    }

    @Test("a copy is noted with its first finder, and tracking keys are gone")
    func copies() {
        let merged = HitMerging.merge(
            [
                [hit("T", "https://www.a.example/p?utm_source=x&id=1", "", "a")],
                [hit("T2", "http://a.example/p?id=1", "", "b"), hit("U", "https://a.example/p?id=2", "", "b")],
            ], limit: 10)
        #expect(merged.map(\.address) == ["https://www.a.example/p?id=1", "https://a.example/p?id=2"])
        #expect(merged[0].alsoFoundBy == ["b"])
        #expect(merged[0].title == "T")
    }

    @Test("the same text under the same title is one; other figures make another")
    func texts() {
        let snippet = "The ferry leaves the harbor at 07:15, 12:40 and 18:05; in winter the last ferry leaves at 17:20."
        let merged = HitMerging.merge(
            [
                [
                    hit("Ferry", "https://a.example/", snippet), hit("Ferry", "https://copy.example/", snippet + " "),
                    hit("Boat", "https://b.example/", snippet),
                    hit("Ferry", "https://c.example/", snippet.replacing("17:20", with: "16:20")), hit("Ferry", "https://d.example/", ""),
                    hit("Ferry", "https://e.example/", ""),
                ]
            ], limit: 10)
        #expect(
            merged.map(\.address) == ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/", "https://e.example/"])
    }
}
