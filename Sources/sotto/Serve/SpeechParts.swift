import SottoText

/// A text as what is said one after another, and where in it a piece of speech belongs.
struct SpeechParts: Sendable {
    /// The sentences, as they are written.
    let sentences: [String]
    let parts: [SpokenPart]
    /// Where each sentence ends, in letters that are no white space, from the beginning of the text.
    private let ends: [Int]
    private var position: Int

    /// - Parameter first: The sentence that is said first; those before it are left out.
    init(_ text: String, pronunciations: Pronunciations, from first: Int = 0) {
        var stream = SpokenStream(pronunciations: pronunciations)
        let all = stream.append(text) + stream.finish()
        var sentences: [String] = []
        var kept: [SpokenPart] = []
        for part in all {
            if case .sentence(let sentence) = part { sentences.append(sentence.written) }
            if sentences.count > first { kept.append(part) }
        }
        self.sentences = sentences
        parts = kept
        var ends: [Int] = []
        for sentence in sentences { ends.append((ends.last ?? 0) + Self.length(sentence)) }
        self.ends = ends
        position = first > 0 && first <= ends.count ? ends[first - 1] : 0
    }

    /// The sentence in which the next piece of speech begins.
    ///
    /// - Parameter piece: As it is written; pieces come in order, each a part of one sentence or several sentences.
    mutating func place(of piece: String) -> Int {
        let start = position
        position += Self.length(piece)
        return min(ends.firstIndex { start < $0 } ?? ends.count - 1, max(0, ends.count - 1))
    }

    private static func length(_ text: String) -> Int { text.unicodeScalars.count { $0.properties.isWhitespace == false } }
}
