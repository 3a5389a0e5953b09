internal import SottoDocument

/// Reads text without markup: paragraphs between empty lines, underlined or numbered headings, indented code.
enum PlainTextReader {
    static func read(_ text: String, name: String) -> Document {
        var hidden = 0
        let lines = VisibleText.clean(text, hidden: &hidden).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            String(line.reversed().drop { $0.isWhitespace }.reversed())
        }
        var blocks: [Block] = []
        var group: [String] = []
        for line in lines + [""] {
            if line.isEmpty {
                add(group, to: &blocks)
                group = []
            } else {
                group.append(line.unicodeScalars.count > 200_000 ? String(line) : line)
            }
        }
        var title = ""
        if case .heading(_, let text)? = blocks.first { title = text }
        return Document(title: title, blocks: blocks, hiddenCharacters: hidden)
    }

    private static func add(_ lines: [String], to blocks: inout [Block]) {
        guard let first = lines.first else { return }
        if lines.count >= 2, let level = underline(lines[1]), first.first?.isWhitespace == false, first.count <= 100 {
            blocks.append(.heading(level: level, text: first))
            add(Array(lines.dropFirst(2)), to: &blocks)
            return
        }
        if lines.count == 1, let level = numbering(first) {
            blocks.append(.heading(level: level, text: first.trimmingSpaces))
            return
        }
        if lines.allSatisfy({ $0.hasPrefix("    ") || $0.hasPrefix("\t") }) {
            // Neighboring pieces of one listing stay together.
            let code = lines.joined(separator: "\n")
            if case .code(let before)? = blocks.last { blocks[blocks.count - 1] = .code(before + "\n\n" + code) } else { blocks.append(.code(code)) }
            return
        }
        let items = lines.count { bullet($0) }
        let widest = lines.map(\.count).max() ?? 0
        // Tables, addresses and lists keep their lines; prose that was wrapped at some width does not.
        let keepsLines = items > 0 || lines.count { $0.trimmingSpaces.contains("  ") || $0.contains("\t") } * 2 > lines.count || (widest < 50 && lines.count > 1 && isWide(first) == false)
        let text = keepsLines ? lines.map(\.trimmingSpaces).joined(separator: "\n") : joined(lines)
        blocks.append(.paragraph(text))
    }

    /// Wrapped lines as one; a word hyphenated at the end of a line is put together again, and scripts without spaces get none.
    static func joined(_ lines: [String]) -> String {
        var text = ""
        for line in lines.map(\.trimmingSpaces) where line.isEmpty == false {
            guard let last = text.last, let first = line.first else {
                text = line
                continue
            }
            if last == "-" || last == "\u{2010}", first.isLowercase, text.dropLast().last?.isLetter == true {
                text.removeLast()
                text += line
            } else {
                text += isWide(String(last)) && isWide(String(first)) ? line : " " + line
            }
        }
        return text
    }

    private static func isWide(_ text: String) -> Bool {
        text.unicodeScalars.first.map { (0x3000...0x9FFF).contains($0.value) || (0xFF00...0xFFEF).contains($0.value) } ?? false
    }

    private static func underline(_ line: String) -> Int? {
        guard line.count >= 3, let mark = line.first, "=-~^\"#*".contains(mark), line.allSatisfy({ $0 == mark }) else { return nil }
        return switch mark {
        case "=", "#": 1
        case "-", "*": 2
        default: 3
        }
    }

    /// "3.2 Quotas", alone between empty lines.
    static func numbering(_ line: String) -> Int? {
        let text = line.trimmingSpaces
        guard text.count <= 80, let last = text.last, ".,;:?!".contains(last) == false else { return nil }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let first = number.first, first.isNumber, number.contains("."), number.contains("..") == false else { return nil }
        let rest = text.dropFirst(number.count)
        guard rest.first?.isWhitespace == true, let letter = rest.first(where: { $0.isWhitespace == false }), letter.isUppercase else { return nil }
        return min(6, number.split(separator: ".").count + 1)
    }

    private static func bullet(_ line: String) -> Bool {
        let text = line.drop(while: \.isWhitespace)
        return text.hasPrefix("- ") || text.hasPrefix("* ") || text.hasPrefix("• ") || text.hasPrefix("o ")
    }
}
