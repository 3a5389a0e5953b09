internal import CLexbor
internal import SottoDocumentReading

/// Parses markup with lexbor, in small pieces, so that a hostile page is stopped in time.
enum HTMLTree {
    struct Parsed {
        var root: HTMLNode
        /// The page nested deeper than any honest one; the rest was left out.
        var isCut: Bool
        var commentCharacters: Int
    }

    /// Elements open at once, and formatting elements waiting to be opened again. Browsers stop at 512 levels.
    private static let depthLimit = 1_024
    private static let formattingLimit = 128
    /// Deeper nodes hang from their ancestor at this depth, so that later walks may recurse.
    private static let keptDepth = 256

    /// - Throws: ``DocumentReadingError`` `.timedOut` after `deadline`, `.tooLarge` above `maximumNodes`; `CancellationError`.
    static func parse(_ text: String, deadline: Duration, maximumNodes: Int) throws -> Parsed {
        let page = try HTMLDocumentHandle()
        let isCut = try page.parse(text, deadline: deadline, maximumNodes: maximumNodes, depthLimit: depthLimit, formattingLimit: formattingLimit)
        return try page.tree(maximumNodes: maximumNodes, keptDepth: keptDepth, isCut: isCut)
    }
}

/// Owns one lexbor document.
@safe private struct HTMLDocumentHandle: ~Copyable {
    private let pointer: UnsafeMutablePointer<lxb_html_document_t>
    private static let kept: Set<String> = [
        "id", "class", "role", "hidden", "style", "aria-hidden", "lang", "xml:lang", "colspan", "rowspan", "name", "content", "property", "http-equiv",
        "start", "type", "open", "alt", "href", "action", "src",
    ]

    init() throws {
        guard let pointer = unsafe lxb_html_document_create() else { throw DocumentReadingError(.tooLarge, "there is no memory left to parse the page") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe lxb_html_document_destroy(pointer) }

    func parse(_ text: String, deadline: Duration, maximumNodes: Int, depthLimit: Int, formattingLimit: Int) throws -> Bool {
        guard unsafe lxb_html_document_parse_chunk_begin(pointer) == LXB_STATUS_OK.rawValue else {
            throw DocumentReadingError(.malformed, "the HTML parser could not start; there may be no memory left")
        }
        var text = text
        let clock = ContinuousClock()
        let end = clock.now + deadline
        var isCut = false
        try text.withUTF8 { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = min(4_096, bytes.count - offset)
                let status = unsafe lxb_html_document_parse_chunk(pointer, bytes.baseAddress.map { unsafe $0 + offset }, count)
                guard status == LXB_STATUS_OK.rawValue else { throw DocumentReadingError(.malformed, "the page cannot be parsed (lexbor status \(status))") }
                offset += count
                try Task.checkCancellation()
                if clock.now > end { throw DocumentReadingError(.timedOut, "parsing the page took longer than \(deadline); it is likely made to do so") }
                let parser = unsafe pointer.pointee.dom_document.parser?.assumingMemoryBound(to: lxb_html_parser_t.self)
                guard let tree = unsafe parser?.pointee.tree else { continue }
                if unsafe tree.pointee.open_elements.pointee.length > depthLimit || tree.pointee.active_formatting.pointee.length > formattingLimit {
                    isCut = true
                    break
                }
            }
        }
        unsafe lxb_html_document_parse_chunk_end(pointer)
        return isCut
    }

    func tree(maximumNodes: Int, keptDepth: Int, isCut: Bool) throws -> HTMLTree.Parsed {
        let root = HTMLNode(tag: "#document")
        var stack = [root]
        var comments = 0
        var count = 0
        var depth = 0
        let top = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: lxb_dom_node_t.self)
        var next = unsafe top.pointee.first_child
        while let node = unsafe next {
            count += 1
            guard count <= maximumNodes else {
                throw DocumentReadingError(.tooLarge, "the page has more than \(maximumNodes) elements; save a part of it and read that")
            }
            if count % 4_096 == 0 { try Task.checkCancellation() }
            var descends = false
            switch unsafe node.pointee.type {
            case LXB_DOM_NODE_TYPE_ELEMENT:
                let element = unsafe Self.element(node)
                stack[stack.count - 1].children.append(element)
                // Scripts and styles hold no text for people; template contents are not children at all.
                if element.tag != "script", element.tag != "style", unsafe node.pointee.first_child != nil {
                    descends = true
                    depth += 1
                    if stack.count <= keptDepth { stack.append(element) }
                }
            case LXB_DOM_NODE_TYPE_TEXT, LXB_DOM_NODE_TYPE_CDATA_SECTION:
                stack[stack.count - 1].children.append(HTMLNode(tag: "", text: unsafe Self.text(node)))
            case LXB_DOM_NODE_TYPE_COMMENT:
                comments += unsafe Self.text(node).unicodeScalars.count
            default: break
            }
            if descends {
                unsafe next = node.pointee.first_child
                continue
            }
            var current = unsafe node
            while unsafe current.pointee.next == nil, let parent = unsafe current.pointee.parent, unsafe parent != top {
                if depth == stack.count - 1 { stack.removeLast() }
                depth -= 1
                unsafe current = parent
            }
            unsafe next = current.pointee.next
        }
        return HTMLTree.Parsed(root: root, isCut: isCut, commentCharacters: comments)
    }

    private static func text(_ node: UnsafeMutablePointer<lxb_dom_node_t>) -> String {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_character_data_t.self, capacity: 1) { data in
            guard let bytes = unsafe data.pointee.data.data else { return "" }
            return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: data.pointee.data.length), as: UTF8.self)
        }
    }

    private static func element(_ node: UnsafeMutablePointer<lxb_dom_node_t>) -> HTMLNode {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_element_t.self, capacity: 1) { element in
            var length = 0
            let name = unsafe lxb_dom_element_local_name(element, &length)
            let tag = unsafe string(name, length)
            var attributes: [String: String] = [:]
            var attribute = unsafe lxb_dom_element_first_attribute_noi(element)
            while let current = unsafe attribute {
                let key = unsafe string(lxb_dom_attr_qualified_name(current, &length), length)
                if kept.contains(key) { attributes[key] = unsafe string(lxb_dom_attr_value_noi(current, &length), length) }
                unsafe attribute = lxb_dom_element_next_attribute_noi(current)
            }
            return HTMLNode(tag: tag.isEmpty ? "unknown" : tag, attributes: attributes)
        }
    }

    private static func string(_ bytes: UnsafePointer<lxb_char_t>?, _ length: Int) -> String {
        guard let bytes = unsafe bytes else { return "" }
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}
