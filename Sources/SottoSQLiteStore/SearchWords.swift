internal import Foundation

/// Cuts text into the words that are searched for, the same way for passages and for queries.
enum SearchWords {
    /// Text as the full-text index receives it: in scripts that write no spaces, every two neighbors become a word.
    ///
    /// The tokenizer of SQLite takes a whole Chinese or Thai sentence for one word. Pairs find any word of two characters and more,
    /// and cost less space than the trigram tokenizer, which finds none of two.
    static func indexed(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0xE0 }), text.unicodeScalars.contains(where: isSpaceless) else { return text }
        var result = ""
        var run: [Unicode.Scalar] = []
        func close() {
            guard run.isEmpty == false else { return }
            result += " " + pairs(run).joined(separator: " ") + " "
            run.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            if isSpaceless(scalar) {
                run.append(scalar)
            } else {
                close()
                result.unicodeScalars.append(scalar)
            }
        }
        close()
        return result
    }

    /// The words of a text in lower case without diacritics, English suffixes stripped, in order.
    static func stems(_ text: String) -> [String] {
        words(indexed(text)).map(PorterStemmer.stem)
    }

    /// Runs of letters and digits, folded as the tokenizer folds them.
    static func words(_ text: String) -> [String] {
        let isFolded = text.utf8.contains { $0 >= 0x80 } && text.unicodeScalars.contains { $0.value >= 0x80 && isWord($0) }
        guard isFolded else { return plainWords(text) }
        var result: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in folded(text).unicodeScalars {
            if isWord(scalar) {
                word.append(scalar)
            } else if word.isEmpty == false {
                result.append(String(word))
                word.removeAll(keepingCapacity: true)
            }
        }
        if word.isEmpty == false { result.append(String(word)) }
        return result
    }

    /// The same for text whose letters are all ASCII, byte by byte: most of English.
    private static func plainWords(_ text: String) -> [String] {
        var result: [String] = []
        var word: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: word.append(byte)
            case 0x41...0x5A: word.append(byte | 0x20)
            default:
                if word.isEmpty == false { result.append(String(decoding: word, as: UTF8.self)) }
                word.removeAll(keepingCapacity: true)
            }
        }
        if word.isEmpty == false { result.append(String(decoding: word, as: UTF8.self)) }
        return result
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || isMark(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.diacriticInsensitive], locale: nil).lowercased()
    }

    static func pairs(_ run: [Unicode.Scalar]) -> [String] {
        guard run.count > 1 else { return run.map { String(Character($0)) } }
        return (0..<run.count - 1).map { index in
            var pair = String.UnicodeScalarView()
            pair.append(run[index])
            pair.append(run[index + 1])
            return String(pair)
        }
    }

    /// Han, kana, Hangul (whose particles cling to words), Thai, Lao, Khmer, Burmese.
    static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3134F: true
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        default: false
        }
    }
}
