/// What the lines of Markdown are to the ear, and their inline marks.
///
/// Read line by line rather than by a full parser: a stream of half-written Markdown must be sayable too, and what matters to
/// the ear (where to pause, what to leave out) is on the surface. ``SpokenStream`` puts the lines together.
enum MarkdownSpeech {
    /// A sentence end where there is none, so that the voice comes down.
    static func closed(_ text: String) -> String {
        guard let last = text.last(where: { "\"')]*_”’".contains($0) == false }) else { return text }
        return ".!?:;…".contains(last) ? text : text + (last == "," ? "" : ".")
    }

    static func heading(_ line: Substring) -> String? {
        let marks = line.prefix { $0 == "#" }
        guard (1...6).contains(marks.count) else { return nil }
        let rest = line.dropFirst(marks.count)
        guard rest.isEmpty || rest.first == " " else { return nil }
        return String(rest.trimmed.trimmingEnd { $0 == "#" || $0 == " " })
    }

    static func isRule(_ line: Substring) -> Bool {
        guard let first = line.first, "-=*_".contains(first) else { return false }
        let marks = line.filter { $0 != " " }
        return marks.count >= 3 && marks.allSatisfy { $0 == first }
    }

    static func isReference(_ line: Substring) -> Bool {
        guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return false }
        return line[line.index(after: end)...].hasPrefix(": ")
    }

    static func listItem(_ line: Substring) -> String? {
        if let first = line.first, "-*+•".contains(first), line.dropFirst().first == " " {
            var rest = line.dropFirst(2).trimmed
            for box in ["[ ] ", "[x] ", "[X] "] where rest.hasPrefix(box) { rest = rest.dropFirst(box.count) }
            return String(rest)
        }
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(digits.count) else { return nil }
        let rest = line.dropFirst(digits.count)
        guard let mark = rest.first, mark == "." || mark == ")", rest.dropFirst().first == " ", let number = Int(digits) else { return nil }
        return "\(NumberWords.cardinal(number).capitalizedFirst): \(rest.dropFirst(2).trimmed)"
    }

    /// Whether a line that begins so is running text, however it goes on; a stream says such a line before it has ended.
    ///
    /// - Parameter start: A beginning of a line, at least one character short of what is known.
    static func isRunningText(_ start: Substring) -> Bool {
        let start = start.drop(while: \.isWhitespace)
        guard let first = start.first else { return false }
        switch first {
        case "|", ">", "[": return false
        case "#": return start.drop { $0 == "#" }.first.map { $0.isWhitespace == false } ?? false
        case "*", "_", "-", "+", "=", "•":
            let rest = start.drop { $0 == first }
            guard let next = rest.first else { return false }
            // "**bold" is running text, "* item" and "* * *" are not.
            return next.isWhitespace == false
        case "`", "~":
            let marks = start.prefix { $0 == first }
            return marks.count < 3 && marks.endIndex < start.endIndex
        case _ where first.isASCII && first.isNumber:
            let rest = start.drop { $0.isASCII && $0.isNumber }
            guard let mark = rest.first else { return start.count > 3 }
            guard mark == "." || mark == ")" else { return true }
            return rest.dropFirst().first.map { $0.isWhitespace == false } ?? false
        default: return true
        }
    }

    static func spokenCode(_ lines: [String]) -> [String] {
        let lines = lines.map { String(Substring($0).trimmed) }.filter { $0.isEmpty == false }
        guard lines.isEmpty == false else { return [] }
        if lines.count <= 2, lines.allSatisfy({ $0.count <= 100 }) {
            return lines.map { ElectronicWords.command($0.hasPrefix("$ ") ? String($0.dropFirst(2)) : $0).capitalizedFirst + "." }
        }
        return ["A block of code, \(NumberWords.cardinal(lines.count)) lines."]
    }

    static func summary(ofTable rows: [String]) -> String {
        func cells(_ row: String) -> [String] {
            row.trimmingBars.split(separator: "|", omittingEmptySubsequences: false).map { inline(String($0.trimmed)) }
        }
        let isRuled = rows.count > 1 && rows[1].allSatisfy { "|-: ".contains($0) }
        let body = rows.dropFirst(isRuled ? 2 : 0).filter { row in row.contains { $0.isLetter || $0.isNumber } }
        let rowWords = "\(NumberWords.cardinal(body.count)) row\(body.count == 1 ? "" : "s")"
        let names = isRuled ? cells(rows[0]).filter { $0.isEmpty == false } : []
        guard names.isEmpty == false || body.isEmpty == false else { return "" }
        guard names.isEmpty == false else { return "A table of \(rowWords)." }
        // A small table is short enough to be heard whole.
        if body.count <= 3, names.count <= 3 {
            let spoken = body.map { row in
                zip(cells(rows[0]), cells(row)).filter { $0.1.isEmpty == false }.map { $0.0.isEmpty ? $0.1 : "\($0.0): \($0.1)" }
                    .joined(separator: ", ") + "."
            }
            return spoken.joined(separator: " ")
        }
        let list = names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
        return "A table of \(rowWords), with \(list)."
    }

    /// Inline Markdown removed; code said in words.
    static func inline(_ text: String) -> String {
        var pieces = ""
        var rest = Substring(text)
        // Code first: its characters are not marks.
        while let open = rest.firstIndex(of: "`") {
            let ticks = rest[open...].prefix { $0 == "`" }
            let after = rest[ticks.endIndex...]
            guard let close = after.ranges(of: String(ticks)).first(where: { range in
                (range.upperBound == after.endIndex || after[range.upperBound] != "`")
            }) else { break }
            pieces += marksRemoved(String(rest[..<open]))
            pieces += ElectronicWords.command(String(after[..<close.lowerBound]))
            rest = after[close.upperBound...]
        }
        pieces += marksRemoved(String(rest))
        return String(Substring(pieces).trimmed)
    }

    private static func marksRemoved(_ text: String) -> String {
        text.contains { "[]<>&*_~\\!".contains($0) } ? text.applying(inlineRules) : text
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "mdash": "—", "ndash": "–", "hellip": "…"]

    private static let inlineRules: [TextRule] = [
        TextRule("<!--.*?-->", to: ""),
        TextRule("<(https?://[^>\\s]+|[^>\\s@]+@[^>\\s]+)>", to: "$1"),
        TextRule("</?[A-Za-z][^<>]*>", to: ""),
        TextRule("!\\[([^\\]]*)\\]\\([^)]*\\)", { $0[1].isEmpty ? "" : "Image: \($0[1])." }),
        // Footnotes and citations are for the eye: [^1], [1], [2, 3], [1][2].
        TextRule(" ?\\[\\^[^\\]]+\\]", to: ""),
        TextRule(" ?\\[\\d{1,3}(?:[,;–-] ?\\d{1,3})*\\](?!\\()", to: ""),
        TextRule("\\[([^\\[\\]]+)\\]\\((?:[^()]|\\([^()]*\\))*\\)", to: "$1"),
        TextRule("\\[([^\\[\\]]+)\\]\\[[^\\]]*\\]", to: "$1"),
        TextRule("(?<![\\w\\\\])(\\*{1,3})(?=\\S)(.+?)(?<=\\S)\\1", to: "$2"),
        TextRule("(?<![\\w\\\\])(_{1,3})(?=\\S)(.+?)(?<=\\S)\\1(?!\\w)", to: "$2"),
        TextRule("(\\*{1,3})(?=\\S)(.+?)(?<=\\S)\\1", to: "$2"),
        // Emphasis that a sentence opens or closes for a whole paragraph.
        TextRule("(?<![\\w\\\\*])\\*{1,3}(?=[\\w\"'(])|(?<=[\\w.!?:,;)\"'])\\*{1,3}(?![\\w*])", to: ""),
        TextRule("(?<!\\w)_{1,3}(?=\\w)|(?<=[\\w.!?])_{1,3}(?!\\w)", to: ""),
        TextRule("~~(?=\\S)(.+?)(?<=\\S)~~", to: "$1"),
        TextRule("\\\\([\\\\`*_{}\\[\\]()#+.!~<>|-])", to: "$1"),
        TextRule("&(#x?[0-9A-Fa-f]+|[a-z]+);", { groups in
            if let known = entities[groups[1]] { return known }
            guard groups[1].hasPrefix("#") else { return nil }
            let isHex = groups[1].dropFirst().first == "x"
            return UInt32(groups[1].dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init).map { String(Character($0)) }
        }),
    ]
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { $0.isWhitespace == false }), let last = lastIndex(where: { $0.isWhitespace == false }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }

    func trimmingEnd(_ isDropped: (Character) -> Bool) -> SubSequence {
        guard let last = lastIndex(where: { isDropped($0) == false }) else { return self[startIndex..<startIndex] }
        return self[...last]
    }

    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension String {
    fileprivate var trimmingBars: Substring {
        var rest = Substring(self).trimmed
        if rest.first == "|" { rest = rest.dropFirst() }
        if rest.last == "|" { rest = rest.dropLast() }
        return rest
    }
}
