import SottoLanguageModels
import SottoStreams
import SottoTestSupport
import Testing

@Suite struct ScriptedLanguageModelTests {
    @Test("the scripted model keeps the promises of the protocol")
    func promises() async throws {
        try await checkLanguageModel(ScriptedLanguageModel { _, _ in "one two three four five six" })
    }

    @Test("a scripted failure reaches the reader after the text before it")
    func failure() async throws {
        let model = ScriptedLanguageModel(steps: { _, _ in [.text("a b"), .fail(LanguageModelError(.engineFailed, "broken"))] })
        var text = ""
        await #expect(throws: LanguageModelError.self) {
            for try await event in try await model.makeSession().respond(to: [], options: GenerationOptions()) {
                if case .text(let piece) = event { text += piece }
            }
        }
        #expect(text == "a b")
    }
}
