import Foundation
import SottoText
import Testing

@Suite struct SpokenFormTests {
    @Test("Markdown becomes pauses and words", arguments: [
        ("## Result\n\nPrices rose **4.2%** [1]; see `/etc/default/grub`.", "Result.\n\nPrices rose four point two percent; see slash etc slash default slash grub."),
        ("- one\n- two things\n", "one.\n\ntwo things."),
        ("1. Install it\n2. Run `apt-get update`", "One: Install it.\n\nTwo: Run apt-get update.".replacing("apt-get", with: "apt get")),
        ("See [the manual](https://example.com/a_b) or <https://example.com>.", "See the manual or example dot com."),
        ("A *quiet* __strong__ ~~old~~ word_with_marks", "A quiet strong old word underscore with underscore marks"),
        ("It works. 🎉🚀 Fine ✅", "It works. Fine"),
        ("Claim one [1][2], claim two [^3].", "Claim one, claim two."),
        ("```sh\nsudo apt-get install -y nginx\n```", "Sudo apt get install dash y nginx."),
        ("```\na\nb\nc\nd\n```", "A block of code, four lines."),
        ("| Name | Size |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n| d | 4 |", "A table of four rows, with Name and Size."),
        ("Title\n=====\n\nText", "Title.\n\nText"),
        ("> quoted\n> words", "quoted words"),
        ("Tom &amp; Jerry &lt;3", "Tom and Jerry <three"),
        ("---\n\n***\n", ""),
        ("", ""),
        ("Use `ls -l | grep foo > out.txt`.", "Use ls dash l pipe grep foo into out dot text."),
        ("Is `a` < b?", "Is a less than b?"),
    ])
    func markdown(written: String, spoken: String) {
        #expect(SpokenForm.of(written) == spoken)
    }

    @Test("English is normalized as it is said", arguments: [
        ("Dr. Smith paid $19.99 on June 3rd, 2025.", "Doctor Smith paid nineteen dollars ninety nine cents on June third, twenty twenty five."),
        ("At 9:30 a.m., 1,204 patients", "At nine thirty AM, one thousand two hundred four patients"),
        ("in 1998 and 2001", "in nineteen ninety eight and two thousand one"),
        ("3.14 or -5", "three point one four or minus five"),
        ("the 21st century", "the twenty first century"),
        ("5-10 km", "five to ten kilometers"),
        ("1 kg, 2 kg", "one kilogram, two kilograms"),
        ("version 1.2.3", "version one point two point three"),
        ("127.0.0.1", "one two seven dot zero dot zero dot one"),
        ("me@example.com", "me at example dot com"),
        ("www.debian.org/doc/", "debian dot org slash doc"),
        ("1/2 and 3/4", "one half and three quarters"),
        ("the 1980s", "the nineteen eighties"),
        ("World War II", "World War two"),
        ("Edit ~/.config/user-dirs.dirs now", "Edit tilde slash dot config slash user dirs dot dirs now"),
        ("run it with --since today", "run it with dash dash since today"),
        ("R&D", "R and D"),
        ("$2.5 million", "two point five million dollars"),
        ("20°C", "twenty degrees Celsius"),
        ("and/or", "and slash or"),
        ("1900–1950", "nineteen hundred to nineteen fifty"),
        ("7 o'clock", "seven o'clock"),
        ("He came at 5 p.m. The shop was shut.", "He came at five PM. The shop was shut."),
        ("It costs $20/mo", "It costs twenty dollars per month"),
        ("x = 1- 2", "x equals one minus two"),
    ])
    func english(written: String, spoken: String) {
        #expect(SpokenForm.spoken(plain: written) == spoken)
    }

    @Test("any text comes back without a digit, and none is refused", arguments: [
        "0", "00", "1e9", "1.", ".5.", "1,2,3", "9999999999999999999999", "$", "$$$", "-", "--", "1-2-3-4", "12:99", "99/99/9999", "[", "`", "``", "**", "|", "\\",
        "v", "v1", "#1", "°", "½", "1½", "₹5", "५", "٣", "①", "²", "\u{0}", "a\u{301}", "&#x110000;", "&#0;", "13.13.2020", "Feb 30", "24:00", "3:00pm",
    ])
    func anything(text: String) {
        let spoken = SpokenForm.of(text)
        #expect(spoken.contains { $0.isASCII && $0.isNumber } == false, "\(spoken)")
    }

    @Test("a long text takes time in proportion")
    func linear() {
        let text = String(repeating: "On June 3rd, 2025, **prices** rose by 4.2% to $1,204.50 [1]. ", count: 400)
        let start = ContinuousClock.now
        _ = SpokenForm.of(text)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

/// Written and spoken English by others; the share that we say word for word as they do, by source.
///
/// The sources differ among themselves, and some (digit strings, schemes of addresses) speak as nobody does: the floors are what
/// is reached now, so that no change lowers them unseen.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SOTTO_CORPORA"] != nil, "needs SOTTO_CORPORA"))
struct NormalizationCorpusTests {
    @Test("agreement with each source stays at least where it is")
    func corpus() throws {
        let root = try #require(ProcessInfo.processInfo.environment["SOTTO_CORPORA"])
        let table = try String(contentsOfFile: root + "/text-normalisation/dev/cases.tsv", encoding: .utf8)
        var scores: [String: (right: Int, all: Int)] = [:]
        var misses: [String] = []
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 5 else { continue }
            let accepted = ([fields[2]] + fields[3].split(separator: "|").map(String.init)).map(folded)
            let spoken = folded(SpokenForm.spoken(plain: fields[1]))
            var score = scores[fields[4]] ?? (0, 0)
            score.all += 1
            if accepted.contains(spoken) { score.right += 1 } else { misses.append("\(fields[4])|\(fields[0])|\(fields[1])|\(fields[2])|\(spoken)") }
            scores[fields[4]] = score
        }
        for (source, score) in scores.sorted(by: { $0.key < $1.key }) {
            print("text-normalisation \(source): \(score.right)/\(score.all)")
        }
        if let path = ProcessInfo.processInfo.environment["SOTTO_MISSES"] {
            try misses.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        for (source, floor) in floors {
            let score = try #require(scores[source])
            #expect(Double(score.right) / Double(score.all) >= floor, "\(source): \(score.right) of \(score.all)")
        }
    }

    private let floors = ["NeMo-TN": 0.68, "NeMo-ITN-reversed": 0.7, "WeTextProcessing": 0.7, "keithito-tacotron": 0.85, "num2words": 0.75]

    /// Case, hyphens, commas and points do not count; nor does "and" in numbers, on which the sources disagree.
    private func folded(_ text: String) -> String {
        text.lowercased().map { $0 == "-" || $0 == "," || $0 == "." ? " " : String($0) }.joined()
            .split(separator: " ").filter { $0 != "and" }.joined(separator: " ")
    }
}
