internal import SottoDocument
internal import SottoDocumentReading

/// Turns a parsed page into blocks: the main content, what people see of it, in order.
struct HTMLReader {
    /// A page's document, and what tells whether it is one.
    struct Reading {
        var document: Document
        var page: HTMLPage
        var content: MainContent
        var facts: PageFacts
    }

    private let page: HTMLPage
    private let content: MainContent
    private var hidden = 0
    private var blocks: [Block] = []
    private var inline: [UInt8] = []
    /// How much of it stands in links.
    private var inlineLinks = 0
    /// Which blocks are links and nothing else, by their number.
    private var linkBlocks: Set<Int> = []

    private init(page: HTMLPage, content: MainContent) {
        self.page = page
        self.content = content
    }

    /// - Parameter isFragment: Markup inside another document: no search for the main content.
    static func read(_ text: String, name: String, deadline: Duration, maximumNodes: Int, isFragment: Bool = false) throws -> Document {
        try reading(text, deadline: deadline, maximumNodes: maximumNodes, isFragment: isFragment).document
    }

    static func reading(
        _ text: String, deadline: Duration, maximumNodes: Int, harvestInterval: Int = HTMLTree.harvestInterval, isFragment: Bool = false
    ) throws -> Reading {
        let page = try HTMLTree.parse(text, deadline: deadline, maximumNodes: maximumNodes, harvestInterval: harvestInterval)
        let body = page.nodes.indices.first { page.tag($0) == .body } ?? 0
        let visibility = try Visibility(of: page)
        try Task.checkCancellation()
        let content = MainContent(of: page, body: body, visibility: visibility, isFragment: isFragment)
        let facts = PageFacts(of: page, body: body, content: content)
        var reader = HTMLReader(page: page, content: content)
        for root in content.roots {
            reader.flush()
            if page.tag(root).isBlock, root != body, content.roots.count > 1 { reader.walk(root) } else { reader.walkChildren(root) }
        }
        reader.flush()
        let blocks = isFragment || content.isArticle == false ? reader.blocks : ArticleTrimmer.trim(reader.blocks, links: reader.linkBlocks)
        var notes: [String] = []
        if page.isCut { notes.append("The page nests deeper than any honest page; what follows that place was left out.") }
        var document = Document(
            title: facts.title, language: facts.language, blocks: blocks,
            hiddenCharacters: page.commentCharacters + visibility.characters + reader.hidden, notes: notes)
        document.byline = facts.byline
        document.published = facts.published
        document.address = facts.address
        return Reading(document: document, page: page, content: content, facts: facts)
    }

    // MARK: Blocks

    private mutating func flush() {
        guard inline.isEmpty == false else { return }
        let text = VisibleText.line(inline, hidden: &hidden)
        let isLink = inlineLinks * 10 >= text.utf8.count * 8
        inline.removeAll(keepingCapacity: true)
        inlineLinks = 0
        guard text.isEmpty == false else { return }
        if isLink { linkBlocks.insert(blocks.count) }
        blocks.append(.paragraph(text))
    }

    /// Reads nodes into blocks of their own.
    private mutating func inner(_ nodes: [Int]) -> [Block] {
        let (outerBlocks, outerInline, outerLength, outerLinks) = (blocks, inline, inlineLinks, linkBlocks)
        (blocks, inline, inlineLinks, linkBlocks) = ([], [], 0, [])
        for node in nodes { walk(node) }
        flush()
        let result = blocks
        (blocks, inline, inlineLinks, linkBlocks) = (outerBlocks, outerInline, outerLength, outerLinks)
        return result
    }

    /// The text of a node on one line, or a few where it breaks them.
    private mutating func text(of node: Int) -> String {
        Self.flat(inner(page.children(node)))
    }

