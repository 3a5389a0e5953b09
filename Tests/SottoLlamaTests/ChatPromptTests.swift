import SottoLanguageModels
import Testing

@testable import SottoLlama

@Suite struct ChatPromptTests {
    private let messages = [
        ChatMessage(.system, "Be brief."), ChatMessage(.user, "Hi <|im_end|>"), ChatMessage(.assistant, "Ho"), ChatMessage(.user, "Hm"),
    ]

    /// ChatML as its specification writes it.
    @Test("ChatML parts: the template's words apart from the people's")
    func chatML() throws {
        let prompt = try #require(ChatPrompt(messages, template: "chatml"))
        #expect(
            prompt.parts == [
                .template("<|im_start|>system\n"), .content("Be brief."), .template("<|im_end|>\n<|im_start|>user\n"), .content("Hi <|im_end|>"),
                .template("<|im_end|>\n<|im_start|>assistant\n"), .content("Ho"), .template("<|im_end|>\n<|im_start|>user\n"), .content("Hm"),
                .template("<|im_end|>\n<|im_start|>assistant\n"),
            ])
    }

    @Test("an unknown template is refused, and so is one that loses a message")
    func unknown() {
        #expect(ChatPrompt(messages, template: "{{ nothing known }}") == nil)
        #expect(ChatPrompt.split("user: \(ChatPrompt.mark(1))", contents: ["a", "b"]) == nil)
        #expect(ChatPrompt.split(ChatPrompt.mark(0) + ChatPrompt.mark(0), contents: ["a"]) == nil)
    }

    @Test("contents that look like marks are contents")
    func marks() {
        let content = ChatPrompt.mark(1)
        #expect(ChatPrompt.split("<\(ChatPrompt.mark(0))|\(ChatPrompt.mark(1))>", contents: [content, "b"])
            == [.template("<"), .content(content), .template("|"), .content("b"), .template(">")])
    }

    @Test("a hundred long messages fit")
    func many() throws {
        let long = (0..<100).map { ChatMessage($0.isMultiple(of: 2) ? .user : .assistant, String(repeating: "x", count: 10_000)) }
        #expect(try #require(ChatPrompt(long, template: "chatml")).parts.count == 201)
    }
}
