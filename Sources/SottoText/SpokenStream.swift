/// Markdown as it is written → sentences as they are said, each as soon as it is certain.
///
/// ```swift
/// var stream = SpokenStream()
/// for try await token in tokens {
///     for case .sentence(let sentence) in stream.append(token) { say(sentence.spoken) }
/// }
/// for case .sentence(let sentence) in stream.finish() { say(sentence.spoken) }
/// ```
/// However a text is cut into pieces, the parts are the same; ``SpokenForm/of(_:pronunciations:)`` is a stream of one piece. A sentence of running
/// text is certain when the word after it is known; headings, items, tables and code when their last line has ended.
public struct SpokenStream: Sendable {
    private let pronunciations: Pronunciations
    private var thinking = ThinkingFilter()
    /// The current line, as far as it is known and not yet handed on.
    private var line = ""
    /// Whether the beginning of the current line has been handed on as running text.
    private var isRunning = false
    private var hasText = false
    private var splitter = SentenceSplitter()
    /// Sentences that belong together since a code span is open across them.
    private var held = ""
    private var table: [String] = []
    private var code: [String]?
    private var fence = ""
    private var parts: [SpokenPart] = []

    public init(pronunciations: Pronunciations = Pronunciations()) {
        self.pronunciations = pronunciations
    }

    /// Takes the next piece of the text.
    ///
    /// - Returns: What is certain now, in order.
    public mutating func append(_ text: String) -> [SpokenPart] {
        take(thinking.append(text), isLast: false)
        defer { parts = [] }
        return parts
    }

    /// Ends the text and gives the rest.
    public mutating func finish() -> [SpokenPart] {
        take(thinking.finish(), isLast: true)
        if let code {
            block(MarkdownSpeech.spokenCode(code))
            self.code = nil
        }
        endParagraph()
        defer { parts = [] }
        return parts
    }

    private mutating func take(_ text: String, isLast: Bool) {
        let known = line + text
        var rest = Substring(known)
        while let end = rest.firstIndex(where: \.isNewline) {
            let next = rest.index(after: end)
            // Half a line end: its second half may come with the next piece.
            if rest[end] == "\r", next == rest.endIndex, isLast == false {
                line = String(rest)
                return
            }
            endLine(String(rest[..<end]))
            rest = rest[next...]
        }
        line = String(rest)
        if isLast {
            if line.isEmpty == false || isRunning { endLine(line) }
            line = ""
            return
        }
        guard code == nil, table.isEmpty, line.isEmpty == false else { return }
        // The last character may still change: an accent may follow.
        let start = line.dropLast()
        guard isRunning || MarkdownSpeech.isRunningText(start) else { return }
        // White space at the end of a line is dropped, so it waits for what follows it.
        let certain = start.trimmingEnd(\.isWhitespace)
        guard certain.isEmpty == false else { return }
        run(isRunning ? certain : certain.drop(while: \.isWhitespace))
        isRunning = true
        line.removeSubrange(..<certain.endIndex)
    }

    /// Hands on a part of the current line as running text.
    private mutating func run(_ text: Substring) {
        // A line of a paragraph follows the one before after a space.
        if isRunning == false, hasText { sentences(splitter.append(" ")) }
        hasText = true
        sentences(splitter.append(String(text)))
    }

    private mutating func endLine(_ whole: String) {
        if isRunning {
            let rest = whole.trimmingEnd(\.isWhitespace)
            if rest.isEmpty == false { run(rest) }
            isRunning = false
            return
        }
        var content = whole.trimmed
        if let started = code {
            if content.hasPrefix(fence), content.allSatisfy({ $0 == fence.first }) {
                code = nil
                block(MarkdownSpeech.spokenCode(started))
            } else {
                code = started + [whole]
            }
            return
        }
        if content.hasPrefix("```") || content.hasPrefix("~~~") {
            endParagraph()
            fence = String(content.prefix(3))
            code = []
            return
        }
        while content.hasPrefix(">") { content = content.dropFirst().trimmed }
        if content.isEmpty {
            endParagraph()
        } else if MarkdownSpeech.isRule(content) {
            // The underline of a heading closes it; a rule alone is silent.
            endParagraph(closing: content.first == "=" || content.first == "-")
        } else if let heading = MarkdownSpeech.heading(content) {
            endParagraph()
            block([MarkdownSpeech.closed(heading)])
        } else if content.hasPrefix("|") || (table.isEmpty == false && content.contains("|")) {
            if table.isEmpty { endParagraph() }
            table.append(String(content))
        } else if (content.hasPrefix("[^") && content.contains("]:")) || MarkdownSpeech.isReference(content) {
            endParagraph()
        } else if let item = MarkdownSpeech.listItem(content) {
            endParagraph()
            block([MarkdownSpeech.closed(item)], ends: .itemEnd)
        } else {
            if table.isEmpty == false { endParagraph() }
            run(content)
            isRunning = false
        }
    }

    /// - Parameter closing: Whether the paragraph was a heading, whose voice comes down even without a mark.
    private mutating func endParagraph(closing: Bool = false) {
        if hasText {
            var rest = splitter.finish()
            if closing, let last = rest.popLast() { rest.append(MarkdownSpeech.closed(last)) }
            sentences(rest)
            if held.isEmpty == false {
                emit(held)
                held = ""
            }
            splitter = SentenceSplitter()
            hasText = false
            end(.paragraphEnd)
        }
        if table.isEmpty == false {
            let rows = table
            table = []
            block([MarkdownSpeech.summary(ofTable: rows)])
        }
    }

    /// A part of the text that stands for itself.
    private mutating func block(_ texts: [String], ends end: SpokenPart = .paragraphEnd) {
        for text in texts where text.isEmpty == false {
            sentences(SentenceSplitter.sentences(text))
            if held.isEmpty == false {
                emit(held)
                held = ""
            }
        }
        self.end(end)
    }

    private mutating func sentences(_ sentences: [String]) {
        for sentence in sentences {
            let whole = held.isEmpty ? sentence : held + " " + sentence
            if whole.count(where: { $0 == "`" }).isMultiple(of: 2) {
                held = ""
                emit(whole)
            } else {
                held = whole
            }
        }
    }

    private mutating func emit(_ sentence: String) {
        let written = MarkdownSpeech.inline(sentence)
        let spoken = SpokenForm.spoken(plain: pronunciations.applied(to: written))
        guard spoken.contains(where: { $0.isLetter || $0.isNumber }) else { return }
        parts.append(.sentence(SpokenSentence(written: written, spoken: spoken)))
        hasSentence = true
    }

    /// Whether something was said since the last rest.
    private var hasSentence = false

    private mutating func end(_ part: SpokenPart) {
        guard hasSentence else { return }
        parts.append(part)
        hasSentence = false
    }
}
