extension Document {
    /// The visible text, blocks separated by one empty line, in reading order: what ``Passage/offset`` counts in.
    ///
    /// Headings stand alone, list items begin with `- ` or their number, table rows name their columns.
    public var plainText: String {
        var text = ""
        for unit in TextUnit.units(of: self) { unit.append(to: &text) }
        return text
    }

    /// GitHub-flavored Markdown that gives the same blocks again.
    public var markdown: String {
        MarkdownWriter.write(blocks)
    }
}

/// Writes blocks as GitHub-flavored Markdown.
enum MarkdownWriter {
    static func write(_ blocks: [Block]) -> String {
        var lines: [String] = []
        append(blocks, to: &lines, indent: "")
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    private static func append(_ blocks: [Block], to lines: inout [String], indent: String) {
        for block in blocks {
            append(block, to: &lines, indent: indent)
            lines.append("")
        }
        if blocks.isEmpty == false { lines.removeLast() }
    }

    private static func append(_ block: Block, to lines: inout [String], indent: String) {
        switch block {
        case .heading(let level, let text):
            lines.append(indent + String(repeating: "#", count: min(max(level, 1), 6)) + " " + oneLine(text))
        case .paragraph(let text):
            for line in text.split(separator: "\n", omittingEmptySubsequences: true) { lines.append(indent + escapedStart(String(line)) + "  ") }
            // Two spaces keep a break inside a paragraph; the last line needs none.
            if let last = lines.last { lines[lines.count - 1] = String(last.dropLast(2)) }
        case .list(let ordered, let items):
            for (number, item) in items.enumerated() {
                let marker = ordered ? "\(number + 1). " : "- "
                var inner: [String] = []
                append(item, to: &inner, indent: "")
                let hanging = indent + String(repeating: " ", count: marker.count)
                for (index, line) in inner.enumerated() {
                    lines.append(line.isEmpty ? "" : (index == 0 ? indent + marker : hanging) + line)
                }
                if inner.isEmpty { lines.append(indent + marker) }
            }
        case .table(let rows, let headerRows):
            let width = rows.map(\.count).max() ?? 0
            guard width > 0 else { return }
            var body = rows
            let header = headerRows > 0 && rows.isEmpty == false ? body.removeFirst() : Array(repeating: "", count: width)
            lines.append(indent + tableRow(header, width: width))
            lines.append(indent + "|" + String(repeating: " --- |", count: width))
            for row in body { lines.append(indent + tableRow(row, width: width)) }
        case .code(let text):
            var fence = "```"
            while text.contains(fence) { fence += "`" }
            lines.append(indent + fence)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) { lines.append(line.isEmpty ? "" : indent + line) }
            lines.append(indent + fence)
        case .quote(let blocks):
            var inner: [String] = []
            append(blocks, to: &inner, indent: "")
            for line in inner { lines.append(indent + (line.isEmpty ? ">" : "> " + line)) }
        case .definition(let term, let blocks):
            lines.append(indent + "**" + oneLine(term) + "**")
            lines.append("")
            append(blocks, to: &lines, indent: indent)
        }
    }

    private static func tableRow(_ cells: [String], width: Int) -> String {
        let padded = cells + Array(repeating: "", count: max(0, width - cells.count))
        return "| " + padded.map { replacing("|", by: "\\|", in: oneLine($0)) }.joined(separator: " | ") + " |"
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A paragraph that begins like a heading, list, quote, fence or rule keeps being a paragraph.
    private static func escapedStart(_ line: String) -> String {
        guard let first = line.first else { return line }
        if "#>+-=~`|*_".contains(first) { return "\\" + line }
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        if digits.isEmpty == false, digits.count < 10, let after = line.dropFirst(digits.count).first, after == "." || after == ")" {
            return digits + "\\" + line.dropFirst(digits.count)
        }
        return line
    }

    private static func replacing(_ character: Character, by replacement: String, in text: String) -> String {
        var result = ""
        for next in text { if next == character { result += replacement } else { result.append(next) } }
        return result
    }
}
