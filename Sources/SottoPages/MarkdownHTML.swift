internal import CCmark
public import SottoDocumentReading

/// Writes Markdown as HTML that can do no harm in a browser, whatever the Markdown says.
///
/// Raw HTML is shown as text, pictures are left out, and a link stays only when its address is one of the known sources': nothing in the text
/// can add one. Marks such as `[2]` and addresses in the text become links to these sources.
public enum MarkdownHTML {
    /// - Parameters:
    ///   - sources: Addresses by their number in the text; those that are not `http` or `https` are shown and not linked.
    /// - Returns: A fragment, for the body of a page.
    /// - Throws: ``DocumentReadingError`` `.malformed` when there is no memory left.
    public static func render(_ markdown: String, sources: [Int: String]) throws(DocumentReadingError) -> String {
        let links = sources.filter { isWebAddress($0.value) }
        return try render(markdown, links: links, keeping: Set(links.values))
    }

    /// - Parameter addresses: Links of the text itself that stay.
    private static func render(_ markdown: String, links: [Int: String], keeping addresses: Set<String>) throws(DocumentReadingError) -> String {
        guard let tree = MarkdownTree(markdown, options: CMARK_OPT_DEFAULT, extensions: ["table", "strikethrough"]) else { throw outOfMemory }
        unsafe cmark_consolidate_text_nodes(tree.root)
        // Collected first: a tree must not change under its iterator.
        let nodes = unsafe Self.nodes(tree.root)
        for node in nodes.raw { node.showAsText() }
        for node in nodes.links where node.isPicture || addresses.contains(node.address) == false { node.dissolve() }
        unsafe cmark_consolidate_text_nodes(tree.root)
        for node in unsafe Self.nodes(tree.root).texts { node.addLinks(to: links) }
        guard let html = tree.html() else { throw outOfMemory }
        return html
    }

    /// For an app that opens a source's passage itself: marks such as `[2]` become `<a class="citation" data-source="2" href="#source-2">`, and there is
    /// no other link at all.
    ///
    /// - Parameter numbers: The sources that there are; marks of others stay text.
    /// - Throws: As ``render(_:sources:)``.
    public static func render(_ markdown: String, citing numbers: Set<Int>) throws(DocumentReadingError) -> String {
        let addresses = Dictionary(uniqueKeysWithValues: numbers.map { ($0, "#source-\($0)") })
        var html = try render(markdown, links: addresses, keeping: [])
        // Written by the renderer alone: what the text itself says is escaped, and its links are dissolved.
        for (number, address) in addresses {
            html = html.replacing("<a href=\"\(address)\">", with: "<a class=\"citation\" data-source=\"\(number)\" href=\"\(address)\">")
        }
        return html
    }

    /// A piece of text, and the address that it leads to.
    struct Segment: Equatable {
        var text: String
        var address: String?
    }

    /// Finds marks and addresses of the sources in a text.
    static func segments(of text: String, sources: [Int: String]) -> [Segment] {
        var result: [Segment] = []
        var plain = ""
        func flush() {
            if plain.isEmpty == false { result.append(Segment(text: plain, address: nil)) }
            plain = ""
        }
        // Longest first: one address may begin another.
        let addresses = Set(sources.values).sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        var rest = text[...]
        while let first = rest.first {
            if first == "[", let end = rest.firstIndex(of: "]"), let number = Int(rest[rest.index(after: rest.startIndex)..<end]),
                let address = sources[number]
            {
                flush()
                result.append(Segment(text: String(rest[...end]), address: address))
                rest = rest[rest.index(after: end)...]
            } else if first == "h", let address = addresses.first(where: { rest.hasPrefix($0) && isEnd(rest.dropFirst($0.count)) }) {
                flush()
                result.append(Segment(text: address, address: address))
                rest = rest.dropFirst(address.count)
            } else {
                plain.append(first)
                rest = rest.dropFirst()
            }
        }
        flush()
        return result
    }

