internal import CLexbor
internal import SottoDocumentReading

/// Parses markup with lexbor, in small pieces, so that a hostile page is stopped in time.
enum HTMLTree {
    /// Elements open at once, and formatting elements waiting to be opened again. Browsers stop at 512 levels.
    private static let depthLimit = 1_024
    private static let formattingLimit = 128
    /// Deeper nodes hang from their ancestor at this depth, so that later walks may recurse.
    private static let keptDepth = 256

    /// - Throws: ``DocumentReadingError`` `.timedOut` after `deadline`, `.tooLarge` above `maximumNodes`; `CancellationError`.
    static func parse(_ text: String, deadline: Duration, maximumNodes: Int) throws -> HTMLPage {
        let page = try HTMLDocumentHandle()
        let isCut = try page.parse(text, deadline: deadline, maximumNodes: maximumNodes, depthLimit: depthLimit, formattingLimit: formattingLimit)
        return try page.tree(maximumNodes: maximumNodes, keptDepth: keptDepth, isCut: isCut)
    }
}

/// Owns one lexbor document.
@safe private struct HTMLDocumentHandle: ~Copyable {
    private let pointer: UnsafeMutablePointer<lxb_html_document_t>
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

    func tree(maximumNodes: Int, keptDepth: Int, isCut: Bool) throws -> HTMLPage {
        var page = HTMLPage()
        page.isCut = isCut
        page.nodes.append(HTMLPage.Node(tag: .document, parent: 0, end: 1, start: 0, count: 0))
        var names = TagNames()
        var stack = [0]
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
                let index = page.nodes.count
                let isRead = unsafe Self.addElement(node, parent: stack[stack.count - 1], to: &page, names: &names)
                if isRead, unsafe node.pointee.first_child != nil {
                    descends = true
                    depth += 1
                    if stack.count <= keptDepth { stack.append(index) }
                }
            case LXB_DOM_NODE_TYPE_TEXT, LXB_DOM_NODE_TYPE_CDATA_SECTION:
                unsafe Self.addText(node, parent: stack[stack.count - 1], to: &page)
            case LXB_DOM_NODE_TYPE_COMMENT:
                unsafe page.commentCharacters += Self.text(node).count { $0 & 0xC0 != 0x80 }
            default: break
            }
            if descends {
                unsafe next = node.pointee.first_child
                continue
            }
            var current = unsafe node
            while unsafe current.pointee.next == nil, let parent = unsafe current.pointee.parent, unsafe parent != top {
                if depth == stack.count - 1 { page.nodes[stack.removeLast()].end = Int32(page.nodes.count) }
                depth -= 1
                unsafe current = parent
            }
            unsafe next = current.pointee.next
        }
        for open in stack { page.nodes[open].end = Int32(page.nodes.count) }
        return page
    }

    private static func text(_ node: UnsafeMutablePointer<lxb_dom_node_t>) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_character_data_t.self, capacity: 1) { data in
            unsafe UnsafeBufferPointer(start: data.pointee.data.data, count: data.pointee.data.data == nil ? 0 : data.pointee.data.length)
        }
    }

    private static func addText(_ node: UnsafeMutablePointer<lxb_dom_node_t>, parent: Int, to page: inout HTMLPage) {
        let bytes = unsafe text(node)
        page.nodes.append(HTMLPage.Node(
            tag: .text, parent: Int32(parent), end: Int32(page.nodes.count + 1), start: Int32(page.bytes.count), count: Int32(bytes.count)))
        unsafe page.bytes.append(contentsOf: bytes)
    }

    /// - Returns: Whether what is inside is read: of scripts only data about the page; template contents are not children at all.
    private static func addElement(
        _ node: UnsafeMutablePointer<lxb_dom_node_t>, parent: Int, to page: inout HTMLPage, names: inout TagNames
    ) -> Bool {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_element_t.self, capacity: 1) { element in
            let tag = unsafe names.tag(of: element)
            let start = page.attributes.count
            var attribute = unsafe lxb_dom_element_first_attribute_noi(element)
            var isData = false
            while let current = unsafe attribute {
                var length = 0
                let name = unsafe lxb_dom_attr_qualified_name(current, &length)
                // The longest of the names that are kept has 11 letters.
                if length <= 11, let name = unsafe name, let kept = unsafe HTMLAttribute(name: String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self)) {
                    let value = unsafe lxb_dom_attr_value_noi(current, &length)
                    let bytes = unsafe UnsafeBufferPointer(start: value, count: value == nil ? 0 : length)
                    page.attributes.append(HTMLPage.Attribute(name: kept, start: Int32(page.bytes.count), count: Int32(bytes.count)))
                    // Pictures written into an attribute are of no use here.
                    if bytes.count > 16_384 { page.attributes[page.attributes.count - 1].count = 0 } else { unsafe page.bytes.append(contentsOf: bytes) }
                    if kept == .type, tag == .script { isData = unsafe bytes.elementsEqual("application/ld+json".utf8) }
                }
                unsafe attribute = lxb_dom_element_next_attribute_noi(current)
            }
            page.nodes.append(HTMLPage.Node(
                tag: tag, parent: Int32(parent), end: Int32(page.nodes.count + 1), start: Int32(start), count: Int32(page.attributes.count - start)))
            return (tag != .script || isData) && tag != .svg
        }
    }
}

/// Remembers which of lexbor's numbers stands for which element.
private struct TagNames {
    private var known = [HTMLTag?](repeating: nil, count: Int(LXB_TAG__LAST_ENTRY.rawValue))

    mutating func tag(of element: UnsafeMutablePointer<lxb_dom_element_t>) -> HTMLTag {
        let number = unsafe Int(bitPattern: element.pointee.node.local_name)
        if known.indices.contains(number), let tag = known[number] { return tag }
        var length = 0
        guard let name = unsafe lxb_dom_element_local_name(element, &length) else { return .other }
        let tag = unsafe HTMLTag(name: String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self))
        if known.indices.contains(number) { known[number] = tag }
        return tag
    }
}
