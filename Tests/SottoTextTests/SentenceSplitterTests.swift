import SottoText
import Testing

/// Sentences cut by hand; `|` marks the cuts. Written for this test.
private let fixtures: [String] = [
    "Dr. Smith went to Washington. |He arrived at 3.14 p.m. on Friday.",
    "The U.S. Army moved. |It was the U.S. The army stayed.".replacing("U.S. The", with: "U.S. |The"),
    "Use e.g. Debian 12.5 or i.e. Bookworm. |See https://www.debian.org/doc/index.html. |Done.",
    "Pi is 3.14159. |Euler's number is 2.718.",
    "\"Stop!\" he cried. |\"Why?\" she asked.",
    "He said \"I am done. Leave me alone.\" |Then he left.",
    "It fell (see Fig. 2. It is large.) by half. |Nobody knew.",
    "The price rose. [1] |It fell later.[2][3] |Why?",
    "Version 1.2.3 is out! |Upgrade with apt-get. |Edit /etc/default/grub. |Then reboot.",
    "Mr. J. R. R. Tolkien wrote it. |So did I. |Then came Mrs. Brown.",
    "No. I won't. |See No. 5 instead.".replacing("No. I", with: "No. |I"),
    "1. Install it. |2. Run it.",
    "In Jan. 2020 it began. |It ended in Dec. The year was short.".replacing("Dec. The", with: "Dec. |The"),
    "Apple Inc. announced it. |Smith et al. (2019) disagree. |Acme Co. Ltd. sells it.",
    "Wait... what? |I see… |Fine.",
    "The file is config.yaml. |Open it at 9 a.m. tomorrow. |It closes at 5 p.m. |The end.",
    "Is it real?! |Yes.",
    "He lives on Main St. in St. Louis. |She has a Ph.D. in maths.",
    "A first paragraph without an end\n\n|A second one",
    "One line\nof a sentence. |Another",
    "これは文です。|次の文です！|終わり",
    "“Really?” |“Yes.” |She nodded.",
    "The temperature was -3.5 °C. |Humidity: 45%. |Wind: approx. 10 km/h.",
    "Gen. Lee met Col. Mustard vs. Prof. Plum on Oct. 3. |They talked.",
    "Vitamin C. The body needs it.".replacing("C. The", with: "C. |The"),
    "$5.00 is enough. |£3.50 isn't.",
    "Ask J.K. Rowling about vol. 3, pp. 20–25, ch. 4.",
    "Contact me@example.com. |Or call +1 555.123.4567. |Bye.",
    "The command (`ls -l /usr/share/doc.`) works. |Good.",
    "It runs on node.js. |Also on Yahoo! servers.".replacing("Yahoo! servers", with: "Yahoo! servers"),
]

@Suite struct SentenceSplitterTests {
    @Test("every fixture is cut exactly where a reader would", arguments: fixtures)
    func fixture(marked: String) {
        let expected = marked.split(separator: "|").map { trimmed($0) }
        #expect(SentenceSplitter.sentences(marked.filter { $0 != "|" }) == expected)
    }

    @Test("a stream gives the same sentences however it is cut", arguments: fixtures)
    func stream(marked: String) {
        let text = marked.filter { $0 != "|" }
        let whole = SentenceSplitter.sentences(text)
        for size in [1, 2, 3, 7, 16] {
            var splitter = SentenceSplitter()
            var streamed: [String] = []
            var rest = Substring(text)
            while rest.isEmpty == false {
                streamed += splitter.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            streamed += splitter.finish()
            #expect(streamed == whole, "pieces of \(size)")
        }
    }

    @Test("all fixtures in one text stream alike, cut at random")
    func longStream() {
        let text = fixtures.map { $0.filter { $0 != "|" } }.joined(separator: " ")
        let whole = SentenceSplitter.sentences(text)
        var seed: UInt64 = 7
        for _ in 0..<50 {
            var splitter = SentenceSplitter()
            var streamed: [String] = []
            var rest = Substring(text)
            while rest.isEmpty == false {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let size = Int(seed >> 59) + 1
                streamed += splitter.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            streamed += splitter.finish()
            #expect(streamed == whole)
        }
    }

    @Test("no letter is lost, and nothing but white space between sentences")
    func lossless() {
        let text = fixtures.joined(separator: " \n ")
        let letters = SentenceSplitter.sentences(text).joined().filter { $0.isWhitespace == false }
        #expect(letters == text.filter { $0.isWhitespace == false })
    }

    @Test("a quotation that never closes does not swallow the rest")
    func unclosed() {
        let text = "He said \"it is so. " + String(repeating: "Then more came to pass. ", count: 60)
        #expect(SentenceSplitter.sentences(text).count > 30)
    }

    @Test("empty and blank texts have no sentences")
    func empty() {
        #expect(SentenceSplitter.sentences("").isEmpty)
        #expect(SentenceSplitter.sentences(" \n\n \t").isEmpty)
        #expect(SentenceSplitter.sentences("...") == ["..."])
    }

    private func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
