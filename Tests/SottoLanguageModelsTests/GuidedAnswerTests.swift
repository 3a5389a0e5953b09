import SottoLanguageModels
import SottoTestSupport
import Testing

@Suite struct GuidedAnswerTests {
    private static let whole =
        #"{"answered":true,"claims":[{"text":"Use visudo.","sources":[1,2]},{"text":"It checks \"syntax\".","sources":[2]}],"gaps":["none"]}"#

    private func answer(_ text: String, tokens: Int = 500) async throws -> GuidedAnswer<ClaimedAnswer> {
        let model = ScriptedLanguageModel { _, _ in text }
        let session = try await model.makeSession()
        return try await session.respond(
            to: [ChatMessage(.user, "?")], generating: ClaimedAnswer.self, options: GenerationOptions(maximumTokens: tokens))
    }

    @Test("a whole answer decodes, and the engine was given the type's schema")
    func plain() async throws {
        let model = ScriptedLanguageModel { _, _ in Self.whole }
        let answer = try await model.makeSession().respond(to: [ChatMessage(.user, "?")], generating: ClaimedAnswer.self)
        #expect(answer.completeness == .whole)
        #expect(answer.value.claims.map(\.text) == ["Use visudo.", "It checks \"syntax\"."])
        #expect(model.calls.map(\.options.schema) == [ClaimedAnswer.generationSchema])
    }

    @Test(
        "reasoning, fences and prose around the value are dropped",
        arguments: [
            ("<think>maybe {\"answered\":false,\"claims\":[],\"gaps\":[]}</think>", ""), ("so {that} is it</think>\n", ""),
            ("Here it is:\n```json\n", "\n```\nDone."), ("A set {1, 2} and [3]: ", " and {more}"), ("<thinking>a</thinking><think>b</think>", ""),
        ])
    func wrapped(before: String, after: String) async throws {
        let answer = try await answer(before + Self.whole + after)
        #expect(answer.value.answered)
        #expect(answer.value.claims.count == 2)
        #expect(answer.completeness == .whole)
    }

    @Test("wherever an answer is cut, only whole claims survive, or the error says that it was cut")
    func cuts() async throws {
        let full = try await answer(Self.whole).value
        var shortened = 0
        for length in 0..<Self.whole.count {
            let cut = String(Self.whole.prefix(length))
            // One word more than allowed makes the scripted model stop for length.
            let model = ScriptedLanguageModel { _, _ in cut + " x" }
            let tokens = try await model.tokenCount(cut + " x") - 1
            guard tokens > 0, cut.isEmpty == false else { continue }
            do {
                let answer = try await model.makeSession().respond(
                    to: [ChatMessage(.user, "?")], generating: ClaimedAnswer.self, options: GenerationOptions(maximumTokens: tokens))
                #expect(answer.completeness == .shortened)
                #expect(answer.value.claims == Array(full.claims.prefix(answer.value.claims.count)))
                #expect(answer.value.gaps == Array(full.gaps.prefix(answer.value.gaps.count)))
                shortened += 1
            } catch let error as LanguageModelError {
                #expect(error.code == .malformedOutput)
                #expect(error.message.contains("cut"))
                #expect(length < #"{"answered":true"#.count + 1, "after the first property there is always something to save")
            }
        }
        #expect(shortened > 100)
    }

    @Test(
        "an answer of the wrong shape that was not cut is an error, never repaired",
        arguments: ["", "no", "{}", #"{"answered":true,"claims":["#, "[1,2]"])
    func wrong(text: String) async {
        await #expect { try await answer(text) } throws: { error in
            (error as? LanguageModelError)?.code == .malformedOutput
        }
    }

    @Test("hostile nesting neither crashes nor hangs")
    func nesting() async {
        await #expect(throws: LanguageModelError.self) { try await answer(String(repeating: "[", count: 20_000)) }
        await #expect(throws: LanguageModelError.self) { try await answer(String(repeating: #"{"a":"#, count: 5_000)) }
    }

    @Test("tags are stripped however they are nested or left open")
    func tags() {
        #expect(ReasoningTags.stripped(from: " <think>a</think> b ") == "b")
        #expect(ReasoningTags.stripped(from: "a<think>b") == "a")
        #expect(ReasoningTags.stripped(from: "a</think>b") == "b")
        #expect(ReasoningTags.stripped(from: "a<think>b</think>c<think>d</think>e") == "ace")
        #expect(ReasoningTags.stripped(from: "if a < b then <b>c</b>") == "if a < b then <b>c</b>")
    }
}
