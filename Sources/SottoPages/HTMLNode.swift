/// One element or text of a parsed page, as Swift values: the C tree is freed before anything looks at it.
final class HTMLNode {
    /// In lower case; empty for a text.
    let tag: String
    /// Only those that ``HTMLTree`` keeps.
    let attributes: [String: String]
    let text: String
    var children: [HTMLNode] = []

    init(tag: String, attributes: [String: String] = [:], text: String = "") {
        self.tag = tag
        self.attributes = attributes
        self.text = text
    }

    var isText: Bool { tag.isEmpty }

    /// The nodes below and itself that meet a condition, in document order.
    func first(where condition: (HTMLNode) -> Bool) -> HTMLNode? {
        if condition(self) { return self }
        for child in children { if let found = child.first(where: condition) { return found } }
        return nil
    }

    func all(where condition: (HTMLNode) -> Bool) -> [HTMLNode] {
        (condition(self) ? [self] : []) + children.flatMap { $0.all(where: condition) }
    }

    /// All text below, as it stands.
    var wholeText: String {
        isText ? text : children.map(\.wholeText).joined()
    }

    /// Words of `class` and `id`, in lower case.
    var names: [Substring] {
        let joined = (attributes["class"] ?? "") + " " + (attributes["id"] ?? "")
        return joined.lowercased().split { $0.isWhitespace }
    }
}
