import SottoSearching
import Testing

@Suite struct SeenPagesTests {
    static let article = """
        The lighthouse at the harbor mouth was lit for the first time in the autumn of 1874, after eleven years of quarrels about who should pay for it. \
        Its lamp turns once every twelve seconds and is seen from nineteen miles away. The keeper winds the clockwork each evening and writes the weather \
        into a book that nobody has read since the war. Visitors climb the 142 steps on Sundays only, and the café below serves soup until four.
        """

    @Test("one page under two addresses is known, by the final one")
    func address() {
        var seen = SeenPages()
        #expect(seen.add(1, addresses: ["https://short.example/x", "https://a.example/p?utm_source=1"], text: Self.article) == nil)
        #expect(seen.add(2, addresses: ["https://other.example/", "http://www.a.example/p"], text: "another text").map { $0.page } == 1)
        #expect(seen.page(at: "https://short.example/x") == 1)
        #expect(seen.page(at: "https://a.example/p?id=2") == nil)
    }

    @Test("the page's own name for itself counts within its site, and not for its front page")
    func canonical() {
        var seen = SeenPages()
        #expect(seen.add(1, addresses: ["https://a.example/story"], text: "first text") == nil)
        let found = seen.add(
            2, addresses: ["https://m.a.example/story?view=small"], canonical: "https://a.example/story", text: "the first text, shorter")
        #expect(found?.page == 1 && found?.because == .canonical)
        #expect(seen.add(3, addresses: ["https://evil.example/"], canonical: "https://a.example/story", text: "quite another text") == nil)
        #expect(seen.add(4, addresses: ["https://b.example/"], text: "front") == nil)
        #expect(seen.add(5, addresses: ["https://b.example/deep"], canonical: "https://b.example/", text: "deep") == nil)
    }

    @Test("near copies elsewhere are one page; editions with other figures are not")
    func text() {
        var seen = SeenPages()
        #expect(seen.add(1, addresses: ["https://a.example/1"], text: Self.article) == nil)
        let copy = seen.add(2, addresses: ["https://copy.example/1"], text: "  " + Self.article.uppercased() + " Share.")
        #expect(copy?.page == 1 && copy?.because == .text)
        let edition = Self.article.replacing("1874", with: "1881").replacing("142", with: "97")
        #expect(seen.add(3, addresses: ["https://a.example/2"], text: edition) == nil)
        #expect(seen.add(4, addresses: ["https://c.example/"], text: "Access denied") == nil)
        #expect(seen.add(5, addresses: ["https://d.example/"], text: "Access denied") == nil)
    }

    @Test("the estimate is near the share that was made, in any script", arguments: [0, 10, 30, 60, 100])
    func resemblance(kept: Int) {
        for letters in ["abcdefghijklmnopqrstuvwxyz", "一二三四五六七八九十百千万円年月日時分秒東西南北春夏秋冬"] {
            let alphabet = Array(letters)
            var state: UInt64 = 7
            func random(_ count: Int) -> String {
                String(
                    (0..<count).map { _ in
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        return alphabet[Int(state >> 33) % alphabet.count]
                    })
            }
            let shared = random(kept * 100)
            let left = TextSketch(shared + random((100 - kept) * 100))
            let right = TextSketch(shared + random((100 - kept) * 100))
            // Of 100 + 100 parts, `kept` are in both.
            let truth = Double(kept) / Double(200 - kept)
            #expect(abs(left.resemblance(to: right) - truth) < 0.12)
        }
    }

    @Test func nothing() {
        #expect(TextSketch("").resemblance(to: TextSketch("")) == 0)
        #expect(TextSketch("…").length == 0)
        #expect(TextSketch("ab").resemblance(to: TextSketch("AB!")) == 1)
    }
}
