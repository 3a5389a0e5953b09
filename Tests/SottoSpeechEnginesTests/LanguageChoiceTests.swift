import SottoSpeechEngines
import Testing

@Suite struct LanguageChoiceTests {
    @Test("a language that was named is taken unseen")
    func fixed() {
        var choice = LanguageChoice(.fixed("de"))
        #expect(choice.isOpen == false)
        #expect(choice.choose(["en": 1], seconds: 10) == .init(language: "de", probability: nil))
        #expect(LanguageChoice(.detected(among: ["fr"])).isOpen == false)
    }

    @Test("enough speech and confidence settle a language, and a later stretch changes it")
    func settles() {
        var choice = LanguageChoice(.detected(among: []))
        #expect(choice.choose(["de": 0.9, "en": 0.1], seconds: 4).language == "de")
        #expect(choice.settled == "de")
        #expect(choice.choose(["de": 0.1, "en": 0.9], seconds: 5).language == "en")
        #expect(choice.settled == "en")
    }

    /// "Continue" that became Korean, and its like.
    @Test("one short word does not change the language, however sure the network is")
    func shortWord() {
        var choice = LanguageChoice(.detected(among: []))
        _ = choice.choose(["en": 0.95, "ko": 0.05], seconds: 4)
        #expect(choice.choose(["ko": 0.97, "en": 0.03], seconds: 0.8) == .init(language: "en", probability: 0.03))
        #expect(choice.settled == "en")
    }

    @Test("before anything is settled a short, unsure stretch is in the language that is expected")
    func expected() {
        var choice = LanguageChoice(.detected(among: []), expected: "en")
        #expect(choice.choose(["ko": 0.6, "en": 0.2, "ja": 0.2], seconds: 0.8).language == "en")
        #expect(choice.settled == nil)
        // Sure and not quite as short: it may begin so.
        #expect(choice.choose(["fr": 0.95, "en": 0.05], seconds: 1.2).language == "fr")
        var other = LanguageChoice(.detected(among: ["de", "fr"]), expected: "en")
        #expect(other.choose(["en": 0.8, "de": 0.15, "fr": 0.05], seconds: 0.8).language == "de", "the expected one is not allowed")
    }

    @Test("of a pair only the two can be heard, and probabilities are among them")
    func pair() {
        var choice = LanguageChoice(.detected(among: ["de", "en"]))
        let chosen = choice.choose(["nl": 0.5, "de": 0.375, "en": 0.125], seconds: 3)
        #expect(chosen == .init(language: "de", probability: 0.75))
        #expect(choice.settled == "de")
    }

    @Test("a preview settles nothing")
    func preview() {
        let choice = LanguageChoice(.detected(among: []))
        #expect(choice.preview(["de": 1], seconds: 5).language == "de")
        #expect(choice.settled == nil)
    }

    @Test("no probabilities at all give a language all the same")
    func nothing() {
        var choice = LanguageChoice(.detected(among: ["fr", "de"]))
        #expect(choice.choose([:], seconds: 5).language == "fr")
    }
}
