internal import SottoSpeechEngines
internal import SottoText

/// How a text is cut into the pieces that are synthesized one by one, while it comes.
///
/// A sentence is a piece, so that its melody stays whole, but: a very short one goes with the next (the model swallows lone words), the first is
/// cut at an early clause end so that sound starts soon, and so is the second when it is long beside the first (while the first is heard the second is
/// made); a long one is cut at clause ends, else between words, never inside a word or a number.
struct SpeechPlan: Sendable {
    struct Piece: Sendable, Equatable {
        /// What the piece says as it was written; for a part of a sentence, its spoken form.
        var text: String
        /// What is turned into phonemes.
        var spoken: String
        /// The silence before it, in seconds at speed 1, from the last sound of what precedes to its own first.
        var pause: Double
        /// Whether its sentence goes on without a mark, so that the voice has to stay up.
        var isOpen = false
    }

    /// The silences between pieces, in seconds at speed 1.
    enum Pause {
        static let clause = 0.2
        /// At a seam without a mark.
        static let seam = 0.06
        static let sentence = 0.4
        static let item = 0.5
        static let paragraph = 0.65
    }

    /// A piece of about this many characters takes some twelve seconds to say.
    static let longestPiece = 200
    /// Shorter than this, a sentence goes with the next.
    static let shortSentence = 15
    /// A first sentence of up to so many characters is there in time as a whole.
    static let firstPiece = 24
    /// After so many characters speech is far enough ahead of the listener.
    static let settled = 120
    /// A piece is made in about this part of the time that it is heard; a later piece may be longer than the one before by as much.
    static let growth = 2.2

    /// Whether the first sentences are cut so that sound starts soon: each cut is another run of the network, which makes about a second of
    /// silence around whatever it is given.
    private let startsEarly: Bool
    private var held: (text: String, spoken: String)?
    private var pause = 0.0
    private var pieces: [Piece] = []
    /// How many characters are heard before the next piece has to be there.
    private var heard = 0

    init(startsEarly: Bool = true) { self.startsEarly = startsEarly }

    /// Takes the next part.
    ///
    /// - Returns: The pieces that can be made now.
    mutating func add(_ part: SpeechPart) -> [Piece] {
        switch part {
        case .sentence(let written, let spoken):
            guard spoken.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
            let whole = held.map { ($0.text + " " + written, $0.spoken + " " + spoken) } ?? (written, spoken)
            if whole.1.count >= Self.shortSentence {
                held = nil
                add(whole.0, spoken: whole.1)
            } else {
                held = whole
            }
        case .itemEnd: rest(Pause.item)
        case .paragraphEnd: rest(Pause.paragraph)
        }
        return taken()
    }

    /// The rest of the text.
    mutating func finish() -> [Piece] {
        rest(0)
        return taken()
    }

    private mutating func taken() -> [Piece] {
        defer { pieces = [] }
        return pieces
    }

    private mutating func rest(_ length: Double) {
        if let rest = held {
            held = nil
            add(rest.text, spoken: rest.spoken)
        }
        if heard > 0 { pause = max(pause, length) }
    }

    private mutating func add(_ text: String, spoken: String) {
        var parts: [String] = []
        var rest = spoken
        // Early parts: short enough to be there in time.
        var early = heard
        while startsEarly, early < Self.settled {
            let limit = early == 0 ? Self.firstPiece : Int(Double(early) * Self.growth)
            guard rest.count > limit, let cut = ClauseCut.first(in: rest, range: ClauseCut.early.lowerBound...max(limit, ClauseCut.early.upperBound)) else { break }
            parts.append(cut.head)
            early += cut.head.count
            rest = cut.tail
        }
        parts += Self.parts(of: rest, limit: Self.longestPiece)
        for (index, part) in parts.enumerated() {
            let isOpen = index < parts.count - 1 && part.last.map { $0.isLetter || $0.isNumber } == true
            pieces.append(Piece(text: parts.count == 1 ? text : part, spoken: part, pause: pause, isOpen: isOpen))
            pause = isOpen ? Pause.seam : Pause.clause
            heard += part.count
        }
        pause = Pause.sentence
    }

    /// The parts of a plain text; an empty line ends a paragraph.
    static func parts(ofText text: String) -> [SpeechPart] {
        let paragraphs = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .split(whereSeparator: { line in line.allSatisfy(\.isWhitespace) }).map { $0.joined(separator: " ") }
        return paragraphs.flatMap { paragraph in
            SentenceSplitter.sentences(paragraph).map { SpeechPart.sentence(written: $0, spoken: SpokenForm.spoken(plain: $0)) } + [.paragraphEnd]
        }
    }

    /// The pieces of a plain text.
    static func pieces(of text: String, startsEarly: Bool = true) -> [Piece] {
        var plan = SpeechPlan(startsEarly: startsEarly)
        return parts(ofText: text).flatMap { plan.add($0) } + plan.finish()
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
