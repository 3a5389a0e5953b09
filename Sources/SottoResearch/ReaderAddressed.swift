import SottoText

/// Tells by rule whether a sentence speaks to the program that reads a page, not to people.
///
/// Page text is data: what it asks of a reader-model is never done, never shown as a finding and never read to the model. Imperatives
/// meant for people ("run visudo", "enter the root password") are not touched: a sentence counts only when it speaks of answers, prompts,
/// citations, assistants or their tools, carries a prompt's own marks, or lures with an address that nobody asked for.
/// The rule is a list, and a list can be got around; the other guards (numbered passages, references made by code, claims checked against
/// passages) do not depend on it.
public enum ReaderAddressed {
    /// Why a sentence counts, or `nil` when it does not.
    ///
    /// - Parameter sentence: One sentence, or one line of a page.
    public static func reason(_ sentence: String) -> String? {
        let text = " " + sentence.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") + " "
        if marks.contains(where: text.contains) { return "it carries a prompt's own marks or markup" }
        if orders.contains(where: { holds(text, $0) }) { return "it tells a reader-model what to answer or do" }
        let words = Set(text.split { $0.isLetter == false && $0.isNumber == false && $0 != "-" }.map(String.init))
        if words.isDisjoint(with: audience) == false, words.isDisjoint(with: directives) == false, isOrder(words, text) {
            return "it gives orders to assistants or models"
        }
        if isLure(text, words: words) { return "it sends its reader to an address" }
        if isNoise(sentence) { return "it is noise" }
        return nil
    }

    /// Whether a text holds a phrase as whole words: "the system prompts" does not hold "system prompt".
    private static func holds(_ text: String, _ phrase: String) -> Bool {
        text.ranges(of: phrase).contains { range in
            guard let last = phrase.last, last.isASCII, last.isLetter, range.upperBound < text.endIndex else { return true }
            return text[range.upperBound].isLetter == false
        }
    }

