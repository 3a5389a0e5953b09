internal import SottoDocument
internal import SottoDocumentReading

/// Turns a parsed page into blocks: the main content, what people see of it, in order.
struct HTMLReader {
    private var hidden = 0
    private var blocks: [Block] = []
    private var inline = ""

    /// - Parameter isFragment: Markup inside another document: no title, no search for the main content.
    static func read(_ text: String, name: String, deadline: Duration, maximumNodes: Int, isFragment: Bool = false) throws -> Document {
        let parsed = try HTMLTree.parse(text, deadline: deadline, maximumNodes: maximumNodes)
        var reader = HTMLReader()
        reader.hidden = parsed.commentCharacters
        let root = parsed.root
        let body = root.first { $0.tag == "body" } ?? root
        let title = reader.title(of: root, body: body)
        let language = Self.declaredLanguage(of: root)
        let main = isFragment ? body : Self.main(of: body)
        reader.walk(main, isTop: true)
        reader.flush()
        var notes: [String] = []
        if parsed.isCut { notes.append("The page nests deeper than any honest page; what follows that place was left out.") }
        return Document(title: title, language: language, blocks: reader.blocks, hiddenCharacters: reader.hidden, notes: notes)
    }

    // MARK: What the page says about itself

    private func title(of root: HTMLNode, body: HTMLNode) -> String {
        func clean(_ text: String) -> String {
            var ignored = 0
            return VisibleText.collapse(VisibleText.clean(text, hidden: &ignored))
        }
        let head = root.first { $0.tag == "head" }
        let title = clean((head?.first { $0.tag == "title" } ?? root.first { $0.tag == "title" && $0.children.isEmpty == false })?.wholeText ?? "")
        let tops = body.all { $0.tag == "h1" }.map { clean($0.wholeText) }.filter { $0.isEmpty == false }
        // "Article – Site": the heading is the part that names the page.
        if let top = tops.first, top.count <= 300, title.isEmpty || (title.count > top.count && top.count >= 8 && title.contains(top)) { return top }
        if title.isEmpty == false { return title }
        let graph = head?.first { $0.tag == "meta" && $0.attributes["property"] == "og:title" }?.attributes["content"]
        return clean(graph ?? "")
    }

    private static func declaredLanguage(of root: HTMLNode) -> String? {
        let html = root.first { $0.tag == "html" }
        let body = html?.children.first { $0.tag == "body" }
        let meta = html?.first { $0.tag == "meta" && $0.attributes["http-equiv"]?.lowercased() == "content-language" }
        for tag in [html?.attributes["lang"], html?.attributes["xml:lang"], body?.attributes["lang"], meta?.attributes["content"]] {
            guard let tag = tag?.split(separator: ",").first.map({ $0.filter { $0.isWhitespace == false } }) else { continue }
            let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" })
            if let first = parts.first, (2...3).contains(first.count), first.allSatisfy({ $0.isASCII && $0.isLetter }) {
                return ([first.lowercased()] + parts.dropFirst().map { $0.count == 2 ? $0.uppercased() : String($0) }).joined(separator: "-")
            }
        }
        return nil
    }

    // MARK: Where the content is

    /// The element that its author marked as the main content, when it holds a fair share of the text; else the whole body.
    private static func main(of body: HTMLNode) -> HTMLNode {
        let total = visibleLength(body)
        guard total > 0 else { return body }
        func pick(_ share: Double, _ condition: (HTMLNode) -> Bool) -> HTMLNode? {
            let found = body.all { $0.isText == false && isHidden($0) == false && condition($0) }
            // Several articles are a list of them: then the page is the content.
            guard let best = found.max(by: { visibleLength($0) < visibleLength($1) }) else { return nil }
            let length = visibleLength(best)
            return length >= 200 && Double(length) >= share * Double(total) ? best : nil
        }
        if let main = pick(0.2, { $0.tag == "main" || $0.attributes["role"] == "main" || $0.attributes["id"]?.lowercased() == "mw-content-text" }) { return main }
        if let article = pick(0.5, { $0.tag == "article" || $0.attributes["role"] == "article" }) { return article }
        return pick(0.5) { node in
            node.tag == "div" && node.names.contains { ["content", "main", "main-content", "maincontent", "article", "post", "entry-content", "document", "bodycontent"].contains($0) }
        } ?? body
    }

