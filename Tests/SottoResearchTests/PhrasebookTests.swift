@testable import SottoResearch
import Testing

@Suite struct PhrasebookTests {
    @Test("every language has every sentence, and none is another's", arguments: Phrasebook.languages)
    func complete(language: String) {
        func all(_ words: Phrasebook) -> [String] {
            [words.nothingFound, words.notAnswered, words.digest, words.stopped, words.disagreement, words.otherwise, words.gaps, words.alsoRead, words.shortened,
             words.leftOut(2, 5), words.screened(3), words.spokenNothingFound, words.spokenNotAnswered, words.spokenStopped, words.spokenDigestEmpty, words.spokenDigest,
             words.spokenDisagreement]
        }
        let words = Phrasebook(language)
        #expect(words.language == language && words.note == nil)
        #expect(all(words).allSatisfy { $0.isEmpty == false })
        #expect(words.leftOut(2, 5).contains("2") && words.leftOut(2, 5).contains("5") && words.screened(3).contains("3"))
        for other in Phrasebook.languages where other != language {
            #expect(Set(all(words)).isDisjoint(with: all(Phrasebook(other))), "\(language) and \(other)")
        }
    }

    @Test("a region or script does not matter", arguments: [("de-AT", "de"), ("pt_BR", "pt"), ("EN-us", "en"), ("", "en")])
    func tags(tag: String, language: String) {
        #expect(Phrasebook(tag).language == language)
        #expect(Phrasebook(tag).note == nil)
    }

    @Test("findings and summary are in the task's language")
    func german() {
        let text = Findings.markdown(status: .notAnswered, claims: [], gaps: ["der Preis"], sources: [], screened: 1, language: "de-DE")
        #expect(text == """
            Die Quellen beantworten diese Frage nicht.

            In den Quellen nicht gefunden:

            - der Preis

            Nicht gelesen, weil an Programme statt an Menschen gerichtet: 1 Satz der Quellen.

            """)
        #expect(SpokenSummary.composed(status: .notAnswered, claims: [], gaps: [], language: "fr") == "Les sources que j'ai lues ne répondent pas à cette question.")
    }

    @Test("a language without a translation gets English, and is named")
    func unknown() {
        let text = Findings.markdown(status: .nothingFound, claims: [], gaps: [], sources: [], language: "ja")
        #expect(text.hasPrefix("No source matches this question.\n"))
        #expect(text.contains("it has none for the language “ja”"))
    }
}
