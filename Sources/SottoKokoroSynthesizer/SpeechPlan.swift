internal import SottoText

/// How a text is cut into the pieces that are synthesized one by one.
///
/// A sentence is a piece, so that its melody stays whole, but: a very short one goes with the next (the model swallows lone
/// words), the first is cut at an early clause end so that sound starts soon, and a long one is cut at clause ends, else between
/// words, never inside a word or a number.
struct SpeechPlan: Sendable {
    struct Piece: Sendable, Equatable {
        /// What the piece says as it was written; for a part of a sentence, its spoken form.
        var text: String
        /// What is turned into phonemes.
        var spoken: String
        /// The silence after it, in seconds at speed 1.
        var pause: Double
    }

    /// A piece of about this many characters takes some twelve seconds to say.
    static let longestPiece = 200
    /// Shorter than this, a sentence goes with the next.
    static let shortSentence = 15
    /// Where the first piece may end.
    static let firstClause = 20...90

    private(set) var pieces: [Piece] = []

    init(_ text: String) {
        let paragraphs = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .split(whereSeparator: { line in line.allSatisfy(\.isWhitespace) }).map { $0.joined(separator: " ") }
        for paragraph in paragraphs {
            var held: (text: String, spoken: String)?
            for sentence in SentenceSplitter.sentences(paragraph) {
                let spoken = SpokenForm.spoken(plain: sentence)
                guard spoken.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
                if let short = held {
                    held = (short.text + " " + sentence, short.spoken + " " + spoken)
                } else {
                    held = (sentence, spoken)
                }
                if let whole = held, whole.spoken.count >= Self.shortSentence {
                    add(whole.text, spoken: whole.spoken)
                    held = nil
                }
            }
            if let rest = held { add(rest.text, spoken: rest.spoken) }
            if pieces.isEmpty == false { pieces[pieces.count - 1].pause = Self.paragraphPause }
        }
        if pieces.isEmpty == false { pieces[pieces.count - 1].pause = Self.lastPause }
    }

    private static let sentencePause = 0.3
    private static let clausePause = 0.12
    private static let paragraphPause = 0.55
    private static let lastPause = 0.2

    private mutating func add(_ text: String, spoken: String) {
        var parts = Self.parts(of: spoken, limit: Self.longestPiece)
        if pieces.isEmpty, let first = parts.first, first.count > Self.firstClause.upperBound, let cut = Self.earlyCut(in: first) {
            parts.replaceSubrange(0..<1, with: cut)
        }
        for (index, part) in parts.enumerated() {
            pieces.append(
                Piece(text: parts.count == 1 ? text : part, spoken: part, pause: index == parts.count - 1 ? Self.sentencePause : Self.clausePause))
        }
    }

    /// A first clause that is short, and the rest.
    static func earlyCut(in text: String) -> [String]? {
        let characters = Array(text)
        let ends = clauseEnds(in: characters, range: firstClause)
        guard let end = ends.first, end < characters.count - 15 else { return nil }
        return [trim(characters[..<end]), trim(characters[end...])]
    }

    /// A text as parts of at most `limit` characters, cut at the last clause end that fits, else between words.
    static func parts(of text: String, limit: Int) -> [String] {
        var rest = Array(text)[...]
        var parts: [String] = []
        while rest.count > limit {
            let window = Array(rest.prefix(limit))
            let end: Int
            if let clause = clauseEnds(in: window, range: (limit / 4)...limit).last {
                end = clause
            } else if let space = conjunction(in: window, from: limit / 3) ?? window.lastIndex(where: \.isWhitespace), space > 0 {
                end = space
            } else {
                // One word longer than any piece: it is no word, and the cut goes unheard.
                end = limit
            }
            parts.append(trim(rest.prefix(end)))
            rest = rest.dropFirst(end).drop(while: \.isWhitespace)
        }
        if rest.isEmpty == false { parts.append(trim(rest)) }
        return parts.filter { part in part.contains { $0.isLetter || $0.isNumber } }
    }

    /// After a mark that is followed by a space, so that "1,000" and "3:45" stay whole.
    private static func clauseEnds(in characters: [Character], range: ClosedRange<Int>) -> [Int] {
        characters.indices.filter { index in
            guard range.contains(index + 1), index + 1 < characters.count, characters[index + 1].isWhitespace else { return false }
            return ",;:.!?—…)".contains(characters[index])
        }.map { $0 + 1 }
    }

    private static let conjunctions: Set<String> = ["and", "but", "or", "because", "which", "that", "while", "when", "where", "so", "with", "for", "to"]

    /// The space before the last word that may begin a clause.
    private static func conjunction(in characters: [Character], from lowest: Int) -> Int? {
        var found: Int?
        var start = 0
        for index in characters.indices where characters[index].isWhitespace {
            if start > lowest, conjunctions.contains(String(characters[start..<index])) { found = start - 1 }
            start = index + 1
        }
        return found
    }

    private static func trim(_ characters: some Collection<Character>) -> String {
        var text = Substring(String(characters))
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
