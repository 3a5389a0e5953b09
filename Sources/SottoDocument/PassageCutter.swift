/// Cuts a document into passages that are short enough to be shown to a model and whole enough to be understood.
///
/// Cuts fall at block and sentence ends. A lead-in stays with its list, table or code. Sections are not mixed, but for a
/// tiny one, which joins the next with its heading written out. No visible word is lost: joined, the passages and their
/// headings hold every word of the document (a repeated lead-in may add some).
public struct PassageCutter: Sendable {
    /// The length aimed at, in characters (Unicode scalars).
    public var target: Int
    /// A passage may grow to this, in characters, to take in a short rest or to keep code with its introduction.
    public var limit: Int
    /// A section shorter than this, in characters, joins the next one.
    public var tiny: Int

    /// - Parameter target: About 900 characters suit models of one to three billion parameters: six passages fit in a prompt.
    public init(target: Int = 900, limit: Int? = nil, tiny: Int? = nil) {
        self.target = max(1, target)
        self.limit = max(limit ?? self.target * 3 / 2, self.target)
        self.tiny = tiny ?? self.target / 6
    }

    /// The passages in reading order, numbered from 0.
    /// - Complexity: O(n) in the length of the text.
    public func passages(of document: Document) -> [Passage] {
        var draft = Draft(target: target, limit: limit, tiny: tiny)
        for unit in TextUnit.units(of: document) { draft.add(unit) }
        return draft.finish()
    }

    private struct Draft {
        let target: Int, limit: Int, tiny: Int
        var passages: [Passage] = []
        var units: [TextUnit] = []
        var length = 0
        var isOnlyHeadings: Bool { units.allSatisfy { if case .heading = $0.kind { true } else { false } } }

        init(target: Int, limit: Int, tiny: Int) {
            self.target = target
            self.limit = limit
            self.tiny = tiny
        }

        mutating func add(_ unit: TextUnit) {
            if case .heading = unit.kind {
                // A heading ends the passage before it unless that holds next to nothing.
                if length >= tiny, isOnlyHeadings == false { flush() }
                append(unit)
                return
            }
            for piece in pieces(of: unit) { place(piece) }
        }

        private mutating func place(_ unit: TextUnit) {
            let total = length + unit.length
            if units.isEmpty || isOnlyHeadings || total <= target {
                append(unit)
            } else if units.last?.keepsWithNext == true, total <= limit {
                append(unit)
            } else if units.last?.keepsWithNext == true {
                carryLeadIn(to: unit)
            } else if length < tiny * 2, total <= limit {
                append(unit)
            } else {
                flush()
                append(unit)
            }
        }

        /// The introduction does not fit with all that precedes it: it moves on, with what it introduces.
        private mutating func carryLeadIn(to unit: TextUnit) {
            var carried: [TextUnit] = []
            while let last = units.last, last.keepsWithNext {
                // A heading always goes along, or it would close a passage without its content.
                let isHeading = if case .heading = last.kind { true } else { false }
                guard isHeading || carried.reduce(0, { $0 + $1.length }) + last.length + unit.length <= limit else { break }
                carried.insert(units.removeLast(), at: 0)
            }
            length = units.reduce(0) { $0 + $1.length }
            flush()
            for unit in carried { append(unit) }
            append(unit)
        }

        private mutating func append(_ unit: TextUnit) {
            units.append(unit)
            length += unit.length
        }

        mutating func finish() -> [Passage] {
            flush()
            return passages
        }

        private mutating func flush() {
            guard let first = units.first else { return }
            defer {
                units = []
                length = 0
            }
            if length < tiny, mergeIntoLast() { return }
            // Headings that open the passage are its path; they are written out only where nothing else follows.
            var body = units[...]
            var path = first.headings
            if isOnlyHeadings == false {
                while case .heading? = body.first?.kind { body.removeFirst() }
                path = body.first?.headings ?? path
                // A leading heading that the path does not show (an empty sibling before it, or the title) is kept as text.
                let dropped = units.prefix(units.count - body.count).filter { path.contains($0.text) == false && $0.isTitle == false }
                if dropped.isEmpty == false { body = dropped + body }
            }
            guard let start = body.first else { return }
            var text = ""
            if let leadIn = start.leadIn, body.first?.kind == .item || body.first?.kind == .row { text = leadIn.trimmed }
            for unit in body {
                if text.isEmpty == false { text += text == start.leadIn?.trimmed ? "\n" : unit.separator }
                text += unit.text
            }
            passages.append(Passage(text: text.trimmed, headings: path, offset: start.offset, ordinal: passages.count))
        }

