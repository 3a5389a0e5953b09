import Foundation

/// JSON as it was written: members in their order, numbers as they stand.
///
/// What `JSONDecoder` gives has lost the order of an object's members, which in a schema says in what order they are to be written.
package struct JSONText: Sendable {
    /// The value's own text.
    package let text: String
    private let kind: Kind

    private indirect enum Kind: Sendable {
        case scalar
        case array([JSONText])
        case object([(name: String, value: JSONText)])
    }

    /// Reads an object or a list with nothing but white space around it.
    ///
    /// - Returns: `nil` when it is none, or is nested deeper than ``PartialJSON/maximumDepth``.
    package init?(_ text: String) {
        let values = PartialJSON.values(in: text)
        guard let only = values.first, values.count == 1, only.isComplete, (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil else {
            return nil
        }
        self.init(only.root)
    }

    private init(_ node: PartialJSON.Node) {
        text = node.text
        switch node {
        case .scalar: kind = .scalar
        case .array(let elements, _, _): kind = .array(elements.map { JSONText($0) })
        case .object(let members, _, _): kind = .object(members.map { (Self.string(quoted: "\"\($0.key)\"") ?? $0.key, JSONText($0.value)) })
        }
    }

    /// Of an object; the last of equal names counts, as parsers have it.
    package subscript(name: String) -> JSONText? { members?.last { $0.name == name }?.value }

    package var members: [(name: String, value: JSONText)]? {
        guard case .object(let members) = kind else { return nil }
        return members
    }

    package var elements: [JSONText]? {
        guard case .array(let elements) = kind else { return nil }
        return elements
    }

    package var string: String? { text.first == "\"" ? Self.string(quoted: text) : nil }

    /// A whole number, however it is written.
    package var whole: Int? {
        guard case .scalar = kind else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    private static func string(quoted text: String) -> String? {
        try? JSONDecoder().decode(String.self, from: Data(text.utf8))
    }
}
