/// A JSON value that may have been cut, read so that what is complete in it can be saved.
///
/// Ours because Foundation's parser accepts only whole documents.
struct PartialJSON {
    /// The deepest nesting that is read; deeper text is refused, so that hostile text cannot exhaust the stack.
    static let maximumDepth = 64

    /// What was read, with the text of everything complete kept verbatim.
    indirect enum Node {
        case scalar(String, isComplete: Bool)
        case array([Node], isComplete: Bool, text: String)
        case object([(key: String, value: Node)], isComplete: Bool, text: String)

        var isComplete: Bool {
            switch self {
            case .scalar(_, let isComplete), .array(_, let isComplete, _), .object(_, let isComplete, _): isComplete
            }
        }

        var text: String {
            switch self {
            case .scalar(let text, _), .array(_, _, let text), .object(_, _, let text): text
            }
        }
    }

    let root: Node

    /// Whether the value ends where it should.
    var isComplete: Bool { root.isComplete }
    /// The value's own text, without what surrounds it.
    var text: String { root.text }

    /// Objects and lists that begin anywhere in a text, outermost ones in order; the last may be cut.
    static func values(in text: String) -> [PartialJSON] {
        let bytes = Array(text.utf8)
        var found: [PartialJSON] = []
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[") else {
                position += 1
                continue
            }
            var reader = Reader(bytes: bytes, position: position)
            if let node = reader.value(depth: 0) {
                found.append(PartialJSON(root: node))
                position = max(reader.position, position + 1)
            } else {
                position += 1
            }
        }
        return found
    }

    /// Closes a cut value after its last complete list element.
    ///
    /// An unfinished element is dropped whole, lists that were never begun become empty where the schema lets them be,
    /// and a missing or cut text, number or choice is never invented.
    /// - Returns: Whole JSON that obeys the schema's counts, or `nil` when something required is missing.
    func closed(for schema: GenerationSchema) -> String? {
        Self.closed(root, schema)
    }

    private static func closed(_ node: Node?, _ schema: GenerationSchema) -> String? {
        if let node, node.isComplete { return node.text }
        switch (node, schema) {
        case (.array(let elements, _, _), .array(_, let minimum, _)):
            let whole = elements.filter(\.isComplete)
            return whole.count >= minimum ? "[" + whole.map(\.text).joined(separator: ",") + "]" : nil
        case (.object(let members, _, _), .object(let properties)):
            var parts: [String] = []
            for property in properties {
                let member = members.first { $0.key == property.name }
                guard let value = closed(member?.value, property.schema) else { return nil }
                parts.append(GenerationSchema.quoted(property.name) + ":" + value)
            }
            return "{" + parts.joined(separator: ",") + "}"
        case (nil, .array(_, minimum: 0, _)), (.scalar("", _), .array(_, minimum: 0, _)):
            return "[]"
        default:
            return nil
        }
    }

    /// Reads JSON (RFC 8259) until it ends or the bytes do; `nil` means that this is not JSON at all.
    private struct Reader {
        let bytes: [UInt8]
        var position: Int

        mutating func value(depth: Int) -> Node? {
            guard depth < PartialJSON.maximumDepth else { return nil }
            skipSpace()
            guard let byte = peek else { return .scalar("", isComplete: false) }
            switch byte {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "\""): return string().map { .scalar($0.text, isComplete: $0.isComplete) }
            default: return bare()
            }
        }

        private mutating func object(depth: Int) -> Node? {
            let start = position
            position += 1
            var members: [(key: String, value: Node)] = []
            while true {
                skipSpace()
                guard let byte = peek else { return .object(members, isComplete: false, text: text(from: start)) }
                if byte == UInt8(ascii: "}"), members.isEmpty {
                    position += 1
                    return .object(members, isComplete: true, text: text(from: start))
                }
                guard byte == UInt8(ascii: "\""), let key = string() else { return nil }
                guard key.isComplete else { return .object(members, isComplete: false, text: text(from: start)) }
                skipSpace()
                guard let colon = peek else { return .object(members, isComplete: false, text: text(from: start)) }
                guard colon == UInt8(ascii: ":") else { return nil }
                position += 1
                guard let value = value(depth: depth + 1) else { return nil }
                members.append((String(key.text.dropFirst().dropLast()), value))
                guard value.isComplete else { return .object(members, isComplete: false, text: text(from: start)) }
                skipSpace()
                guard let next = peek else { return .object(members, isComplete: false, text: text(from: start)) }
                position += 1
                if next == UInt8(ascii: "}") { return .object(members, isComplete: true, text: text(from: start)) }
                guard next == UInt8(ascii: ",") else { return nil }
            }
        }

        private mutating func array(depth: Int) -> Node? {
            let start = position
            position += 1
            var elements: [Node] = []
            while true {
                skipSpace()
                guard let byte = peek else { return .array(elements, isComplete: false, text: text(from: start)) }
                if byte == UInt8(ascii: "]"), elements.isEmpty {
                    position += 1
                    return .array(elements, isComplete: true, text: text(from: start))
                }
                guard let element = value(depth: depth + 1) else { return nil }
                elements.append(element)
                guard element.isComplete else { return .array(elements, isComplete: false, text: text(from: start)) }
                skipSpace()
                guard let next = peek else { return .array(elements, isComplete: false, text: text(from: start)) }
                position += 1
                if next == UInt8(ascii: "]") { return .array(elements, isComplete: true, text: text(from: start)) }
                guard next == UInt8(ascii: ",") else { return nil }
            }
        }

        private mutating func string() -> (text: String, isComplete: Bool)? {
            let start = position
            position += 1
            while let byte = peek {
                switch byte {
                case UInt8(ascii: "\""):
                    position += 1
                    return (text(from: start), true)
                case UInt8(ascii: "\\"): position = min(position + 2, bytes.count)
                case 0..<0x20: return nil
                default: position += 1
                }
            }
            return (text(from: start), false)
        }

        /// A number, `true`, `false` or `null`; at the very end more might have followed, so it counts as cut.
        private mutating func bare() -> Node? {
            let start = position
            while let byte = peek, isBare(byte) { position += 1 }
            guard position > start else { return nil }
            let text = text(from: start)
            let isWord = ["true", "false", "null"].contains(text)
            if position == bytes.count {
                let mayGrow = ["true", "false", "null"].contains { $0.hasPrefix(text) } || isNumberPrefix(text)
                return mayGrow ? .scalar(text, isComplete: isWord) : nil
            }
            return isWord || Double(text) != nil ? .scalar(text, isComplete: true) : nil
        }

        private func isNumberPrefix(_ text: String) -> Bool {
            text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        }

        private func isBare(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }

        private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        }

        private func text(from start: Int) -> String {
            String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }
}