        /// A short rest of the same section goes to the passage before it, which may exceed the target a little.
        private mutating func mergeIntoLast() -> Bool {
            guard let last = passages.last, let first = units.first, first.headings == last.headings else { return false }
            if case .heading = first.kind { return false }
            guard last.text.unicodeScalars.count + length <= limit else { return false }
            var text = last.text
            for (index, unit) in units.enumerated() {
                // The passage before was trimmed, so the rest of a cut paragraph needs its space again.
                let separator = index == 0 && unit.separator.isEmpty ? (unit.kind == .code ? "\n" : " ") : unit.separator
                text += separator + unit.text
            }
            passages[passages.count - 1].text = text.trimmed
            return true
        }

        /// A unit longer than the target, cut at sentence ends (code: at line ends) into nearly equal parts.
        private func pieces(of unit: TextUnit) -> [TextUnit] {
            guard unit.length > target, unit.kind != .code || unit.length > limit else { return [unit] }
            let parts = max(2, (unit.length + target - 1) / target)
            let share = (unit.length + parts - 1) / parts
            let atoms = unit.kind == .code ? lines(of: unit.text) : SentenceCutter.cut(unit.text)
            var result: [TextUnit] = []
            var current = ""
            var currentLength = 0
            var offset = unit.offset
            func close() {
                guard current.isEmpty == false else { return }
                var piece = unit
                piece.text = current
                piece.length = currentLength
                piece.offset = offset
                // Parts of one paragraph joined again read as one paragraph; the atoms carry their own spaces.
                piece.separator = result.isEmpty ? unit.separator : ""
                piece.keepsWithNext = false
                offset += current.utf8.count
                result.append(piece)
                current = ""
                currentLength = 0
            }
            for atom in atoms.flatMap({ hardCut($0) }) {
                let length = atom.unicodeScalars.count
                if currentLength > 0, currentLength + length / 2 > share || currentLength + length > target { close() }
                current += atom
                currentLength += length
            }
            close()
            if result.isEmpty == false { result[result.count - 1].keepsWithNext = unit.keepsWithNext }
            return result
        }

        private func lines(of text: String) -> [Substring] {
            var result: [Substring] = []
            var start = text.startIndex
            while start < text.endIndex {
                let end = text[start...].firstIndex(of: "\n").map { text.index(after: $0) } ?? text.endIndex
                result.append(text[start..<end])
                start = end
            }
            return result
        }

        /// A sentence longer than a passage is cut at spaces, and failing that anywhere.
        private func hardCut(_ atom: Substring) -> [Substring] {
            guard atom.unicodeScalars.count > target else { return [atom] }
            var result: [Substring] = []
            var start = atom.startIndex
            var length = 0
            var lastSpace: Substring.Index?
            var index = atom.startIndex
            while index < atom.endIndex {
                length += atom[index].unicodeScalars.count
                let next = atom.index(after: index)
                if atom[index].isWhitespace { lastSpace = next }
                if length >= target {
                    let cut = lastSpace ?? next
                    result.append(atom[start..<cut])
                    start = cut
                    length = atom[cut..<next].unicodeScalars.count
                    lastSpace = nil
                }
                index = next
            }
            if start < atom.endIndex { result.append(atom[start...]) }
            return result
        }
    }
}

extension StringProtocol {
    /// Without white space at either end.
    var trimmed: String {
        var view = self[...]
        while let first = view.first, first.isWhitespace { view.removeFirst() }
        while let last = view.last, last.isWhitespace { view.removeLast() }
        return String(view)
    }
}
