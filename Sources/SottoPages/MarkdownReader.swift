internal import CCmark
internal import SottoDocument
internal import SottoDocumentReading

/// Reads GitHub-flavored Markdown with cmark-gfm: its blocks, and the HTML inside it as HTML.
struct MarkdownReader {
    private var hidden = 0
    /// Deeper quotes and lists are read as if they ended here.
    private static let depthLimit = 64
    private let deadline: Duration
    private let maximumNodes: Int

    static func read(_ text: String, name: String, deadline: Duration, maximumNodes: Int) throws -> Document {
        let (front, body) = Self.frontMatter(text)
        var reader = MarkdownReader(deadline: deadline, maximumNodes: maximumNodes)
        let blocks = try reader.blocks(of: body)
        var title = front["title"] ?? ""
        if title.isEmpty {
            for case .heading(_, let text) in blocks {
                title = text
                break
            }
        }
        return Document(title: title, language: front["lang"] ?? front["language"], blocks: blocks, hiddenCharacters: reader.hidden)
    }

    private init(deadline: Duration, maximumNodes: Int) {
        self.deadline = deadline
        self.maximumNodes = maximumNodes
    }

    /// Plain `name: value` lines between two lines of dashes at the very start.
    static func frontMatter(_ text: String) -> (values: [String: String], body: Substring) {
        guard text.hasPrefix("---\n") || text.hasPrefix("---\r\n") else { return ([:], text[...]) }
        var values: [String: String] = [:]
        var rest = text[...].drop { $0.isNewline == false }.dropFirst()
        while rest.isEmpty == false {
            let line = rest.prefix { $0.isNewline == false }
            rest = rest.dropFirst(line.count).dropFirst()
            if line == "---" || line == "..." { return (values, rest) }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, line.first?.isWhitespace == false else { continue }
            values[parts[0].lowercased()] = parts[1].trimmingSpaces.trimmingQuotes
        }
        return ([:], text[...])
    }

    private mutating func blocks(of text: Substring) throws -> [Block] {
        guard let tree = MarkdownTree(String(text)) else { throw DocumentReadingError(.malformed, "there is no memory left to parse the Markdown") }
        return try unsafe children(tree.root, depth: 0)
    }

    private mutating func children(_ parent: OpaquePointer, depth: Int) throws -> [Block] {
        var result: [Block] = []
        var next = unsafe cmark_node_first_child(parent)
        while let node = unsafe next {
            try unsafe add(node, depth: depth, to: &result)
            unsafe next = cmark_node_next(node)
        }
        return result
    }

    private mutating func add(_ node: OpaquePointer, depth: Int, to blocks: inout [Block]) throws {
        switch unsafe String(cString: cmark_node_get_type_string(node)) {
        case "heading":
            let text = unsafe inline(node)
            if text.isEmpty == false { blocks.append(.heading(level: Int(unsafe cmark_node_get_heading_level(node)), text: text)) }
        case "paragraph":
            let text = unsafe inline(node)
            if text.isEmpty == false { blocks.append(.paragraph(text)) }
        case "code_block":
            var code = unsafe literal(node)
            while code.last?.isNewline == true { code.removeLast() }
            if code.isEmpty == false { blocks.append(.code(VisibleText.clean(code, hidden: &hidden))) }
        case "html_block":
            let inner = try HTMLReader.read(unsafe literal(node), name: "", deadline: deadline, maximumNodes: maximumNodes, isFragment: true)
            hidden += inner.hiddenCharacters
            blocks += inner.blocks
        case "table":
            var rows: [[String]] = []
            var row = unsafe cmark_node_first_child(node)
            while let current = unsafe row {
                var cells: [String] = []
                var cell = unsafe cmark_node_first_child(current)
                while let each = unsafe cell {
                    cells.append(unsafe inline(each))
                    unsafe cell = cmark_node_next(each)
                }
                rows.append(cells)
                unsafe row = cmark_node_next(current)
            }
            if rows.isEmpty == false { blocks.append(.table(rows: rows, headerRows: 1)) }
        case "block_quote":
            let inner = depth < Self.depthLimit ? try unsafe children(node, depth: depth + 1) : unsafe flattened(node)
            if inner.isEmpty == false { blocks.append(.quote(inner)) }
        case "list":
            var items: [[Block]] = []
            var item = unsafe cmark_node_first_child(node)
            while let current = unsafe item {
                let inner = depth < Self.depthLimit ? try unsafe children(current, depth: depth + 1) : unsafe flattened(current)
                if inner.isEmpty == false { items.append(inner) }
                unsafe item = cmark_node_next(current)
            }
            let ordered = unsafe cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
            if items.isEmpty == false { blocks.append(.list(ordered: ordered, items: items)) }
        case "thematic_break": break
        default:
            // Footnote definitions and what extensions add.
            if unsafe cmark_node_first_child(node) != nil, depth < Self.depthLimit { blocks += try unsafe children(node, depth: depth + 1) }
        }
    }

    private mutating func flattened(_ node: OpaquePointer) -> [Block] {
        let text = unsafe inline(node)
        return text.isEmpty ? [] : [.paragraph(text)]
    }

    private func literal(_ node: OpaquePointer) -> String {
        guard let text = unsafe cmark_node_get_literal(node) else { return "" }
        return unsafe String(cString: text)
    }

    /// The text inside a node, by cmark's own iterator, which needs no recursion.
    private mutating func inline(_ node: OpaquePointer) -> String {
        guard let iterator = unsafe cmark_iter_new(node) else { return "" }
        defer { unsafe cmark_iter_free(iterator) }
        var text = ""
        while true {
            let event = unsafe cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { break }
            guard event == CMARK_EVENT_ENTER, let current = unsafe cmark_iter_get_node(iterator) else { continue }
            switch unsafe String(cString: cmark_node_get_type_string(current)) {
            case "text", "code": text += unsafe literal(current)
            case "softbreak": text += " "
            case "linebreak": text += VisibleText.lineBreak
            case "html_inline":
                let tag = unsafe literal(current)
                if tag.lowercased().hasPrefix("<br") { text += VisibleText.lineBreak } else if tag.hasPrefix("<!--") { hidden += tag.count }
            case "paragraph": if text.isEmpty == false { text += " " }
            default: break
            }
        }
        return VisibleText.collapse(VisibleText.clean(text, hidden: &hidden))
    }
}

extension StringProtocol {
    var trimmingSpaces: String {
        var view = self[...]
        while let first = view.first, first.isWhitespace { view.removeFirst() }
        while let last = view.last, last.isWhitespace { view.removeLast() }
        return String(view)
    }
    var trimmingQuotes: String {
        guard count >= 2, let first, first == last, first == "\"" || first == "'" else { return String(self) }
        return String(dropFirst().dropLast())
    }
}
