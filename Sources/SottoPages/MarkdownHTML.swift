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
        guard let tree = MarkdownTree(markdown, options: CMARK_OPT_DEFAULT, extensions: ["table", "strikethrough"]) else { throw outOfMemory }
        unsafe cmark_consolidate_text_nodes(tree.root)
        // Collected first: a tree must not change under its iterator.
        let nodes = unsafe Self.nodes(tree.root)
        let addresses = Set(links.values)
        for node in unsafe nodes.raw { unsafe showAsText(node) }
        for node in unsafe nodes.links where addresses.contains(unsafe address(node)) == false || unsafe isPicture(node) { unsafe dissolve(node) }
        unsafe cmark_consolidate_text_nodes(tree.root)
        for node in unsafe Self.nodes(tree.root).texts { unsafe addLinks(node, links) }
        guard let html = tree.html() else { throw outOfMemory }
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
        var raw: [OpaquePointer] = []
        var links: [OpaquePointer] = []
        /// Outside links.
        var texts: [OpaquePointer] = []
    }

    private static func nodes(_ root: OpaquePointer) -> Nodes {
        var found = unsafe Nodes()
        var depth = 0
        guard let iterator = unsafe cmark_iter_new(root) else { return unsafe found }
        defer { unsafe cmark_iter_free(iterator) }
        while true {
            let event = unsafe cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return unsafe found }
            guard let node = unsafe cmark_iter_get_node(iterator) else { continue }
            let type = unsafe cmark_node_get_type(node)
            let isLink = type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE
            if event == CMARK_EVENT_EXIT {
                if isLink { depth -= 1 }
            } else if isLink {
                depth += 1
                unsafe found.links.append(node)
            } else if type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE {
                unsafe found.raw.append(node)
            } else if type == CMARK_NODE_TEXT, depth == 0 {
                unsafe found.texts.append(node)
            }
        }
    }

    private static func isPicture(_ node: OpaquePointer) -> Bool { unsafe cmark_node_get_type(node) == CMARK_NODE_IMAGE }

    private static func address(_ node: OpaquePointer) -> String {
        guard let text = unsafe cmark_node_get_url(node) else { return "" }
        return unsafe String(cString: text)
    }

    private static func literal(_ node: OpaquePointer) -> String {
        guard let text = unsafe cmark_node_get_literal(node) else { return "" }
        return unsafe String(cString: text)
    }

    /// Raw HTML in its written form, which the renderer escapes.
    private static func showAsText(_ node: OpaquePointer) {
        guard let text = unsafe cmark_node_new(CMARK_NODE_TEXT) else { return }
        unsafe cmark_node_set_literal(text, literal(node))
        if unsafe cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK {
            guard let paragraph = unsafe cmark_node_new(CMARK_NODE_PARAGRAPH) else { return unsafe cmark_node_free(text) }
            unsafe cmark_node_append_child(paragraph, text)
            unsafe replace(node, by: paragraph)
        } else {
            unsafe replace(node, by: text)
        }
    }

    private static func replace(_ node: OpaquePointer, by other: OpaquePointer) {
        if unsafe cmark_node_insert_before(node, other) == 0 { unsafe cmark_node_free(other) }
        unsafe cmark_node_free(node)
    }

    /// Leaves what stands inside a link in its place.
    private static func dissolve(_ node: OpaquePointer) {
        while let child = unsafe cmark_node_first_child(node) {
            unsafe cmark_node_unlink(child)
            if unsafe cmark_node_insert_before(node, child) == 0 { unsafe cmark_node_free(child) }
        }
        unsafe cmark_node_free(node)
    }

    private static func addLinks(_ node: OpaquePointer, _ sources: [Int: String]) {
        let segments = segments(of: unsafe literal(node), sources: sources)
        guard segments.contains(where: { $0.address != nil }) else { return }
        for segment in segments {
            guard let text = unsafe cmark_node_new(CMARK_NODE_TEXT) else { continue }
            unsafe cmark_node_set_literal(text, segment.text)
            var piece = unsafe text
            if let address = segment.address, let link = unsafe cmark_node_new(CMARK_NODE_LINK) {
                unsafe cmark_node_set_url(link, address)
                unsafe cmark_node_append_child(link, text)
                unsafe piece = link
            }
            if unsafe cmark_node_insert_before(node, piece) == 0 { unsafe cmark_node_free(piece) }
        }
        unsafe cmark_node_free(node)
    }
}
