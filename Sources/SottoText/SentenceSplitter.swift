/// Cuts English text into sentences, whole or as a stream, with the same result.
///
/// ```swift
/// var splitter = SentenceSplitter()
/// let first = splitter.append("Dr. Smith paid 3.14 dollars. He le")   // ["Dr. Smith paid 3.14 dollars."]
/// let last = splitter.finish()                                        // ["He le"]
/// ```
/// A false cut is worse than a missed one, so a full stop after an abbreviation ends a sentence only when the next word is
/// one that seldom begins a name ("The", "It", …). Quotes and brackets close with their sentence, and so does a citation mark.
public struct SentenceSplitter: Sendable {
    /// A quotation or bracket that is still open after this many characters no longer holds sentences together: its end was forgotten.
    private static let longestEnclosure = 400
    private var buffer: [Character] = []

    public init() {}

    /// The sentences of a whole text, without white space at their ends.
    public static func sentences(_ text: String) -> [String] {
        var splitter = SentenceSplitter()
        return splitter.append(text) + splitter.finish()
    }

    /// Takes the next part of a stream.
    ///
    /// - Returns: The sentences that are certain now. The word after a sentence is awaited first.
    public mutating func append(_ text: String) -> [String] {
        // A piece may begin with what belongs to the last character: an accent, the second half of a line end.
        if let last = buffer.popLast() {
            buffer += Array(String(last) + text)
        } else {
            buffer = Array(text)
        }
        return cut(isWhole: false)
    }

    /// The rest of the stream.
    public mutating func finish() -> [String] {
        let sentences = cut(isWhole: true)
        buffer = []
        return sentences
    }

    private mutating func cut(isWhole: Bool) -> [String] {
        var sentences: [String] = []
        var start = 0
        var index = 0
        var round = 0
        var quotes = 0
        func emit(upTo end: Int, from start: Int) {
            let text = String(buffer[start..<end]).trimmed
            if text.isEmpty == false { sentences.append(String(text)) }
        }
        while index < buffer.count {
            let character = buffer[index]
            // An empty line ends a paragraph, and a sentence with it.
            if character.isNewline, let next = nextBlank(after: index) {
                emit(upTo: index, from: start)
                (start, index, round, quotes) = (next, next, 0, 0)
                continue
            }
            switch character {
            case "(", "[", "{": round += 1
            case ")", "]", "}": round = max(0, round - 1)
            case "\"": quotes = 1 - min(quotes, 1)
            case "“", "«": quotes = 1
            case "”", "»": quotes = 0
            default: break
            }
            guard Self.terminators.contains(character) else {
                index += 1
                continue
            }
            switch boundary(at: index, sentenceStart: start, isOpen: (round > 0 || quotes > 0) ? (round, quotes) : nil, isWhole: isWhole) {
            case .undecided:
                buffer.removeFirst(start)
                return sentences
            case .none(let next):
                // What was jumped over still opens and closes.
                for passed in buffer[(index + 1)..<max(index + 1, next)] {
                    switch passed {
                    case "\"": quotes = 1 - min(quotes, 1)
                    case "”", "»": quotes = 0
                    case ")", "]", "}": round = max(0, round - 1)
                    default: break
                    }
                }
                index = max(index + 1, next)
            case .end(let next):
                emit(upTo: next, from: start)
                (start, index, round, quotes) = (next, next, 0, 0)
            }
        }
        if isWhole {
            emit(upTo: buffer.count, from: start)
            buffer = []
        } else {
            buffer.removeFirst(start)
        }
        return sentences
    }

    private enum Decision {
        /// The sentence ends before this index.
        case end(Int)
        /// It goes on; look again from this index.
        case none(Int)
        /// More text is needed.
        case undecided
    }

    private static let terminators: Set<Character> = [".", "!", "?", "…", "。", "！", "？"]
    private static let wideTerminators: Set<Character> = ["。", "！", "？"]
    private static let closers: Set<Character> = ["\"", "'", "”", "’", ")", "]", "}", "»", "*", "_", "`"]
    private static let openers: Set<Character> = ["\"", "'", "“", "‘", "(", "[", "{", "«", "*", "_", "`", "¿", "¡"]

