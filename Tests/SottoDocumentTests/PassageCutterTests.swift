import SottoDocument
import Testing

@Suite struct PassageCutterTests {
    private func sentences(_ count: Int, _ word: String = "word") -> String {
        (0..<count).map { "Sentence \(word)\($0) says a thing that is worth some space." }.joined(separator: " ")
    }

    @Test("a short section is one passage with its heading path, without the title")
    func shortSection() {
        let document = Document(title: "Guide", blocks: [
            .heading(level: 1, text: "Guide"), .heading(level: 2, text: "Disks"), .heading(level: 3, text: "Quotas"), .paragraph("Use edquota."),
        ])
        let passages = PassageCutter().passages(of: document)
        #expect(passages.map(\.text) == ["Use edquota."])
        #expect(passages.first?.headings == ["Disks", "Quotas"])
    }

    @Test("long paragraphs are cut at sentence ends, in parts near the target")
    func longParagraph() {
        let text = sentences(60)
        let passages = PassageCutter(target: 900).passages(of: Document(title: "T", blocks: [.paragraph(text)]))
        #expect(passages.count >= 4)
        for passage in passages {
            #expect(passage.text.hasSuffix("space."))
            #expect(passage.text.count <= 900)
            #expect(passage.text.count >= 450)
        }
        #expect(passages.map(\.text).joined(separator: " ") == text)
    }

    @Test("offsets point at the passage in the plain text")
    func offsets() throws {
        let document = Document(title: "T", blocks: [
            .heading(level: 2, text: "Größe"), .paragraph(sentences(30, "ü")), .heading(level: 2, text: "Next"), .paragraph(sentences(20)),
            .list(ordered: true, items: [[.paragraph("one")], [.paragraph("two")]]),
        ])
        let plain = Array(document.plainText.utf8)
        for passage in PassageCutter().passages(of: document) {
            let start = Array(passage.text.utf8.prefix(40))
            #expect(Array(plain[passage.offset..<min(plain.count, passage.offset + start.count)]) == start)
        }
    }

    @Test("code stays with the paragraph that introduces it")
    func codeKeepsIntroduction() throws {
        let code = (0..<12).map { "command-\($0) --with an argument" }.joined(separator: "\n")
        let document = Document(title: "T", blocks: [.paragraph(sentences(12)), .paragraph("Run this:"), .code(code)])
        let passages = PassageCutter().passages(of: document)
        let passage = try #require(passages.first { $0.text.contains("Run this:") })
        #expect(passage.text.contains("command-0"))
        #expect(passage.text.contains("command-11"))
    }

    @Test("a list that is cut repeats its lead-in")
    func listLeadIn() {
        let items: [[Block]] = (0..<30).map { [.paragraph("Item \($0) holds text of a certain length to fill the passage up.")] }
        let passages = PassageCutter().passages(of: Document(title: "T", blocks: [.paragraph("The steps are:"), .list(ordered: false, items: items)]))
        #expect(passages.count > 1)
        for passage in passages { #expect(passage.text.hasPrefix("The steps are:\n")) }
    }

    @Test("sections are not mixed, but for a tiny one")
    func sections() {
        let document = Document(title: "T", blocks: [
            .heading(level: 2, text: "A"), .paragraph(sentences(6, "a")), .heading(level: 2, text: "B"), .paragraph("Tiny."),
            .heading(level: 2, text: "C"), .paragraph(sentences(6, "c")),
        ])
        let passages = PassageCutter().passages(of: document)
        #expect(passages.map(\.headings) == [["A"], ["B"]])
        #expect(passages[1].text.hasPrefix("Tiny.\n\nC\n\nSentence c0"))
    }

    @Test("table rows name their columns")
    func tableRows() {
        let document = Document(title: "T", blocks: [.table(rows: [["Level", "Disks"], ["RAID-1", "2"], ["RAID-5", "3"]], headerRows: 1)])
        #expect(PassageCutter().passages(of: document).map(\.text) == ["Level: RAID-1; Disks: 2\nLevel: RAID-5; Disks: 3"])
    }

    @Test("an abbreviation, an initial and a version end no sentence")
    func sentenceEnds() {
        let text = "Use e.g. this tool by J. Smith. Version 8.1 is new. " + sentences(30)
        let first = PassageCutter(target: 40, limit: 60).passages(of: Document(title: "T", blocks: [.paragraph(text)]))[0]
        #expect(first.text == "Use e.g. this tool by J. Smith.")
    }

    @Test("no visible word is lost and no passage is far above the limit, for 80 random documents", arguments: 0..<80)
    func losesNothing(seed: Int) {
        var random = Generator(state: UInt64(seed))
        let document = Document(title: "Title of it", blocks: random.blocks(depth: 0))
        let cutter = PassageCutter(target: 100 + Int.random(in: 0..<900, using: &random))
        let passages = cutter.passages(of: document)
        func words(_ text: String) -> [String] { text.split(whereSeparator: { $0.isLetter == false && $0.isNumber == false }).map(String.init) }
        let kept = Set(passages.flatMap { words($0.text) + $0.headings.flatMap(words) } + words(document.title))
        let lost = random.made.filter { kept.contains($0) == false }
        #expect(lost.isEmpty, "near \(document.plainText.split(separator: "\n\n").filter { $0.contains((lost.first ?? "-") + " ") })")
        #expect(passages.map(\.ordinal) == Array(0..<passages.count))
        #expect(passages.map(\.offset) == passages.map(\.offset).sorted())
        for passage in passages { #expect(passage.text.unicodeScalars.count <= cutter.limit * 2 + 250) }
        for passage in passages { #expect(passage.text.isEmpty == false) }
    }

    /// SplitMix64, and documents made of words that occur once.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        var made: [String] = []
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
        mutating func words(_ range: Range<Int>) -> String {
            var text: [String] = []
            for _ in 0..<number(range) {
                made.append("w\(made.count)")
                text.append(made[made.count - 1] + (number(0..<7) == 0 ? "." : ""))
            }
            return text.joined(separator: " ")
        }
        mutating func blocks(depth: Int) -> [Block] {
            var result: [Block] = []
            for _ in 0..<number(1..<(depth == 0 ? 12 : 3)) { result.append(block(depth: depth)) }
            return result
        }
        mutating func block(depth: Int) -> Block {
            switch number(0..<(depth > 2 ? 4 : 9)) {
            case 0: return .heading(level: number(1..<7), text: words(1..<6))
            case 1, 2: return .paragraph(words(1..<160))
            case 3: return .code((0..<number(1..<40)).map { _ in words(1..<9) }.joined(separator: "\n"))
            case 4: return .quote(blocks(depth: depth + 1))
            case 5: return .definition(term: words(1..<3), blocks: blocks(depth: depth + 1))
            case 6:
                let width = number(1..<5)
                let rows = (0..<number(1..<20)).map { _ in (0..<width).map { _ in number(0..<3) == 0 ? "" : words(1..<8) } }
                return .table(rows: rows, headerRows: number(0..<3))
            default: return .list(ordered: number(0..<2) == 0, items: (0..<number(1..<12)).map { _ in blocks(depth: depth + 1) })
            }
        }
    }
}