    private static func visibleLength(_ node: HTMLNode) -> Int {
        if node.isText { return node.text.utf8.count { $0 > 0x20 } }
        if dropped.contains(node.tag) || isHidden(node) { return 0 }
        return node.children.reduce(0) { $0 + visibleLength($1) }
    }

    private static func linkLength(_ node: HTMLNode) -> Int {
        if node.tag == "a" { return visibleLength(node) }
        return node.children.reduce(0) { $0 + linkLength($1) }
    }

    /// Never content. `head` appears inside bodies of broken pages.
    private static let dropped: Set<String> = [
        "script", "style", "noscript", "template", "head", "title", "meta", "link", "nav", "aside", "form", "button", "select", "option", "input", "textarea",
        "iframe", "object", "embed", "canvas", "svg", "audio", "video", "dialog", "menu",
    ]
    private static let boilerplate: Set<String> = [
        "nav", "navbar", "navigation", "breadcrumb", "breadcrumbs", "menu", "sidebar", "footer", "header", "toc", "docnav", "navheader", "navfooter", "sphinxsidebar",
        "related", "share", "social", "cookie", "cookies", "cookie-banner", "pagination", "skip-link", "mw-jump-link", "navbox", "catlinks", "site-header", "site-footer", "headerlink",
    ]

    /// Navigation by its name or role, and mostly links: a content box may be called "sidebar" too.
    private static func isBoilerplate(_ node: HTMLNode) -> Bool {
        if let role = node.attributes["role"], ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog"].contains(role) { return true }
        guard node.names.contains(where: { boilerplate.contains(String($0)) }) else { return false }
        let length = visibleLength(node)
        return length == 0 || linkLength(node) * 2 >= length
    }

