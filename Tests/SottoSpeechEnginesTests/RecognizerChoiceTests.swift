import SottoSpeechEngines
import Testing

@Suite struct RecognizerChoiceTests {
    private func offers(moonshine: Bool = true, whisper: Bool = true) -> [RecognizerOffer] {
        [
            RecognizerOffer(name: "moonshine", model: "moonshine-tiny-en", languages: ["en"], detectsLanguage: false, translates: false, isInstalled: moonshine),
            RecognizerOffer(name: "whisper", model: "whisper-base", languages: ["en", "de", "fr"], detectsLanguage: true, translates: true, isInstalled: whisper),
        ]
    }

    @Test("the language decides", arguments: [
        (SpokenLanguage.fixed("en"), false, "moonshine"), (.fixed("de"), false, "whisper"), (.detected(among: []), false, "whisper"),
        (.detected(among: ["en", "de"]), false, "whisper"), (.fixed("en"), true, "whisper"), (.fixed("de"), true, "whisper"),
    ])
    func byLanguage(language: SpokenLanguage, translating: Bool, name: String) throws {
        #expect(try RecognizerChoice.choose(language, translating: translating, among: offers()).name == name)
    }

    @Test("the user's choice holds, by name or by model")
    func byName() throws {
        #expect(try RecognizerChoice.choose(.fixed("en"), engine: "whisper", among: offers()).name == "whisper")
        #expect(try RecognizerChoice.choose(.fixed("en"), engine: "whisper-base", among: offers()).name == "whisper")
    }

    private func error(_ body: () throws(RecognitionError) -> RecognizerOffer) -> RecognitionError? {
        do { _ = try body() } catch { return error }
        return nil
    }

    @Test("a recognizer that is missing is an error with the command that gets it, and nothing takes its place unseen")
    func missing() throws {
        let german = try #require(error { () throws(RecognitionError) in try RecognizerChoice.choose(.fixed("de"), among: offers(whisper: false)) })
        #expect(german.code == .modelNotLoaded && german.message.contains("sotto models pull whisper-base") && german.message.contains("--engine") == false)
        let english = try #require(error { () throws(RecognitionError) in try RecognizerChoice.choose(.fixed("en"), among: offers(moonshine: false)) })
        #expect(english.code == .modelNotLoaded && english.message.contains("sotto models pull moonshine-tiny-en") && english.message.contains("--engine whisper"))
    }

    @Test("what cannot be done is said")
    func impossible() throws {
        let wrong = try #require(error { () throws(RecognitionError) in try RecognizerChoice.choose(.fixed("de"), engine: "moonshine", among: offers()) })
        #expect(wrong.code == .unsupportedLanguage && wrong.message.contains("--engine whisper"))
        let unknown = try #require(error { () throws(RecognitionError) in try RecognizerChoice.choose(.fixed("xx"), among: offers()) })
        #expect(unknown.code == .unsupportedLanguage && unknown.message.contains("\"xx\"") && unknown.message.contains("de, en, fr"))
        let name = try #require(error { () throws(RecognitionError) in try RecognizerChoice.choose(.fixed("en"), engine: "vosk", among: offers()) })
        #expect(name.message.contains("moonshine, whisper"))
    }
}
