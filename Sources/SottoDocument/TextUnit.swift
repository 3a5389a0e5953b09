/// One run of a document's plain text that is never cut unless it is too long by itself.
struct TextUnit {
    enum Kind: Equatable { case heading(level: Int), paragraph, item, row, code }

    var kind: Kind
    var text: String
    /// The headings above it, outermost first, without the document's title.
    var headings: [String]
    /// What stands between it and the unit before it.
    var separator: String
    /// Where it begins in the plain text, in UTF-8 bytes.
    var offset: Int
    /// Introduces what follows: a lead-in before a list, a table or code.
    var keepsWithNext = false
    /// A heading that only repeats the document's title.
    var isTitle = false
    /// The sentence that introduces the list or table it belongs to, repeated when the list is cut.
    var leadIn: String?
    /// In Unicode scalars: near enough to what people call characters, and cheap.
    var length: Int

    func append(to text: inout String) {
        if text.isEmpty == false { text += separator }
        text += self.text
    }

    static func units(of document: Document) -> [TextUnit] {
        var collector = Collector(title: document.title)
        collector.add(document.blocks, depth: 0, prefix: "")
        return collector.units
    }

    private struct Collector {
        let title: String
        var units: [TextUnit] = []
        var path: [(level: Int, text: String)] = []
        var bytes = 0
        var leadIn: String?
        /// Whether the next unit continues a list or table, and so stands on the next line.
        var isTight = false

        init(title: String) { self.title = title }

        mutating func add(_ blocks: [Block], depth: Int, prefix: String) {
            var prefix = prefix
            for (index, block) in blocks.enumerated() {
                let next = index + 1 < blocks.count ? blocks[index + 1] : nil
                add(block, next: next, depth: depth, prefix: prefix)
                if prefix.isEmpty == false { prefix = String(repeating: " ", count: prefix.unicodeScalars.count) }
            }
        }

        private mutating func add(_ block: Block, next: Block?, depth: Int, prefix: String) {
            switch block {
            case .heading(let level, let text):
                guard text.isEmpty == false else { return }
                while let last = path.last, last.level >= level { path.removeLast() }
                // The unit carries the path above it; what follows carries it too.
                emit(.heading(level: level), text, prefix: prefix)
                units[units.count - 1].keepsWithNext = true
                units[units.count - 1].isTitle = isTitle(text)
                if isTitle(text) == false { path.append((level, text)) }
                leadIn = nil
            case .paragraph(let text):
                emit(depth == 0 ? .paragraph : .item, text, prefix: prefix)
                if let next, introduces(next), units.isEmpty == false { units[units.count - 1].keepsWithNext = true }
                if depth == 0 { leadIn = next.map(introduces) == true ? Self.lastSentence(text) : nil }
            case .list(let ordered, let items):
                for (number, item) in items.enumerated() {
                    let marker = String(repeating: "  ", count: depth) + (ordered ? "\(number + 1). " : "- ")
                    isTight = number > 0 || depth > 0
                    add(item, depth: depth + 1, prefix: marker)
                }
                isTight = false
                if depth == 0 { leadIn = nil }
            case .table(let rows, let headerRows):
                for (number, line) in Self.lines(ofTable: rows, headerRows: headerRows).enumerated() {
                    isTight = number > 0
                    emit(.row, line, prefix: prefix)
                }
                isTight = false
                leadIn = nil
            case .code(let text):
                emit(.code, text, prefix: "")
                if depth == 0 { leadIn = nil }
            case .quote(let blocks):
                add(blocks, depth: depth, prefix: prefix)
            case .definition(let term, let blocks):
                if case .paragraph(let text)? = blocks.first {
                    emit(depth == 0 ? .paragraph : .item, term.isEmpty ? text : term + ": " + text, prefix: prefix)
                    add(Array(blocks.dropFirst()), depth: depth + 1, prefix: "")
                } else {
                    emit(depth == 0 ? .paragraph : .item, term, prefix: prefix)
                    if blocks.isEmpty == false, units.isEmpty == false { units[units.count - 1].keepsWithNext = true }
                    add(blocks, depth: depth + 1, prefix: "")
                }
            }
        }

        private func introduces(_ next: Block) -> Bool {
            switch next {
            case .list, .code, .table: true
            default: false
            }
        }

        private func isTitle(_ text: String) -> Bool { text == title }

        private mutating func emit(_ kind: Kind, _ text: String, prefix: String) {
            guard text.isEmpty == false else { return }
            let whole = prefix + text
            let separator = isTight ? "\n" : "\n\n"
            isTight = false
            let offset = units.isEmpty ? 0 : bytes + separator.utf8.count
            bytes = offset + whole.utf8.count
            units.append(TextUnit(
                kind: kind, text: whole, headings: path.map(\.text), separator: separator, offset: offset,
                leadIn: kind == .item || kind == .row ? leadIn : nil, length: whole.unicodeScalars.count))
        }

        private static func lastSentence(_ text: String) -> String? {
            let sentences = SentenceCutter.cut(text)
            guard let last = sentences.last, last.unicodeScalars.count <= 200 else { return nil }
            return String(last)
        }

        /// Each row says what its cells are, so that it still means something when it stands alone.
        static func lines(ofTable rows: [[String]], headerRows: Int) -> [String] {
            guard headerRows > 0, rows.count > headerRows, let names = rows.prefix(headerRows).last else {
                return rows.map { $0.filter { $0.isEmpty == false }.joined(separator: " | ") }
            }
            let body = rows.dropFirst(headerRows)
            var lines = rows.prefix(headerRows - 1).map { $0.filter { $0.isEmpty == false }.joined(separator: " | ") }
            let isEveryNameUsed = names.indices.allSatisfy { column in
                names[column].isEmpty || body.contains { column < $0.count && $0[column].isEmpty == false }
            }
            if isEveryNameUsed == false { lines.append(names.filter { $0.isEmpty == false }.joined(separator: " | ")) }
            for row in body {
                var parts: [String] = []
                for (column, cell) in row.enumerated() where cell.isEmpty == false {
                    let name = column < names.count ? names[column] : ""
                    parts.append(name.isEmpty || name == cell ? cell : name + ": " + cell)
                }
                lines.append(parts.joined(separator: "; "))
            }
            return lines.filter { $0.isEmpty == false }
        }
    }
}