    private func nextBlank(after index: Int) -> Int? {
        var next = index + 1
        while next < buffer.count, buffer[next].isWhitespace {
            if buffer[next].isNewline { return next + 1 }
            next += 1
        }
        return nil
    }

    private func boundary(at index: Int, sentenceStart: Int, isOpen: (round: Int, quotes: Int)?, isWhole: Bool) -> Decision {
        var end = index
        while end < buffer.count, Self.terminators.contains(buffer[end]) { end += 1 }
        let marks = buffer[index..<end]
        var closed = end
        while closed < buffer.count, Self.closers.contains(buffer[closed]) { closed += 1 }
        // Citation marks: "… fell.[2] [3] Then …".
        closed = afterCitations(closed)
        guard closed < buffer.count else { return isWhole ? .end(closed) : .undecided }
        let isWide = marks.contains { Self.wideTerminators.contains($0) }
        guard buffer[closed].isWhitespace || isWide else { return .none(end) }

        var next = closed
        while next < buffer.count, buffer[next].isWhitespace {
            if buffer[next].isNewline, nextBlank(after: next) != nil { return .end(closed) }
            next += 1
        }
        let gap = next
        next = afterCitations(next)
        if next > gap {
            closed = next
            while next < buffer.count, buffer[next].isWhitespace { next += 1 }
        }
        // The whole next word decides, so wait until it has ended.
        var wordEnd = next
        while wordEnd < buffer.count, buffer[wordEnd].isWhitespace == false { wordEnd += 1 }
        guard wordEnd < buffer.count || isWhole else { return .undecided }
        guard next < buffer.count else { return .end(closed) }

        if let isOpen, closed - sentenceStart < Self.longestEnclosure {
            // Is it still open after the closing marks?
            var (round, quotes) = isOpen
            for character in buffer[end..<closed] {
                switch character {
                case ")", "]", "}": round = max(0, round - 1)
                case "\"": quotes = 1 - min(quotes, 1)
                case "”", "»": quotes = 0
                default: break
                }
            }
            if round > 0 || quotes > 0 { return .none(closed) }
        }
        return endsSentence(before: index, marks: marks, from: sentenceStart, nextWord: buffer[next..<wordEnd]) || isWide
            ? .end(closed) : .none(closed)
    }

    /// Past any `[1]`, `[2, 3]` or `[^note]` that stands here, white space between them included.
    private func afterCitations(_ position: Int) -> Int {
        var result = position
        var index = position
        while index < buffer.count {
            var open = index
            while open < buffer.count, buffer[open] == " " { open += 1 }
            guard open < buffer.count, buffer[open] == "[", let close = buffer[open...].prefix(24).firstIndex(of: "]") else { break }
            let inside = buffer[(open + 1)..<close]
            let isNote = inside.first == "^"
            guard inside.isEmpty == false, isNote || inside.allSatisfy({ $0.isNumber || $0 == "," || $0 == " " || $0 == "–" || $0 == "-" }) else { break }
            index = close + 1
            result = index
        }
        return result
    }

