/// Marks and line ends that are dictated as words: "new line", "comma", "full stop", "open quote".
///
/// A phrase counts only as whole words within one sentence. The marks that a recognizer set about it go, for it could not know; after "literal"
/// it is a word like any other ("literal comma" is "comma"). Pure.
struct SpokenCommands {
    private enum Effect {
        /// Hangs on the word before.
        case mark(String)
        /// Hangs on the word after.
        case opening(String)
        /// Joins both.
        case joint(String)
        case lineBreak(String)
    }

    /// The longest first.
    private static let phrases: [(words: [String], effect: Effect)] = [
        (["full", "stop"], .mark(".")), (["question", "mark"], .mark("?")), (["exclamation", "mark"], .mark("!")), (["exclamation", "point"], .mark("!")),
        (["dot", "dot", "dot"], .mark("…")), (["semi", "colon"], .mark(";")), (["new", "paragraph"], .lineBreak("\n\n")), (["new", "line"], .lineBreak("\n")),
        (["open", "quote"], .opening("“")), (["close", "quote"], .mark("”")), (["open", "bracket"], .opening("(")), (["close", "bracket"], .mark(")")),
        (["open", "parenthesis"], .opening("(")), (["close", "parenthesis"], .mark(")")), (["comma"], .mark(",")), (["period"], .mark(".")),
        (["semicolon"], .mark(";")), (["colon"], .mark(":")), (["ellipsis"], .mark("…")), (["newline"], .lineBreak("\n")), (["hyphen"], .joint("-")),
        (["dash"], .mark(" –")),
    ].sorted { $0.0.count > $1.0.count }

    /// The text, with its commands obeyed.
    static func obeyed(_ words: [Word]) -> String {
        var output = Output()
        var index = 0
        while index < words.count {
            if words[index].key == "literal", words[index].after.isEmpty, let match = match(words, at: index + 1) {
                for word in words[(index + 1)..<(index + 1 + match.words.count)] { output.say(word) }
                index += 1 + match.words.count
            } else if let match = match(words, at: index) {
                output.obey(match.effect)
                index += match.words.count
            } else {
                output.say(words[index])
                index += 1
            }
        }
        return output.text
    }

    private static func match(_ words: [Word], at index: Int) -> (words: [String], effect: Effect)? {
        phrases.first { phrase in
            index + phrase.words.count <= words.count
                && phrase.words.indices.allSatisfy { words[index + $0].key == phrase.words[$0] && ($0 == 0 || words[index + $0 - 1].after.isEmpty) }
        }
    }

    private struct Output {
        var text = ""
        /// What has to stand before the next word.
        private var opening = ""
        private var isJoined = false
        /// Whether the word before the next one was a command.
        private var follows = false

        mutating func say(_ word: Word) {
            guard word.text.isEmpty == false else { return }
            var core = word.core
            if follows, text.isEmpty == false { core = startsSentence ? core.prefix(1).uppercased() + core.dropFirst() : Self.small(core) }
            if text.isEmpty == false, isJoined == false, text.last?.isNewline != true { text += " " }
            text += opening + word.before + core + word.after
            (opening, isJoined, follows) = ("", false, false)
        }

        mutating func obey(_ effect: Effect) {
            // What the recognizer set before the command was a guess at the rest that was made to say it.
            while let last = text.last, ".,;:!?…".contains(last), follows == false { text.removeLast() }
            switch effect {
            case .mark(let mark): text += mark
            case .opening(let mark): opening += mark
            case .joint(let mark):
                text += mark
                isJoined = true
            case .lineBreak(let mark): text += mark
            }
            follows = true
        }

        private var startsSentence: Bool {
            guard let last = text.last(where: { $0 != "”" && $0 != ")" && $0 != " " }) else { return true }
            return ".?!…\n".contains(last)
        }

        /// A capital that only a supposed beginning of a sentence explains goes; "I" and what has further capitals stay.
        private static func small(_ core: String) -> String {
            let rest = core.dropFirst()
            guard let first = core.first, first.isUppercase, rest.allSatisfy({ $0.isUppercase == false }) else { return core }
            if first == "I", rest.isEmpty || rest.hasPrefix("'") || rest.hasPrefix("’") { return core }
            return rest.isEmpty && first != "A" ? core : first.lowercased() + rest
        }
    }
}
