import SottoText
import Testing

/// Texts of every kind that a model writes. Written for this test.
private let texts = [
    "## Result\n\nPrices rose **4.2%** [1]; see `/etc/default/grub`. Then they fell, e.g. by $3.50 in Jan. 2020.\n\n- one *item*\n- two 3.14 items\n\n1. Install it\n2. Run `ls -l`.",
    "Title\n=====\nA line that goes on\nover the end of it. Dr. Smith said \"It is so. Truly.\" Then he left.\r\n\r\nA new paragraph, 5 p.m. The end",
    "| Name | Size |\n|---|---|\n| a | 1 |\n| b | 2 |\nAfter it. 🎉🚀 Fine ✅ cafe\u{301} 👩‍👩‍👧‍👦 done.",
    "```sh\nsudo apt-get install nginx\n```\ntext `code. With a point` goes on. More.\n\n> quoted **words. Two\n> sentences** here.\n\n---\n***\n* * *\n**Bold:** text. *Slanted.* _Low_ word_with_marks.",
    "<think>Let me see.\n\nIt is 5. Or not.</think>The answer is 42. <thinking>hm</thinking>Yes, 42.\n<think>never closed. It goes on",
    "[^1]: A note.\n\n[ref]: https://example.com\n\nSee [the manual](https://a.b/c_(d)) or <https://example.com/x>. ![A cat](cat.png) Text.[^1] And [2, 3] so.",
    "1999 was good. 3 of 4 agree. 42) is no item\n12. is one\n#hashtag here\n# Heading # \n+ plus item\n• bullet item\n-dash --flag. =x\n~~gone~~ text",
    "", " ", "\n\n", "a", "*", "`", "```", "| a", "- ", "1.", "**", "<", "<thin", "\r", "\r\n", "e\u{301}",
]

private func whole(_ text: String) -> [SpokenPart] {
    var stream = SpokenStream()
    return stream.append(text) + stream.finish()
}

@Suite struct SpokenStreamTests {
    @Test("cut at any one place, a text gives the same parts", arguments: texts)
    func everyCut(text: String) {
        let expected = whole(text)
        // Scalars, since a piece may end inside what people see as one character.
        let scalars = Array(text.unicodeScalars)
        for cut in stride(from: 0, through: scalars.count, by: scalars.count > 120 ? 3 : 1) {
            var stream = SpokenStream()
            let first = stream.append(String(String.UnicodeScalarView(scalars[..<cut])))
            let second = stream.append(String(String.UnicodeScalarView(scalars[cut...])))
            #expect(first + second + stream.finish() == expected, "cut at \(cut)")
        }
    }

    @Test("cut at random places, a text gives the same parts")
    func randomCuts() {
        let text = texts.dropLast(16).joined(separator: "\n\n")
        let expected = whole(text)
        let scalars = Array(text.unicodeScalars)
        var seed: UInt64 = 11
        for round in 0..<60 {
            var stream = SpokenStream()
            var parts: [SpokenPart] = []
            var position = 0
            while position < scalars.count {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let end = min(scalars.count, position + Int(seed >> 58) % (round % 2 == 0 ? 4 : 40) + 1)
                parts += stream.append(String(String.UnicodeScalarView(scalars[position..<end])))
                position = end
            }
            #expect(parts + stream.finish() == expected)
        }
    }

    @Test("a sentence comes as soon as the next word is known, before its paragraph ends")
    func early() {
        var stream = SpokenStream()
        #expect(stream.append("Prices rose 4") == [])
        #expect(stream.append(".2 percent. Then th") == [.sentence(SpokenSentence(written: "Prices rose 4.2 percent.", spoken: "Prices rose four point two percent."))])
        #expect(stream.append("ey fell.") == [])
        #expect(stream.finish() == [.sentence(SpokenSentence(written: "Then they fell.", spoken: "Then they fell.")), .paragraphEnd])
    }

    @Test("items, headings and paragraphs end where they end")
    func ends() {
        let parts = whole("# One\n\n- two\n- three\n\nFour.")
        #expect(parts.map { part -> String in
            switch part {
            case .sentence(let sentence): sentence.spoken
            case .itemEnd: "item"
            case .paragraphEnd: "paragraph"
            }
        } == ["One.", "paragraph", "two.", "item", "three.", "item", "Four.", "paragraph"])
    }

    @Test("thinking is never said, wherever its tags are cut, closed or not", arguments: [
        ("<think>a b</think>Yes.", "Yes."), ("No <thinking>a\n\nb</thinking>way.", "No way."), ("Yes. <think>a b c", "Yes."), ("a < b is so", "a less than b is so"),
        ("<THINK>x</THINK>Good.", "Good."), ("</think>Good.", "Good."), ("<reasoning>1. a\n2. b</reasoning>\n\nGood.", "Good."),
    ])
    func thinking(written: String, spoken: String) {
        #expect(SpokenForm.of(written) == spoken)
    }

    @Test("nothing but marks says nothing", arguments: ["", "---", "***", "[1]", "🎉", "```\n```", "|||", "#", "> ", "[^1]: x"])
    func silent(text: String) {
        #expect(whole(text) == [])
    }
}