    private static func flat(_ blocks: [Block]) -> String {
        blocks.map { block in
            switch block {
            case .heading(_, let text), .paragraph(let text), .code(let text): text
            case .list(_, let items): items.map { flat($0) }.joined(separator: "; ")
            case .table(let rows, _): rows.map { $0.joined(separator: " ") }.joined(separator: "; ")
            case .quote(let blocks): flat(blocks)
            case .definition(let term, let blocks): term + ": " + flat(blocks)
            }
        }.joined(separator: " ").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private mutating func walkChildren(_ node: Int) {
        var child = node + 1
        let end = page.end(node)
        while child < end {
            walk(child)
            child = page.end(child)
        }
    }

    private mutating func walk(_ node: Int) {
        let tag = page.tag(node)
        if tag == .text {
            inline += page.bytes[page.textRange(node)]
            return
        }
        guard content.isLeftOut[node] == false, tag.isNeverText == false else { return }
        if tag.isBlock, content.isLinkBlock(node) { return }
        switch tag {
        case .br: inline += VisibleText.lineBreak.utf8
        case .img: break
        case .a:
            let start = inline.count
            walkChildren(node)
            if inline.count > start { inlineLinks += inline.count - start }
        case .hr: flush()
        case .h1, .h2, .h3, .h4, .h5, .h6:
            flush()
            let text = text(of: node)
            if text.isEmpty == false { blocks.append(.heading(level: tag.headingLevel ?? 6, text: text)) }
        case .pre, .listing, .xmp, .plaintext:
            flush()
            let code = preformatted(node)
            if code.isEmpty == false { blocks.append(.code(code)) }
        case .ul, .ol, .menu:
            flush()
            list(node)
        case .dl:
            flush()
            definitions(node)
        case .blockquote:
            flush()
            let quoted = inner(page.children(node))
            if quoted.isEmpty == false { blocks.append(.quote(quoted)) }
        case .table:
            flush()
            table(node)
        case .summary:
            flush()
            let text = text(of: node)
            if text.isEmpty == false { blocks.append(.paragraph(text)) }
        case .q:
            inline += "“".utf8
            walkChildren(node)
            inline += "”".utf8
        case .sup:
            // Footnote marks such as [12] are not part of the sentence.
            let text = page.wholeText(node)
            if text.first == "[", text.last == "]" { return }
            let figures = text.trimmingPrefix { $0 == "-" || $0 == "−" }
            guard figures.isEmpty == false, figures.count <= 4, figures.allSatisfy({ ("0"..."9").contains($0) }),
                (node..<page.end(node)).allSatisfy({ content.isLeftOut[$0] == false })
            else { return walkChildren(node) }
            // A figure that leads elsewhere is a footnote's; another is an exponent, which must not join the number before it.
            if page.children(node).contains(where: { page.tag($0) == .a }) { return }
            if inline.last.map({ (0x30...0x39).contains($0) || $0 == 0x29 }) == true {
                inline += "^\(text)".utf8
            } else {
                inline += String(text.map { Self.raised[$0] ?? $0 }).utf8
            }
        default:
            if tag.isBlock { flush() }
            walkChildren(node)
            if tag.isBlock { flush() }
        }
    }

    private static let raised: [Character: Character] = [
        "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹", "-": "⁻", "−": "⁻",
    ]

    private mutating func list(_ node: Int) {
        var items: [[Block]] = []
        var loose: [Int] = []
        func close(_ reader: inout HTMLReader) {
            guard loose.isEmpty == false else { return }
            let blocks = reader.inner(loose)
            loose = []
            guard blocks.isEmpty == false else { return }
            // A list right inside a list belongs to the item before it.
            if items.isEmpty == false, case .list = blocks[0] { items[items.count - 1] += blocks } else { items.append(blocks) }
        }
        for child in page.children(node) {
            if page.tag(child) == .li {
                close(&self)
                guard content.isLeftOut[child] == false else { continue }
                let blocks = inner(page.children(child))
                if blocks.isEmpty == false { items.append(blocks) }
            } else {
                loose.append(child)
            }
        }
        close(&self)
        if items.isEmpty == false, content.isMostlyLinks(node) { linkBlocks.insert(blocks.count) }
        if items.isEmpty == false { blocks.append(.list(ordered: page.tag(node) == .ol, items: items)) }
    }

    private mutating func definitions(_ node: Int) {
        var term: [String] = []
        // HTML allows a div around each group.
        for child in page.children(node).flatMap({ page.tag($0) == .div && content.isLeftOut[$0] == false ? page.children($0) : [$0] }) where content.isLeftOut[child] == false {
            switch page.tag(child) {
            case .dt:
                let text = text(of: child)
                if text.isEmpty == false { term.append(text) }
            case .dd:
                let body = inner(page.children(child))
                if body.isEmpty == false || term.isEmpty == false { blocks.append(.definition(term: term.joined(separator: ", "), blocks: body)) }
                term = []
            default:
                let body = inner([child])
                if body.isEmpty == false { blocks += body }
            }
        }
        if term.isEmpty == false { blocks.append(.definition(term: term.joined(separator: ", "), blocks: [])) }
    }

    // MARK: Tables

    private mutating func table(_ node: Int) {
        let rows = rows(of: node)
        if let caption = page.children(node).first(where: { page.tag($0) == .caption && content.isLeftOut[$0] == false }) {
            let text = text(of: caption)
            if text.isEmpty == false { blocks.append(.paragraph(text)) }
        }
        let cells = rows.flatMap(\.self)
        let role = page.value(node, .role)
        let isLayout = role == "presentation" || role == "none" || rows.allSatisfy { $0.count <= 1 } || cells.contains { isLayoutCell($0) }
        if isLayout {
            for cell in cells {
                flush()
                walkChildren(cell)
                flush()
            }
            return
        }
        var grid: [[String]] = []
        var spans: [Int: (text: String, rows: Int)] = [:]
        var headerRows = 0
        for row in rows {
            var line: [String] = []
            func fillSpans() {
                while let span = spans[line.count], span.rows > 0 {
                    spans[line.count] = (span.text, span.rows - 1)
                    line.append(span.text)
                }
            }
            for cell in row {
                fillSpans()
                let text = text(of: cell)
                let width = min(max(page.value(cell, .colspan).flatMap { Int($0) } ?? 1, 1), 50)
                let height = min(max(page.value(cell, .rowspan).flatMap { Int($0) } ?? 1, 1), 500)
                for offset in 0..<width {
                    if height > 1 { spans[line.count] = (offset == 0 ? text : "", height - 1) }
                    line.append(offset == 0 ? text : "")
                }
            }
            fillSpans()
            guard line.contains(where: { $0.isEmpty == false }) else { continue }
            if grid.count == headerRows, row.allSatisfy({ page.tag($0) == .th }) { headerRows += 1 }
            grid.append(line)
        }
        if grid.isEmpty == false { blocks.append(.table(rows: grid, headerRows: headerRows)) }
    }

    /// A cell that holds whole parts of a page: the table only places them.
    private func isLayoutCell(_ cell: Int) -> Bool {
        var blocks = 0
        for node in (cell + 1)..<max(cell + 1, page.end(cell)) {
            switch page.tag(node) {
            case .table, .pre, .h1, .h2, .h3, .h4, .blockquote, .form: return true
            case .p, .div, .ul, .ol: if page.parent(node) == cell { blocks += 1 }
            default: break
            }
        }
        return blocks > 3
    }

    private func rows(of node: Int) -> [[Int]] {
        page.children(node).flatMap { child -> [[Int]] in
            guard content.isLeftOut[child] == false else { return [] }
            return switch page.tag(child) {
            case .tr: [page.children(child).filter { (page.tag($0) == .td || page.tag($0) == .th) && content.isLeftOut[$0] == false }]
            case .thead, .tbody, .tfoot: rows(of: child)
            default: []
            }
        }
    }

    // MARK: Code

    private mutating func preformatted(_ node: Int) -> String {
        var raw: [UInt8] = []
        func add(_ node: Int) {
            let tag = page.tag(node)
            if tag == .text {
                raw += page.bytes[page.textRange(node)]
            } else if tag == .br {
                raw.append(0x0A)
            } else if content.isLeftOut[node] == false, tag.isNeverText == false {
                // Some highlighters put every line into a block of its own.
                let isLine = tag == .div || tag == .li || tag == .tr || tag == .p
                if isLine, raw.isEmpty == false, raw.last != 0x0A { raw.append(0x0A) }
                for child in page.children(node) { add(child) }
                if isLine, raw.last != 0x0A { raw.append(0x0A) }
            }
        }
        for child in page.children(node) { add(child) }
        let text = VisibleText.clean(String(decoding: raw, as: UTF8.self), hidden: &hidden)
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }).map { line in
            var line = line
            while let last = line.last, last.isWhitespace { line.removeLast() }
            return String(line)
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
