/// Cuts text after sentence ends, losing nothing: the pieces joined are the text.
enum SentenceCutter {
    /// Abbreviations whose period ends no sentence, in the languages that write them so.
    private static let abbreviations: Set<String> = [
        "e.g", "i.e", "etc", "cf", "vs", "mr", "mrs", "ms", "dr", "prof", "st", "no", "fig", "p", "pp", "vol", "ed", "al", "approx",
        "z.b", "d.h", "u.a", "bzw", "usw", "ca", "nr", "s", "p.ex", "ex", "ej", "art", "sr", "sra", "pág", "bijv", "m", "mme",
    ]

    static func cut(_ text: String) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            var next = text.index(after: index)
            guard isEnd(character) else {
                index = next
                continue
            }
            // Closing quotes and brackets belong to the sentence.
            while next < text.endIndex, "\"'”’»）)]」』".contains(text[next]) || isEnd(text[next]) { next = text.index(after: next) }
            let isWide = "。！？".contains(character)
            let isBreak = next == text.endIndex || text[next].isWhitespace || isWide
            if isBreak, isWide || character == "\n" || endsSentence(text[start..<index], mark: character, rest: text[next...]) {
                // The space after a sentence stays with it.
                while next < text.endIndex, text[next].isWhitespace { next = text.index(after: next) }
                pieces.append(text[start..<next])
                start = next
            }
            index = next
        }
        if start < text.endIndex { pieces.append(text[start...]) }
        return pieces
    }

    private static func isEnd(_ character: Character) -> Bool { ".!?。！？؟।…\n".contains(character) }

    private static func endsSentence(_ before: Substring, mark: Character, rest: Substring) -> Bool {
        guard mark == "." else { return true }
        let word = before.reversed().prefix { $0.isWhitespace == false && $0 != "(" }.reversed()
        let last = String(word).lowercased()
        if abbreviations.contains(last) { return false }
        // "J. Smith", and the number of a heading or list: "8.1. Configuring".
        if last.count == 1, last.first?.isLetter == true { return false }
        guard let following = rest.first(where: { $0.isWhitespace == false }) else { return true }
        return following.isLowercase == false
    }
}
