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

    /// Cleans and collapses at once.
    static func line(_ text: String) -> String {
        var ignored = 0
        return line(Array(text.utf8), hidden: &ignored)
    }

    /// Cleans and collapses UTF-8 at once: what ``clean(_:hidden:)`` and ``collapse(_:)`` do one after the other.
    static func line(_ bytes: [UInt8], hidden: inout Int) -> String {
        var writer = LineWriter()
        writer.add(bytes[...])
        hidden += writer.hidden
        return String(decoding: writer.output, as: UTF8.self)
    }
}

/// Writes visible text with single spaces.
private struct LineWriter {
    var output: [UInt8] = []
    var hidden = 0
    private var previous: UInt32 = 0x20
    private var gap = Gap.none

    private enum Gap { case none, space, line }

    private mutating func space() { if gap == .none, output.isEmpty == false { gap = .space } }

    private mutating func close() {
        switch gap {
        case .none: return
        case .space: output.append(0x20)
        case .line: output.append(0x0A)
        }
        gap = .none
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte < 0x80 {
                index += 1
                if byte > 0x20 {
                    close()
                    output.append(byte)
                    previous = UInt32(byte)
                } else if byte == 0 {
                    hidden += 1
                } else {
                    space()
                }
                continue
            }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            let end = min(index + length, bytes.endIndex)
            var scalar = UInt32(byte) & (length == 4 ? 0x07 : length == 3 ? 0x0F : 0x1F)
            for next in bytes[(index + 1)..<end] { scalar = scalar << 6 | UInt32(next & 0x3F) }
            switch scalar {
            case 0x85: if output.isEmpty == false { gap = .line }
            case 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: space()
            case 0xAD, 0x200B, 0x2060...0x2064, 0xFEFF, 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C, 0xFFF9...0xFFFB, 0xE0000...0xE007F, 0xE0100...0xE01EF:
                hidden += 1
            case 0x200C where previous < 0x0600, 0x200D where previous < 0x0600: hidden += 1
            default:
                close()
                output += bytes[index..<end]
                previous = scalar
            }
            index = end
        }
    }
}