    /// Sentences of `text` that are for people, and how many were not.
    ///
    /// Lines are looked at one by one, so that a list keeps its form.
    public static func screened(_ text: String) -> (text: String, removed: Int) {
        var removed = 0
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            let line = String(line)
            let sentences = SentenceSplitter.sentences(line)
            let kept = sentences.filter { reason($0) == nil }
            // A mark that was cut in two by the splitter shows in the whole line only.
            if kept.count == sentences.count { if reason(line) == nil || line.isEmpty { return line } else { removed += 1; return "" } }
            removed += sentences.count - kept.count
            let rest = kept.joined(separator: " ")
            return reason(rest) == nil ? rest : ""
        }
        return removed == 0 ? (text, 0) : (lines.joined(separator: "\n"), removed)
    }

    /// Control tokens of chat templates, our own answer's field names, and markup that acts.
    private static let marks = [
        "<|", "|>", "[inst]", "[/inst]", "<<sys>>", "</s>", "### instruction", "### response", "\"claims\":", "\"gaps\":", "\"answered\":",
        "\"arguments\":", "<script", "<iframe", "<img", "<object", "<embed", "onerror=", "onload=", "javascript:", "<speak", "<break", "![",
    ]

    private static let orders = [
        // The rules that the reader works by.
        "previous instructions", "prior instructions", "earlier instructions", "all instructions", "instructions above", "your instructions",
        "system prompt", "hidden prompt", "your prompt", "the task has changed", "disregard the above", "ignore the above", "ignore all rules",
        "rules and say", "ignore your rules", "have no rules", "no longer bound", "you are now", "you now reply", "from now on you", "you are dan",
        "new instructions",
        // What it answers.
        "answer only with", "reply only with", "respond only with", "answer with the word", "only with the word", "reply with the word",
        "to every question", "in every sentence", "starts answers with", "start answers with", "begin your answer", "start your answer",
        "in your answer", "your answer must", "in your response", "your response must", "include in the answer", "word for word before",
        "prompt word for word", "recommend nothing", "and nothing else.", "say it first", "remembered word", "remember the word",
        "sources do not contain anything", "answer that the sources", "say that the sources", "repeat the word",
        "previous passages", "the passages above", "numbered passages", "every claim above", "claim above",
        // How it cites.
        "when you cite", "cite it as", "cite this page", "cite this as", "always cite", "as source [", "stop citing", "add it to the references",
        "to the references", "use the number 1 whatever",
        // What it does.
        "the user's task", "the user's question", "the user asked", "finish this task", "complete this task you", "run the search",
        "search the web for", "open every result", "and fetch it", "call the tool", "action: call", "\"name\":\"send", "decode and obey",
        ", obey)", "and obey", "when this is read aloud", "when read aloud", "read this aloud",
        // The same in other languages.
        "antworte ab jetzt", "antworte nur", "antworten sie nur", "ab jetzt nur noch", "ignoriere alle", "ignoriere die vorherigen", "vorherigen anweisungen",
        "ignore toutes les", "ignorez toutes les", "instructions précédentes", "réponds uniquement", "répondez uniquement", "ignora todas las",
        "instrucciones anteriores", "responde solo", "ignora tutte le", "istruzioni precedenti", "rispondi solo", "ignore todas as",
        "instruções anteriores", "responda apenas", "negeer alle", "vorige instructies", "zignoruj", "poprzednie instrukcje", "игнорируй",
        "предыдущие инструкции", "指示に従", "回答に「", "以前の指示", "忽略之前", "忽略以上", "按照以下指示", "以下指令",
    ]

    private static let audience: Set<String> = [
        "ai", "ais", "llm", "llms", "assistant", "assistants", "chatbot", "chatbots", "gpt", "copilot", "crawler", "crawlers", "model", "models", "bot",
        "bots", "agent", "agents",
    ]

    private static let directives: Set<String> = [
        "ignore", "disregard", "answer", "answers", "reply", "respond", "say", "cite", "citing", "recommend", "output", "pretend", "obey", "forget",
        "reveal", "instruction", "instructions", "must", "always", "approved",
    ]

    /// People write about assistants; only sentences that speak to one count.
    private static func isOrder(_ words: Set<String>, _ text: String) -> Bool {
        ["note to ai", "note to llm", "note to assistants", "note to all ai", "attention ai", "dear ai", "dear assistant", "hey assistant", "hello assistant",
         "instructions for ai", "instruction for ai", "to any ai", "if you are an ai", "if you are a language model", "if you are an llm", "as an ai", "as a language model",
         "this assistant", "the assistant must", "assistants must", "assistant: ", "ai must", "ai should answer", "the model must answer", "model must say", "bot must say",
        ].contains(where: text.contains)
    }

    /// An address or a number to dial, with an urgent order to go there: no source of facts.
    private static func isLure(_ text: String, words: Set<String>) -> Bool {
        if text.contains("hxxp://") || text.contains("hxxps://") { return true }
        let hasAddress = text.contains("://") || text.contains("www.") || text.contains("](") || text.firstMatch(of: /1-9\d\d-[\da-z-]+/) != nil
        guard hasAddress else { return false }
        let urges = words.contains("must") || words.contains("immediately") || words.contains("urgently") || text.contains("click here")
        let acts = words.isDisjoint(with: ["visit", "call", "click", "password", "login", "fetch", "recommend", "verify"]) == false
        return urges && acts
    }

    /// One character or one word over and over.
    private static func isNoise(_ sentence: String) -> Bool {
        var run = 0
        var last: Character?
        for character in sentence {
            run = character == last ? run + 1 : 1
            last = character
            if run >= 60, character.isLetter || character.isNumber { return true }
        }
        var repeats = 0
        var previous: String?
        for word in Terms.tokens(sentence) {
            repeats = word == previous ? repeats + 1 : 1
            previous = word
            if repeats >= 4, word.count > 1, word.contains(where: \.isLetter) { return true }
        }
        return false
    }
}