    private func endsSentence(before index: Int, marks: ArraySlice<Character>, from start: Int, nextWord: ArraySlice<Character>) -> Bool {
        let opened = nextWord.drop { Self.openers.contains($0) }
        let next = String(opened.prefix { $0.isLetter || $0 == "'" || $0 == "’" })
        guard let first = opened.first else { return true }
        let isLower = first.isLowercase
        let isStarter = Self.starters.contains(next)
        if marks.contains(where: { $0 == "!" || $0 == "?" || $0 == "！" || $0 == "？" }) {
            // "Yahoo! Inc."
            return isLower == false && Self.firms.contains(next) == false
        }
        if marks.count > 1, buffer[start..<index].split(whereSeparator: \.isWhitespace).last.map({ String($0) == next }) == true {
            // Somebody stammers.
            return false
        }
        if marks.count > 1 || marks.first == "…" { return isLower == false && (first.isLetter || first.isNumber || opened.count < nextWord.count) }
        if isLower || ",;:)&/=".contains(first) { return false }

        var wordStart = index
        while wordStart > start, buffer[wordStart - 1].isWhitespace == false, Self.openers.contains(buffer[wordStart - 1]) == false {
            wordStart -= 1
        }
        let word = String(buffer[wordStart..<index])
        guard word.isEmpty == false else { return true }
        let key = word.lowercased().filter { $0 != "." }
        if word.allSatisfy(\.isNumber) {
            // "1. Install": a list's number begins what it counts.
            return buffer[start..<wordStart].contains { $0.isWhitespace == false }
        }
        if key == "st" || key == "dr", let before = buffer[start..<wordStart].split(whereSeparator: \.isWhitespace).last, before.first?.isUppercase == true,
            Self.starters.contains(String(before)) == false
        {
            // A street, "Elm St.", more often than a saint.
            return isStarter
        }
        if Self.titles.contains(key) { return false }
        if Self.beforeNumbers.contains(key), first.isNumber || (next != "I" && NumberWords.roman(next) != nil) { return false }
        if Self.months.contains(key) { return first.isNumber == false && isStarter }
        if word.contains("."), word.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ $0.count <= 2 && $0.allSatisfy(\.isLetter) }) {
            // U.S., a.m., Ph.D, e.g: more often inside a sentence than at its end.
            return Self.neverFinal.contains(key) ? false : isStarter
        }
        if Self.oftenInside.contains(key) { return isStarter }
        if word.count == 1, let letter = word.first, letter.isUppercase {
            // An initial, "J. Smith"; but "so do I. Then".
            return letter == "I" ? true : isStarter
        }
        return true
    }

    /// Always followed by what they belong to.
    private static let titles: Set<String> = [
        "dr", "mr", "mrs", "ms", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "maj", "cmdr", "adm", "cpl", "pvt", "sen", "rep", "gov",
        "pres", "supt", "insp", "mme", "mlle", "fr", "eg", "ie", "cf", "viz", "vs", "approx", "ca", "messrs", "st", "mt", "ft", "feat", "incl",
    ]
    private static let firms: Set<String> = ["Inc", "Ltd", "Corp", "Co", "LLC", "GmbH", "Group", "Holdings"]
    private static let neverFinal: Set<String> = ["eg", "ie"]
    /// Abbreviations only before a number: "No. 5", but "No. I won't."
    private static let beforeNumbers: Set<String> = [
        "no", "nos", "nr", "fig", "figs", "vol", "vols", "p", "pp", "sec", "ch", "chap", "eq", "eqs", "art", "par", "para", "pt", "ver", "v", "op", "ed",
        "est", "bk", "tab", "ref", "refs", "app", "ex", "sect", "ln", "tel", "ext",
    ]
    private static let months: Set<String> = ["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"]
    private static let oftenInside: Set<String> = [
        "inc", "ltd", "corp", "co", "llc", "plc", "bros", "jr", "sr", "esq", "phd", "etc", "al", "ave", "blvd", "rd", "hwy", "dept", "univ", "assn", "div",
        "mfg", "intl", "natl", "govt", "gmbh", "est", "min", "max", "avg", "mon", "tue", "tues", "wed", "thu", "thurs", "fri", "sat", "lb", "lbs", "oz",
        "ed", "eds", "trans", "pp", "approx", "dist", "tr", "nat", "int", "conf", "proc", "phys", "rev", "lett", "soc", "acad", "calif", "mass", "conn", "penn",
    ]
    /// Words with a capital that begin a sentence far more often than a name.
    private static let starters: Set<String> = [
        "The", "A", "An", "It", "He", "She", "They", "We", "You", "I", "This", "That", "These", "Those", "There", "Here", "In", "On", "At", "As", "If",
        "When", "While", "But", "And", "Or", "So", "However", "Then", "For", "From", "To", "With", "By", "After", "Before", "His", "Her", "Its", "Their",
        "Our", "My", "Your", "What", "Which", "Who", "Why", "How", "Where", "Not", "No", "Yes", "Some", "Many", "Most", "Each", "Every", "All", "Both",
        "Since", "Because", "Although", "Though", "Once", "Now", "Today", "Also", "Thus", "Therefore", "Please", "Let", "Do", "Does", "Did", "Is", "Are",
        "Was", "Were", "Can", "Could", "Will", "Would", "Should", "Has", "Have", "Had", "It's", "That's", "There's", "He's", "She's", "I'm", "We're",
        "They're", "You're", "Its", "Another", "Such", "Until", "Unless", "During", "Under", "Over", "Between", "Among", "Several", "Few", "Instead",
    ]
}
