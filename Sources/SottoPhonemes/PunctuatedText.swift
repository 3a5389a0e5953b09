/// A text cut into what is spoken and the punctuation between, since espeak-ng drops punctuation that a voice model needs.
///
/// The cuts are those of phonemizer's `Punctuation` with `preserve_punctuation=True`: a mark takes the white space around it, and
/// a comma or point between two digits is no mark.
struct PunctuatedText: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case spoken(String)
        case mark(String)
        /// A word whose phonemes are given.
        case phonemes(String)
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

    /// The text with those words' phonemes in their places.
    ///
    /// - Parameter pronunciations: IPA by word in lower case.
    func replacing(_ pronunciations: [String: String]) -> PunctuatedText {
        guard pronunciations.isEmpty == false else { return self }
        var result = PunctuatedText("")
        for part in parts {
            guard case .spoken(let words) = part else {
                result.parts.append(part)
                continue
            }
            var run: [Substring] = []
            func flush() {
                if run.isEmpty == false { result.parts.append(.spoken(run.joined(separator: " "))) }
                run = []
            }
            for (index, word) in words.split(separator: " ").enumerated() {
                if let phonemes = pronunciations[word.lowercased()] {
                    flush()
                    if index > 0 { result.parts.append(.mark(" ")) }
                    result.parts.append(.phonemes(phonemes))
                } else {
                    if run.isEmpty, index > 0 { result.parts.append(.mark(" ")) }
                    run.append(word)
                }
            }
            flush()
        }
        return result
    }
}

private func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
