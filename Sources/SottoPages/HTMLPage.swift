/// A parsed page as flat arrays in document order; the C tree is freed before anything looks at it.
///
/// A node's descendants follow it directly, up to its `end`: a subtree is a range, and sums over subtrees take one pass backwards.
struct HTMLPage {
    struct Node {
        var tag: HTMLTag
        var parent: Int32
        /// One past the last descendant.
        var end: Int32
        /// Into ``HTMLPage/bytes`` for a text, into ``HTMLPage/attributes`` for an element.
        var start: Int32
        var count: Int32
    }

    struct Attribute {
        var name: HTMLAttribute
        var start: Int32
        var count: Int32
    }

    var nodes: [Node] = []
    /// All texts and attribute values, in UTF-8.
    var bytes: [UInt8] = []
    var attributes: [Attribute] = []
    /// The page nested deeper than any honest one; the rest was left out.
    var isCut = false
    /// Characters inside comments.
    var commentCharacters = 0

    func end(_ node: Int) -> Int { Int(nodes[node].end) }
    func parent(_ node: Int) -> Int { Int(nodes[node].parent) }
    func tag(_ node: Int) -> HTMLTag { nodes[node].tag }

    func children(_ node: Int) -> [Int] {
        var result: [Int] = []
        var child = node + 1
        let last = end(node)
        while child < last {
            result.append(child)
            child = end(child)
        }
        return result
    }

    /// Where a text lies in ``bytes``.
    func textRange(_ node: Int) -> Range<Int> {
        let start = Int(nodes[node].start)
        return start..<start + Int(nodes[node].count)
    }

    func range(_ node: Int, _ name: HTMLAttribute) -> Range<Int>? {
        guard nodes[node].tag != .text else { return nil }
        let start = Int(nodes[node].start)
        for index in start..<start + Int(nodes[node].count) where attributes[index].name == name {
            let from = Int(attributes[index].start)
            return from..<from + Int(attributes[index].count)
        }
        return nil
    }

    func value(_ node: Int, _ name: HTMLAttribute) -> String? {
        range(node, name).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// All text below, as it stands.
    func wholeText(_ node: Int) -> String {
        var result: [UInt8] = []
        for index in node..<end(node) where nodes[index].tag == .text { result += bytes[textRange(index)] }
        return String(decoding: result, as: UTF8.self)
    }

    /// What the text below would take on a page, in characters other than white space.
    func length(_ node: Int) -> Int {
        var result = 0
        for index in node..<end(node) where nodes[index].tag == .text {
            for byte in bytes[textRange(index)] where byte > 0x20 && byte & 0xC0 != 0x80 { result += 1 }
        }
        return result
    }

    func first(in node: Int, where condition: (Int) -> Bool) -> Int? {
        (node..<end(node)).first(where: condition)
    }

    /// The text below on one line, cleaned of what nobody sees.
    func line(_ node: Int) -> String {
        VisibleText.line(wholeText(node))
    }
}
