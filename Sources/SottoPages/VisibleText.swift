/// Drops characters that nobody sees, and counts them.
enum VisibleText {
    /// Zero-width and direction characters that hide or reorder text. The joiners U+200C and U+200D stay between letters
    /// that need them (Persian, the scripts of India, emoji).
    static func clean(_ text: String, hidden: inout Int) -> String {
        guard text.utf8.contains(where: { $0 >= 0xC2 }) || text.utf8.contains(0) else { return text }
        var result = String.UnicodeScalarView()
        var dropped = 0
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x00AD, 0x200B, 0x2060...0x2064, 0xFEFF, 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C, 0xFFF9...0xFFFB, 0: dropped += 1
            case 0xE0000...0xE007F, 0xE0100...0xE01EF: dropped += 1
            case 0x200C, 0x200D:
                if previous.value < 0x0600 { dropped += 1 } else { result.append(scalar) }
            default:
                result.append(scalar)
                previous = scalar
            }
        }
        if dropped == 0 { return text }
        hidden += dropped
        return String(result)
    }

    /// Runs of white space become one space; line breaks written as `\n` by `br` stay.
    static func collapse(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\u{85}", omittingEmptySubsequences: true) {
            let words = line.split { $0.isWhitespace || $0 == "\u{A0}" }
            if words.isEmpty == false { lines.append(words.joined(separator: " ")) }
        }
        return lines.joined(separator: "\n")
    }

    /// Stands for a `br` until ``collapse(_:)``: a character that markup cannot hold as text.
    static let lineBreak = "\u{85}"
}
