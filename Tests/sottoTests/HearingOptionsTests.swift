import Foundation
import SottoSpeechEngines
import SottoText
import Testing

@testable import sotto

@Suite struct HearingOptionsTests {
    @Test("one language, several, or any", arguments: [
        ("de", SpokenLanguage.fixed("de")), ("de-AT", .fixed("de")), ("EN_us", .fixed("en")), ("auto", .detected(among: [])), ("de, en", .detected(among: ["de", "en"])),
    ])
    func languages(text: String, language: SpokenLanguage) throws {
        #expect(try Hearing.language(text) == language)
    }

    @Test("what is no language is refused", arguments: ["", ",", "auto,de", "d3", "deutschland-sucht", "de;en"])
    func nonsense(text: String) {
        #expect(throws: CommandError.self) { try Hearing.language(text) }
    }

    @Test("options come before the setting, and a setting that is no language is not taken")
    func settings() throws {
        var settings = Settings()
        let spec = ArgumentSpec("usage", Hearing.options)
        #expect(try Hearing(Arguments([], spec: spec), settings) == Hearing(.fixed("en")))
        try settings.set("spokenLanguage", to: "DE,en")
        #expect(try Hearing(Arguments([], spec: spec), settings).language == .detected(among: ["de", "en"]))
        let chosen = try Hearing(Arguments(["--language", "fr", "--engine", "Whisper", "--translate"], spec: spec), settings)
        #expect(chosen.language == .fixed("fr") && chosen.engine == "whisper" && chosen.translates)
        #expect(chosen.options(partials: true) == RecognitionOptions(partials: true, language: .fixed("fr"), translatesToEnglish: true))
        #expect(throws: CommandError.self) { try settings.set("spokenLanguage", to: "auto,de") }
        #expect(settings.value("spokenLanguage") == "de,en")
    }

    @Test("what was heard in another way is another transcript")
    func identity() throws {
        let ways = [Hearing(.fixed("en")), Hearing(.fixed("de")), Hearing(.detected(among: [])), Hearing(.detected(among: ["de", "en"]))]
        #expect(Set(ways.map { $0.identity("whisper-base") }).count == ways.count)
    }

    @Test("the English rules leave other languages alone, and measured times go with the words they belong to")
    func writtenForm() {
        let form = WrittenForm(removesFillers: true, digitsFrom: 10, obeysCommands: true)
        let words = [Transcript.Word(text: "um", start: 0, end: 1), Transcript.Word(text: "neun", start: 1, end: 2)]
        let german = Transcript(text: "um neun", language: "de", measuredWords: words)
        #expect(form.written(german) == german)
        let english = form.written(Transcript(text: "um, twenty five", language: "en", measuredWords: words))
        #expect(english.text == "25" && english.measuredWords == nil)
    }

    @Test("a segment that is heard after a break is moved with its words")
    func moved() {
        let moved = Transcript(text: "a", start: 1, end: 2, measuredWords: [.init(text: "a", start: 1.25, end: 1.5)]).moved(by: 10)
        #expect(moved.start == 11 && moved.end == 12 && moved.measuredWords == [.init(text: "a", start: 11.25, end: 11.5)])
    }
}