    /// Whether an address may end where this begins: one that goes on is another address.
    private static func isEnd(_ rest: Substring) -> Bool {
        guard let next = rest.first else { return true }
        return next.isWhitespace || (",.;:)]".contains(next) && (rest.dropFirst().first?.isWhitespace ?? true))
    }

    static func isWebAddress(_ text: String) -> Bool {
        let lower = text.lowercased()
        return (lower.hasPrefix("https://") || lower.hasPrefix("http://")) && text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
    }

    private static var outOfMemory: DocumentReadingError { DocumentReadingError(.malformed, "there is no memory left to write the HTML") }

    private struct Nodes {
        var raw: [Node] = []
        var links: [Node] = []
        /// Outside links.
        var texts: [Node] = []
    }

    private static func nodes(_ root: OpaquePointer) -> Nodes {
        var found = Nodes()
        var depth = 0
        guard let iterator = unsafe cmark_iter_new(root) else { return found }
        defer { unsafe cmark_iter_free(iterator) }
        while true {
            let event = unsafe cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return found }
            guard let pointer = unsafe cmark_iter_get_node(iterator) else { continue }
            let node = unsafe Node(pointer: pointer)
            let type = unsafe cmark_node_get_type(pointer)
            let isLink = type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE
            if event == CMARK_EVENT_EXIT {
                if isLink { depth -= 1 }
            } else if isLink {
                depth += 1
                found.links.append(node)
            } else if type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE {
                found.raw.append(node)
            } else if type == CMARK_NODE_TEXT, depth == 0 {
                found.texts.append(node)
            }
        }
    }
}

/// One node of a tree, which outlives it.
@safe private struct Node {
    let pointer: OpaquePointer

    init(pointer: OpaquePointer) { unsafe self.pointer = pointer }

    var isPicture: Bool { unsafe cmark_node_get_type(pointer) == CMARK_NODE_IMAGE }

    var address: String {
        guard let text = unsafe cmark_node_get_url(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    private var literal: String {
        guard let text = unsafe cmark_node_get_literal(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    private static func text(_ literal: String) -> Node? {
        guard let text = unsafe cmark_node_new(CMARK_NODE_TEXT) else { return nil }
        unsafe cmark_node_set_literal(text, literal)
        return unsafe Node(pointer: text)
    }

    /// Raw HTML in its written form, which the renderer escapes.
    func showAsText() {
        guard let text = Self.text(literal) else { return }
        if unsafe cmark_node_get_type(pointer) == CMARK_NODE_HTML_BLOCK, let paragraph = unsafe cmark_node_new(CMARK_NODE_PARAGRAPH) {
            unsafe cmark_node_append_child(paragraph, text.pointer)
            put(unsafe Node(pointer: paragraph))
        } else {
            put(text)
        }
        unsafe cmark_node_free(pointer)
    }

    /// Leaves what stands inside a link in its place.
    func dissolve() {
        while let child = unsafe cmark_node_first_child(pointer) {
            unsafe cmark_node_unlink(child)
            put(unsafe Node(pointer: child))
        }
        unsafe cmark_node_free(pointer)
    }

    func addLinks(to sources: [Int: String]) {
        let segments = MarkdownHTML.segments(of: literal, sources: sources)
        guard segments.contains(where: { $0.address != nil }) else { return }
        for segment in segments {
            guard let text = Self.text(segment.text) else { continue }
            if let address = segment.address, let link = unsafe cmark_node_new(CMARK_NODE_LINK) {
                unsafe cmark_node_set_url(link, address)
                unsafe cmark_node_append_child(link, text.pointer)
                put(unsafe Node(pointer: link))
            } else {
                put(text)
            }
        }
        unsafe cmark_node_free(pointer)
    }

    /// Puts another before this one, or frees it where it cannot stand.
    private func put(_ other: Node) {
        if unsafe cmark_node_insert_before(pointer, other.pointer) == 0 { unsafe cmark_node_free(other.pointer) }
    }
}
