internal import CLexbor
internal import SottoDocumentReading

/// Parses markup with lexbor, in small pieces, so that a hostile page is stopped in time.
enum HTMLTree {
    /// Elements open at once, and formatting elements waiting to be opened again. Browsers stop at 512 levels.
    private static let depthLimit = 1_024
    private static let formattingLimit = 128
    /// Deeper nodes hang from their ancestor at this depth, so that later walks may recurse.
    private static let keptDepth = 256
    /// What lexbor keeps of a page takes fifteen times its bytes; of a long one, what is finished is taken over each time this many bytes were parsed.
    static let harvestInterval = 256 * 1_024

    /// - Parameter harvestInterval: In bytes; of a shorter page nothing is taken over early.
    /// - Throws: ``DocumentReadingError`` `.timedOut` after `deadline`, `.tooLarge` above `maximumNodes`; `CancellationError`.
    static func parse(_ text: String, deadline: Duration, maximumNodes: Int, harvestInterval: Int = Self.harvestInterval) throws -> HTMLPage {
        var parser = try HTMLDocumentHandle(maximumNodes: maximumNodes)
        let isCut = try parser.parse(
            text, deadline: deadline, depthLimit: depthLimit, formattingLimit: formattingLimit, harvestInterval: harvestInterval)
        var page = try parser.tree(keptDepth: keptDepth)
        page.isCut = isCut
        return page
    }
}

/// Owns one lexbor document, and what was taken over of it already.
@safe private struct HTMLDocumentHandle: ~Copyable {
    private let pointer: UnsafeMutablePointer<lxb_html_document_t>
    /// What was taken over; the node that stands in its place in lexbor's tree holds its number, from 1, in `user`.
    private var harvest: [HTMLPageBuilder.Part] = []
    private var names = TagNames()
    private let maximumNodes: Int
    private var count = 0

    init(maximumNodes: Int) throws {
        guard let pointer = unsafe lxb_html_document_create() else { throw DocumentReadingError(.tooLarge, "there is no memory left to parse the page") }
        unsafe self.pointer = pointer
        self.maximumNodes = maximumNodes
    }

    deinit { unsafe lxb_html_document_destroy(pointer) }

