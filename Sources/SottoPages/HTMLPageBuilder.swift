/// Writes an ``HTMLPage`` in document order: elements are opened and closed, texts and finished parts stand between.
struct HTMLPageBuilder {
    /// Deeper nodes hang from their ancestor at this depth, so that later walks may recurse.
    private let keptDepth: Int
    private(set) var page = HTMLPage()
    /// The open nodes that may have children, the root first.
    private var stack = [0]
    /// How many nodes are open below the root, however deep.
    private var depth = 0
    /// The deepest that it went.
    private(set) var deepest = 0

    init(keptDepth: Int = .max) {
        self.keptDepth = keptDepth
        page.nodes.append(HTMLPage.Node(tag: .document, parent: 0, end: 1, start: 0, count: 0))
    }

    /// Makes room for what is known to come.
    mutating func reserve(nodes: Int, attributes: Int, bytes: Int) {
        page.nodes.reserveCapacity(nodes)
        page.attributes.reserveCapacity(attributes)
        page.bytes.reserveCapacity(bytes)
    }

    mutating func addText(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(.text, start: page.bytes.count, count: bytes.count)
        unsafe page.bytes.append(contentsOf: bytes)
    }

    mutating func addComment(characters: Int) { page.commentCharacters += characters }

    /// Adds an attribute to the element that is added next.
    ///
    /// - Parameter limit: Longer values, pictures written into an attribute, are of no use and left empty.
    mutating func addAttribute(_ name: HTMLAttribute, _ value: UnsafeBufferPointer<UInt8>, limit: Int = 16_384) {
        let isKept = value.count <= limit
        page.attributes.append(HTMLPage.Attribute(name: name, start: Int32(page.bytes.count), count: Int32(isKept ? value.count : 0)))
        if isKept { unsafe page.bytes.append(contentsOf: value) }
    }

    /// Adds an element with the `attributes` that were added last; it has no children until ``descend()``.
    mutating func addElement(_ tag: HTMLTag, attributes: Int) {
        append(tag, start: page.attributes.count - attributes, count: attributes)
    }

    /// What follows stands inside the node that was added last.
    mutating func descend() {
        depth += 1
        deepest = max(deepest, depth)
        if stack.count <= keptDepth { stack.append(page.nodes.count - 1) }
    }

    /// Ends what the matching ``descend()`` began.
    mutating func ascend() {
        if depth == stack.count - 1 { page.nodes[stack.removeLast()].end = Int32(page.nodes.count) }
        depth -= 1
    }

    /// Adds all that stands below the root of a finished part.
    mutating func add(_ part: Part) {
        let nodes = page.nodes.count - 1, attributes = Int32(page.attributes.count), bytes = Int32(page.bytes.count)
        page.commentCharacters += part.page.commentCharacters
        page.bytes += part.page.bytes
        for attribute in part.page.attributes {
            page.attributes.append(HTMLPage.Attribute(name: attribute.name, start: attribute.start + bytes, count: attribute.count))
        }
        func start(of node: HTMLPage.Node) -> Int { Int(node.start + (node.tag == .text ? bytes : attributes)) }
        if depth + part.depth <= keptDepth {
            deepest = max(deepest, depth + part.depth)
            let parent = Int32(stack[stack.count - 1])
            for var node in part.page.nodes.dropFirst() {
                node.parent = node.parent == 0 ? parent : node.parent + Int32(nodes)
                node.end += Int32(nodes)
                node.start = Int32(start(of: node))
                page.nodes.append(node)
            }
            return
        }
        // Too deep to be kept as it is.
        var ends: [Int32] = []
        for (index, node) in part.page.nodes.enumerated().dropFirst() {
            while let end = ends.last, end <= index {
                ends.removeLast()
                ascend()
            }
            append(node.tag, start: start(of: node), count: Int(node.count))
            if node.end > index + 1 {
                ends.append(node.end)
                descend()
            }
        }
        for _ in ends { ascend() }
    }

    private mutating func append(_ tag: HTMLTag, start: Int, count: Int) {
        page.nodes.append(HTMLPage.Node(
            tag: tag, parent: Int32(stack[stack.count - 1]), end: Int32(page.nodes.count + 1), start: Int32(start), count: Int32(count)))
    }

    /// A piece of a page: the nodes below the root belong together wherever they end up.
    struct Part {
        var page: HTMLPage
        /// Levels below the root.
        var depth: Int
    }

    /// Ends whatever is open, and hands over what was written.
    consuming func finish() -> Part {
        for open in stack { page.nodes[open].end = Int32(page.nodes.count) }
        return Part(page: page, depth: deepest)
    }
}
