import SottoDocument
import SottoPassageIndex
import SottoResearch
import Testing

private func hit(_ location: String, _ ordinal: Int, _ text: String) -> PassageHit {
    PassageHit(location: location, title: location, language: "en", passage: Passage(text: text, ordinal: ordinal), score: 1)
}

@Suite struct InterleavingTests {
    @Test("the lists take turns, and a passage comes once")
    func turns() {
        let (a, b, c, d) = (hit("a", 0, "apples red"), hit("b", 0, "pears green"), hit("c", 0, "plums blue"), hit("d", 0, "figs brown"))
        #expect(Interleaving.merge([[a, b, c], [d, a], []]) == [a, d, b, c])
    }

    @Test("a copy of a passage in another file is left out")
    func copies() {
        let text = "one two three four five six seven eight nine ten eleven twelve"
        #expect(Interleaving.merge([[hit("a", 0, text), hit("b", 3, text.uppercased())]]).map(\.location) == ["a"])
    }

    @Test("no lists, no passages")
    func none() {
        #expect(Interleaving.merge([]).isEmpty)
        #expect(Interleaving.merge([[], []]).isEmpty)
    }
}

@Suite struct SourceTableTests {
    private let table = SourceTable(shown: [hit("a", 0, "x"), hit("b", 0, "y"), hit("a", 4, "z"), hit("c", 0, "w")])

    @Test("sources are numbered in order of first citation, then of rank")
    func order() {
        let (sources, numbers, passages) = table.number(citations: [[2], [3, 2]])
        #expect(sources.map(\.location) == ["b", "a", "c"])
        #expect(sources.map(\.id) == [1, 2, 3])
        #expect(sources.map(\.cited) == [true, true, false])
        #expect(numbers == [[1], [2, 1]])
        #expect(passages == [["1.1"], ["2.2", "1.1"]])
    }

    @Test("two passages of one source are cited as one number")
    func oneNumber() {
        #expect(table.number(citations: [[1, 3]]).claimSources == [[1]])
    }
}

@Suite struct FindingsTests {
    @Test("every mark has its entry, and uncited sources stand apart")
    func marks() {
        let (sources, numbers, ids) = SourceTable(shown: [hit("/a.html", 0, "x"), hit("/b.html", 0, "y")]).number(citations: [[2]])
        let claim = ResearchResult.Claim(text: "Run visudo.", sources: numbers[0], passages: ids[0], verdict: .supported)
        let bad = ResearchResult.Claim(text: "It costs 5 euros.", sources: [], passages: [], verdict: .notFound)
        let text = Findings.markdown(status: .answered, claims: [claim, bad], gaps: ["the price"], sources: sources)
        #expect(
            text == """
                Run visudo. [1]

                Not found in the sources:

                - the price

                1 of 2 drafted claims were left out: not stated by the sources, or no answer to the question.

                ## Sources

                1. /b.html — /b.html

                ## Also read

                2. /a.html — /a.html

                """)
        #expect(text.contains("5 euros") == false)
    }

    @Test("nothing found lists no source")
    func nothing() {
        #expect(Findings.markdown(status: .nothingFound, claims: [], gaps: [], sources: []) == "No source matches this question.\n")
    }
}

@Suite struct SpokenSummaryTests {
    private let claims = ["Run visudo to edit /etc/sudoers.", "visudo checks the syntax before saving."]

    @Test("a model's summary stands when the claims support it")
    func supported() {
        let draft = "To edit **/etc/sudoers**, run visudo [1]. It checks the syntax before saving."
        let spoken = SpokenSummary.checked(draft, claims: claims, question: "How?", support: ClaimSupport())
        #expect(spoken == "To edit /etc/sudoers, run visudo . It checks the syntax before saving." || spoken == "To edit /etc/sudoers, run visudo. It checks the syntax before saving.")
    }

    @Test(
        "one that adds or loses something does not",
        arguments: ["To edit /etc/sudoers, run visudo or Emacs.", "Run visudo.", "", "Use version 9 of visudo for /etc/sudoers."])
    func unsupported(draft: String) {
        #expect(SpokenSummary.checked(draft, claims: claims, question: "How?", support: ClaimSupport()) == nil)
    }

    @Test("without a model the claims are read, three at most, as sentences")
    func composed() {
        let text = SpokenSummary.composed(status: .answered, claims: ["One is here", "Two.", "Three.", "Four."], gaps: [])
        #expect(text == "One is here. Two. Three.")
    }
}
