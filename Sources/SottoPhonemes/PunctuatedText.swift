/// A text cut into what is spoken and the punctuation between, since espeak-ng drops punctuation that a voice model needs.
///
/// The cuts are those of phonemizer's `Punctuation` with `preserve_punctuation=True`: a mark takes the white space around it, and
/// a comma or point between two digits is no mark.
struct PunctuatedText: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case spoken(String)
        case mark(String)
    }

    /// phonemizer's default marks.
    static let marks: Set<Character> = [
        ";", ":", ",", ".", "!", "?", "¡", "¿", "—", "…", "\"", "«", "»", "“", "”", "(", ")", "{", "}", "[", "]",
    ]

    var parts: [Part] = []

    init(_ text: String) {
        let characters = Array(text)
        func isMark(_ index: Int) -> Bool {
            let character = characters[index]
            guard Self.marks.contains(character) else { return false }
            guard character == "," || character == "." else { return true }
            let isAfterDigit = index > 0 && isDigit(characters[index - 1])
            let isBeforeDigit = index + 1 < characters.count && isDigit(characters[index + 1])
            return (isAfterDigit && isBeforeDigit) == false
        }
        var index = 0
        var spoken = ""
        while index < characters.count {
            var end = index
            var hasMark = false
            while end < characters.count, characters[end].isWhitespace || isMark(end) {
                hasMark = hasMark || isMark(end)
                end += 1
            }
            if hasMark {
                if spoken.isEmpty == false { parts.append(.spoken(spoken)) }
                spoken = ""
                parts.append(.mark(String(characters[index..<end].map { $0.isWhitespace ? " " : $0 })))
                index = end
            } else if end > index {
                spoken.append(" ")
                index = end
            } else {
                spoken.append(characters[index])
                index += 1
            }
        }
        if spoken.isEmpty == false { parts.append(.spoken(spoken)) }
    }
}

private func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
