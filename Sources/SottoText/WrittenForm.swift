/// What may be done to a transcript before it is used: each off by default, for each changes what was said.
///
/// ```swift
/// let form = WrittenForm(removesFillers: true, digitsFrom: 10)
/// form.text("um, it costs twenty five dollars")   // "it costs $25"
/// ```
/// Pure, and sure of itself: replacements match whole words only, never what merely looks alike.
public struct WrittenForm: Sendable, Equatable {
    /// A word or phrase and what stands for it.
    public struct Replacement: Sendable, Equatable {
        /// Compared word by word, without regard to case and marks.
        public var heard: String
        /// As it is to be written; may be empty.
        public var written: String

        public init(heard: String, written: String) {
            self.heard = heard
            self.written = written
        }
    }

    /// The longest phrase wins where several begin at one word.
    public var replacements: [Replacement]
    /// Whether "um", "uh" and their like go.
    public var removesFillers: Bool
    /// Numbers from this on are written in digits, and smaller ones where a unit demands it; `nil` leaves all in words.
    public var digitsFrom: Int?
    /// Whether "new line", "full stop" and their like are obeyed instead of written; after "literal" they are words.
    public var obeysCommands: Bool

    public init(replacements: [Replacement] = [], removesFillers: Bool = false, digitsFrom: Int? = nil, obeysCommands: Bool = false) {
        self.obeysCommands = obeysCommands
        self.replacements = replacements
        self.removesFillers = removesFillers
        self.digitsFrom = digitsFrom
    }

    /// Whether ``text(_:)`` changes nothing.
    public var isPlain: Bool { replacements.isEmpty && removesFillers == false && digitsFrom == nil && obeysCommands == false }

    /// Reads `heard = written`, one a line; lines that begin with `#` are comments.
    ///
    /// - Returns: The replacements, and the numbers of lines that are none.
    public static func replacements(in file: String) -> (replacements: [Replacement], wrongLines: [Int]) {
        var found: [Replacement] = []
        var wrong: [Int] = []
        for (number, line) in file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = trimmed(line)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
            if parts.count == 2, Word.words(in: parts[0]).isEmpty == false { found.append(Replacement(heard: parts[0], written: parts[1])) } else { wrong.append(number + 1) }
        }
        return (found, wrong)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    private static let fillers: Set<String> = ["um", "umm", "uh", "uhh", "uhm", "erm", "hmm", "mm", "mmm"]

    /// The text in its written form.
    public func text(_ text: String) -> String {
        guard isPlain == false else { return text }
        var words = Word.words(in: text)
        if removesFillers { words = withoutFillers(words) }
        if let digitsFrom { words = NumberReader(digitsFrom: digitsFrom).written(words) }
        if replacements.isEmpty == false { words = replaced(words) }
        if obeysCommands { return SpokenCommands.obeyed(words) }
        return words.map(\.text).filter { $0.isEmpty == false }.joined(separator: " ")
    }

    private func withoutFillers(_ words: [Word]) -> [Word] {
        var kept: [Word] = []
        var startsSentence = true
        for var word in words {
            if Self.fillers.contains(word.key) {
                // The sentence still ends where it ended.
                if ".?!".contains(word.after.last ?? " "), kept.isEmpty == false, startsSentence == false {
                    kept[kept.count - 1].after = String(word.after.last ?? ".")
                    startsSentence = true
                }
                continue
            }
            if startsSentence, let first = word.core.first, first.isLowercase { word.core = first.uppercased() + word.core.dropFirst() }
            startsSentence = ".?!".contains(word.after.last ?? " ")
            kept.append(word)
        }
        // A sentence that began small in the original stays small.
        if let first = words.first, first.core.first?.isLowercase == true, kept.isEmpty == false {
            kept[0].core = kept[0].core.prefix(1).lowercased() + kept[0].core.dropFirst()
        }
        return kept
    }

    private func replaced(_ words: [Word]) -> [Word] {
        let table = replacements.map { (keys: Word.words(in: $0.heard).map(\.key), written: $0.written) }.filter { $0.keys.isEmpty == false }
            .sorted { $0.keys.count > $1.keys.count }
        var result: [Word] = []
        var index = 0
        while index < words.count {
            // A phrase does not reach over a full stop.
            let match = table.first { entry in
                index + entry.keys.count <= words.count
                    && entry.keys.indices.allSatisfy { words[index + $0].key == entry.keys[$0] && ($0 == entry.keys.count - 1 || words[index + $0].after.isEmpty) }
            }
            guard let match else {
                result.append(words[index])
                index += 1
                continue
            }
            let last = words[index + match.keys.count - 1]
            if match.written.isEmpty == false {
                result.append(Word(before: words[index].before, core: match.written, after: last.after))
            } else if last.after.isEmpty == false, result.isEmpty == false {
                result[result.count - 1].after = last.after
            }
            index += match.keys.count
        }
        return result
    }
}

/// A word of a text with the marks about it.
struct Word: Equatable {
    var before = ""
    var core: String
    var after = ""

    var text: String { before + core + after }
    /// For comparing.
    var key: String { core.lowercased() }

    static func words(in text: String) -> [Word] {
        text.split(whereSeparator: \.isWhitespace).map { piece in
            let before = piece.prefix { isMark($0) }
            let rest = piece.dropFirst(before.count)
            let after = String(rest.reversed().prefix { isMark($0) }.reversed())
            return Word(before: String(before), core: String(rest.dropLast(after.count)), after: after)
        }
    }

    private static func isMark(_ character: Character) -> Bool { character.isLetter == false && character.isNumber == false && "$€£%'’&@#+".contains(character) == false }
}