    static func isHidden(_ node: HTMLNode) -> Bool {
        if let value = node.attributes["hidden"], value != "until-found" { return true }
        if node.attributes["aria-hidden"]?.lowercased() == "true" { return true }
        if node.names.contains(where: { ["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "hidden"].contains($0) }) { return true }
        guard let style = node.attributes["style"] else { return false }
        for declaration in style.lowercased().split(separator: ";") {
            let parts = declaration.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].filter { $0.isWhitespace == false }
            let value = parts[1].replacing("!important", with: "").filter { $0.isWhitespace == false }
            switch name {
            case "display": if value == "none" { return true }
            case "visibility": if value == "hidden" || value == "collapse" { return true }
            case "opacity": if let number = Double(value), number <= 0.05 { return true }
            case "font-size": if let number = Double(value.prefix { $0.isNumber || $0 == "." }), number < 2, value.hasSuffix("px") || value.hasSuffix("pt") || number == 0 { return true }
            case "text-indent", "left", "top", "right", "margin-left": if let number = Double(value.prefix { $0.isNumber || $0 == "-" || $0 == "." }), number <= -900 { return true }
            case "color": if value == "transparent" { return true }
            case "clip-path": if value.contains("inset(100%)") || value.contains("inset(50%)") { return true }
            case "clip": if value.hasPrefix("rect(0") || value.hasPrefix("rect(1px,1px,1px,1px") { return true }
            case "height", "width", "max-height": if value == "0" || value == "0px", style.lowercased().contains("overflow") { return true }
            default: break
            }
        }
        return false
    }

    // MARK: Blocks

    private static let blockTags: Set<String> = [
        "address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "ol", "p", "plaintext", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
        "thead", "tr", "ul", "xmp", "caption", "#document",
        // Feeds and other XML.
        "item", "entry", "description", "content", "summary", "channel", "rss", "feed", "title", "para", "simpara",
    ]

    private mutating func flush() {
        let text = VisibleText.collapse(VisibleText.clean(inline, hidden: &hidden))
        inline = ""
        if text.isEmpty == false { blocks.append(.paragraph(text)) }
    }

    /// Reads nodes into blocks of their own.
    private mutating func inner(_ nodes: [HTMLNode]) -> [Block] {
        let (outerBlocks, outerInline) = (blocks, inline)
        (blocks, inline) = ([], "")
        for node in nodes { walk(node) }
        flush()
        let result = blocks
        (blocks, inline) = (outerBlocks, outerInline)
        return result
    }

    /// The text of a node on one line, or a few where it breaks them.
    private mutating func text(of node: HTMLNode) -> String {
        Self.flat(inner([HTMLNode(tag: "div", children: node.children)]))
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

    private mutating func walk(_ node: HTMLNode, isTop: Bool = false) {
        if node.isText {
            inline += node.text
            return
        }
        if isTop == false {
            // The first header of an article holds its heading; a page's header and footer hold none of the text.
            if Self.dropped.contains(node.tag) {
                if node.tag == "noscript" || node.tag == "template" { hidden += node.wholeText.unicodeScalars.count }
                return
            }
            if Self.isHidden(node) {
                hidden += node.wholeText.unicodeScalars.count { $0.properties.isWhitespace == false }
                return
            }
            if node.tag == "footer" || Self.isBoilerplate(node) { return }
            if node.tag == "header", node.first(where: { ["h1", "h2", "h3"].contains($0.tag) }) == nil { return }
        }
        switch node.tag {
        case "br": inline += VisibleText.lineBreak
        case "img": break
        case "hr": flush()
        case "h1", "h2", "h3", "h4", "h5", "h6":
            flush()
            let text = text(of: node)
            if text.isEmpty == false { blocks.append(.heading(level: Int(node.tag.dropFirst()) ?? 6, text: text)) }
        case "pre", "listing", "xmp", "plaintext":
            flush()
            let code = preformatted(node)
            if code.isEmpty == false { blocks.append(.code(code)) }
        case "ul", "ol":
            flush()
            list(node)
        case "dl":
            flush()
            definitions(node)
        case "blockquote":
            flush()
            let quoted = inner(node.children)
            if quoted.isEmpty == false { blocks.append(.quote(quoted)) }
        case "table":
            flush()
            table(node)
        case "summary":
            flush()
            let text = text(of: node)
            if text.isEmpty == false { blocks.append(.paragraph(text)) }
        case "q": 
            inline += "“"
            for child in node.children { walk(child) }
            inline += "”"
        case "sup":
            // Footnote marks such as [12] are not part of the sentence.
            let text = node.wholeText
            if text.first == "[", text.last == "]" { return }
            for child in node.children { walk(child) }
        default:
            let isBlock = Self.blockTags.contains(node.tag)
            if isBlock { flush() }
            for child in node.children { walk(child) }
            if isBlock { flush() }
        }
    }

    private mutating func list(_ node: HTMLNode) {
        var items: [[Block]] = []
        var loose: [HTMLNode] = []
        func close(_ reader: inout HTMLReader) {
            let blocks = reader.inner(loose)
            loose = []
            guard blocks.isEmpty == false else { return }
            // A list right inside a list belongs to the item before it.
            if items.isEmpty == false, case .list = blocks[0] { items[items.count - 1] += blocks } else { items.append(blocks) }
        }
        for child in node.children {
            if child.tag == "li" {
                close(&self)
                guard Self.isHidden(child) == false else {
                    hidden += child.wholeText.unicodeScalars.count { $0.properties.isWhitespace == false }
                    continue
                }
                let blocks = Self.isBoilerplate(child) ? [] : inner(child.children)
                if blocks.isEmpty == false { items.append(blocks) }
            } else {
                loose.append(child)
            }
        }
        close(&self)
        if items.isEmpty == false { blocks.append(.list(ordered: node.tag == "ol", items: items)) }
    }

    private mutating func definitions(_ node: HTMLNode) {
        var term: [String] = []
        // HTML allows a div around each group.
        for child in node.children.flatMap({ $0.tag == "div" ? $0.children : [$0] }) {
            switch child.tag {
            case "dt":
                let text = text(of: child)
                if text.isEmpty == false { term.append(text) }
            case "dd":
                let body = inner(child.children)
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

    private mutating func table(_ node: HTMLNode) {
        let rows = Self.rows(of: node)
        if let caption = node.children.first(where: { $0.tag == "caption" }) {
            let text = text(of: caption)
            if text.isEmpty == false { blocks.append(.paragraph(text)) }
        }
        let cells = rows.flatMap(\.self)
        let isLayout = node.attributes["role"] == "presentation" || cells.contains { cell in
            cell.first { $0 !== cell && ["table", "pre", "h1", "h2", "h3", "h4", "blockquote", "form"].contains($0.tag) } != nil
                || cell.children.count { ["p", "div", "ul", "ol"].contains($0.tag) } > 3
        } || rows.allSatisfy { $0.count <= 1 }
        if isLayout {
            for cell in cells {
                flush()
                for child in cell.children { walk(child) }
                flush()
            }
            return
        }
        var grid: [[String]] = []
        var spans: [Int: (text: String, rows: Int)] = [:]
        var headerRows = 0
        for row in rows where Self.isHidden(row.first ?? node) == false {
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
                let width = min(max(Int(cell.attributes["colspan"] ?? "") ?? 1, 1), 50)
                let height = min(max(Int(cell.attributes["rowspan"] ?? "") ?? 1, 1), 500)
                for offset in 0..<width {
                    if height > 1 { spans[line.count] = (offset == 0 ? text : "", height - 1) }
                    line.append(offset == 0 ? text : "")
                }
            }
            fillSpans()
            guard line.contains(where: { $0.isEmpty == false }) else { continue }
            if grid.count == headerRows, row.allSatisfy({ $0.tag == "th" }) { headerRows += 1 }
            grid.append(line)
        }
        if grid.isEmpty == false { blocks.append(.table(rows: grid, headerRows: headerRows)) }
    }

    private static func rows(of node: HTMLNode) -> [[HTMLNode]] {
        node.children.flatMap { child -> [[HTMLNode]] in
            switch child.tag {
            case "tr": isHidden(child) ? [] : [child.children.filter { $0.tag == "td" || $0.tag == "th" }]
            case "thead", "tbody", "tfoot": rows(of: child)
            default: []
            }
        }
    }

    // MARK: Code

    private mutating func preformatted(_ node: HTMLNode) -> String {
        var raw = ""
        func add(_ node: HTMLNode) {
            if node.isText {
                raw += node.text
            } else if node.tag == "br" {
                raw += "\n"
            } else if Self.isHidden(node) {
                hidden += node.wholeText.unicodeScalars.count
            } else if Self.dropped.contains(node.tag) == false {
                // Some highlighters put every line into a block of its own.
                let isLine = ["div", "li", "tr", "p"].contains(node.tag)
                if isLine, raw.isEmpty == false, raw.hasSuffix("\n") == false { raw += "\n" }
                for child in node.children { add(child) }
                if isLine, raw.hasSuffix("\n") == false { raw += "\n" }
            }
        }
        for child in node.children { add(child) }
        var lines = VisibleText.clean(raw, hidden: &hidden).replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0.isWhitespace }.reversed())
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

extension HTMLNode {
    convenience init(tag: String, children: [HTMLNode]) {
        self.init(tag: tag)
        self.children = children
    }
}