    mutating func parse(_ text: String, deadline: Duration, depthLimit: Int, formattingLimit: Int, harvestInterval: Int) throws -> Bool {
        guard unsafe lxb_html_document_parse_chunk_begin(pointer) == LXB_STATUS_OK.rawValue else {
            throw DocumentReadingError(.malformed, "the HTML parser could not start; there may be no memory left")
        }
        var text = text
        let clock = ContinuousClock()
        let end = clock.now + deadline
        var isCut = false
        var harvested = 0
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
                if offset - harvested >= harvestInterval, offset < bytes.count {
                    unsafe try harvestFinished(tree)
                    harvested = offset
                }
            }
        }
        unsafe lxb_html_document_parse_chunk_end(pointer)
        return isCut
    }

    // MARK: Taking over what is finished

    /// Takes over and frees the children of open elements that the parser is done with: all before the last, but for what holds an element that the parser
    /// still points to. Whatever comes later stands after them, or is moved whole with them.
    private mutating func harvestFinished(_ tree: UnsafeMutablePointer<lxb_html_tree_t>) throws {
        let open = unsafe Self.nodes(tree.pointee.open_elements)
        let needed = unsafe needed(tree, open: open)
        for unsafe element in unsafe open {
            var next = unsafe element.pointee.first_child
            while let first = unsafe next {
                // A text before an open table may still grow, by what is misplaced in the table; none may stand for others.
                guard unsafe Self.isFinished(first, needed), unsafe first.pointee.type != LXB_DOM_NODE_TYPE_TEXT else {
                    unsafe next = first.pointee.next
                    continue
                }
                // A run of finished nodes becomes one part; its first node stays, empty, and stands for all.
                var builder = HTMLPageBuilder()
                unsafe try walk(first, into: &builder)
                while let node = unsafe first.pointee.next, unsafe Self.isFinished(node, needed) {
                    unsafe try walk(node, into: &builder)
                    unsafe Self.free(node)
                }
                while let child = unsafe first.pointee.first_child { unsafe Self.free(child) }
                harvest.append(builder.finish())
                unsafe first.pointee.user = UnsafeMutableRawPointer(bitPattern: harvest.count)
                unsafe next = first.pointee.next
            }
        }
    }

    /// Frees a node and all below it. Lexbor's HTML elements do not free their attributes.
    private static func free(_ root: UnsafeMutablePointer<lxb_dom_node_t>) {
        var node = unsafe root
        while true {
            if unsafe node.pointee.type == LXB_DOM_NODE_TYPE_ELEMENT {
                unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_element_t.self, capacity: 1) { element in
                    while let attribute = unsafe element.pointee.first_attr {
                        unsafe element.pointee.first_attr = attribute.pointee.next
                        unsafe lxb_dom_attr_interface_destroy(attribute)
                    }
                    unsafe element.pointee.last_attr = nil
                    unsafe element.pointee.attr_id = nil
                    unsafe element.pointee.attr_class = nil
                }
            }
            if let child = unsafe node.pointee.first_child {
                unsafe node = child
                continue
            }
            while unsafe node != root, unsafe node.pointee.next == nil, let parent = unsafe node.pointee.parent { unsafe node = parent }
            guard unsafe node != root, let following = unsafe node.pointee.next else { break }
            unsafe node = following
        }
        unsafe lxb_dom_node_destroy_deep(root)
    }

    private static func isFinished(_ node: UnsafeMutablePointer<lxb_dom_node_t>, _ needed: Set<UnsafeMutablePointer<lxb_dom_node_t>>) -> Bool {
        // The last child may be a text that grows.
        unsafe node.pointee.next != nil && node.pointee.user == nil && needed.contains(node) == false
    }

    private static func nodes(_ array: UnsafeMutablePointer<lexbor_array_t>?) -> [UnsafeMutablePointer<lxb_dom_node_t>] {
        guard let array = unsafe array else { return unsafe [] }
        return unsafe (0..<array.pointee.length).compactMap { unsafe array.pointee.list[$0]?.assumingMemoryBound(to: lxb_dom_node_t.self) }
    }

    /// The elements that the parser points to, and all around them.
    private func needed(
        _ tree: UnsafeMutablePointer<lxb_html_tree_t>, open: [UnsafeMutablePointer<lxb_dom_node_t>]
    ) -> Set<UnsafeMutablePointer<lxb_dom_node_t>> {
        var roots = unsafe open
        // A marker among the formatting elements points to no element of the page.
        let marker = unsafe lxb_html_tree_active_formatting_marker().map { unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: lxb_dom_node_t.self) }
        unsafe roots += Self.nodes(tree.pointee.active_formatting).filter { unsafe $0 != marker }
        for unsafe pointer in unsafe [
            UnsafeMutableRawPointer(tree.pointee.form), UnsafeMutableRawPointer(pointer.pointee.head), UnsafeMutableRawPointer(pointer.pointee.body),
        ] {
            if let pointer = unsafe pointer { unsafe roots.append(pointer.assumingMemoryBound(to: lxb_dom_node_t.self)) }
        }
        var needed = unsafe Set<UnsafeMutablePointer<lxb_dom_node_t>>()
        for unsafe root in unsafe roots {
            var node = unsafe Optional(root)
            while let current = unsafe node, unsafe needed.insert(current).inserted { unsafe node = current.pointee.parent }
        }
        return unsafe needed
    }

    // MARK: Walking

    /// The whole page, once it is parsed.
    mutating func tree(keptDepth: Int) throws -> HTMLPage {
        var builder = HTMLPageBuilder(keptDepth: keptDepth)
        if harvest.isEmpty == false {
            // What is left in lexbor's tree is little beside it.
            builder.reserve(
                nodes: harvest.reduce(8_192) { $0 + $1.page.nodes.count }, attributes: harvest.reduce(8_192) { $0 + $1.page.attributes.count },
                bytes: harvest.reduce(HTMLTree.harvestInterval) { $0 + $1.page.bytes.count })
        }
        var next = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: lxb_dom_node_t.self).pointee.first_child
        while let node = unsafe next {
            unsafe try walk(node, into: &builder)
            unsafe next = node.pointee.next
        }
        return builder.finish().page
    }

    /// Adds a node and all that is below it.
    private mutating func walk(_ root: UnsafeMutablePointer<lxb_dom_node_t>, into builder: inout HTMLPageBuilder) throws {
        var node = unsafe root
        while true {
            count += 1
            guard count <= maximumNodes else {
                throw DocumentReadingError(.tooLarge, "the page has more than \(maximumNodes) elements; save a part of it and read that")
            }
            if count % 4_096 == 0 { try Task.checkCancellation() }
            if unsafe add(node, to: &builder), let child = unsafe node.pointee.first_child {
                builder.descend()
                unsafe node = child
                continue
            }
            while unsafe node != root, unsafe node.pointee.next == nil, let parent = unsafe node.pointee.parent {
                builder.ascend()
                unsafe node = parent
            }
            guard unsafe node != root, let following = unsafe node.pointee.next else { return }
            unsafe node = following
        }
    }

    /// - Returns: Whether what is inside is read.
    private mutating func add(_ node: UnsafeMutablePointer<lxb_dom_node_t>, to builder: inout HTMLPageBuilder) -> Bool {
        if let number = unsafe node.pointee.user.map({ Int(bitPattern: $0) }) {
            builder.add(harvest[number - 1])
            // It stands in one place only.
            harvest[number - 1].page = HTMLPage()
            return false
        }
        switch unsafe node.pointee.type {
        case LXB_DOM_NODE_TYPE_ELEMENT: return unsafe addElement(node, to: &builder)
        case LXB_DOM_NODE_TYPE_TEXT, LXB_DOM_NODE_TYPE_CDATA_SECTION: unsafe builder.addText(Self.text(node))
        case LXB_DOM_NODE_TYPE_COMMENT: unsafe builder.addComment(characters: Self.text(node).count { $0 & 0xC0 != 0x80 })
        default: break
        }
        return false
    }

    private static func text(_ node: UnsafeMutablePointer<lxb_dom_node_t>) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_character_data_t.self, capacity: 1) { data in
            unsafe UnsafeBufferPointer(start: data.pointee.data.data, count: data.pointee.data.data == nil ? 0 : data.pointee.data.length)
        }
    }

    /// - Returns: Whether what is inside is read: of scripts only data about the page; template contents are not children at all.
    private mutating func addElement(_ node: UnsafeMutablePointer<lxb_dom_node_t>, to builder: inout HTMLPageBuilder) -> Bool {
        unsafe UnsafeMutableRawPointer(node).withMemoryRebound(to: lxb_dom_element_t.self, capacity: 1) { element in
            let tag = unsafe names.tag(of: element)
            var attribute = unsafe lxb_dom_element_first_attribute_noi(element)
            var isData = false
            var attributes = 0
            while let current = unsafe attribute {
                var length = 0
                let name = unsafe lxb_dom_attr_qualified_name(current, &length)
                // The longest of the names that are kept has 11 letters.
                if length <= 11, let name = unsafe name, let kept = unsafe HTMLAttribute(name: String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self)) {
                    let value = unsafe lxb_dom_attr_value_noi(current, &length)
                    let bytes = unsafe UnsafeBufferPointer(start: value, count: value == nil ? 0 : length)
                    unsafe builder.addAttribute(kept, bytes)
                    attributes += 1
                    if kept == .type, tag == .script { isData = unsafe bytes.elementsEqual("application/ld+json".utf8) }
                }
                unsafe attribute = lxb_dom_element_next_attribute_noi(current)
            }
            builder.addElement(tag, attributes: attributes)
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
