/// The fields of a message in the order they came; names match in any case.
public struct HTTPHeaders: Sendable, Equatable {
    /// One line of a head.
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var fields: [Field]

    public init(_ fields: [Field] = []) { self.fields = fields }

    /// The first value of that name.
    public subscript(_ name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    /// Puts one field in the place of all of that name.
    public mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    public mutating func remove(_ name: String) { fields.removeAll { Self.isSame($0.name, name) } }

    /// The comma-separated members of all fields of that name, in lower case and without spaces around them.
    public func members(_ name: String) -> [String] {
        all(name).flatMap { $0.split(separator: ",") }.map { HTTPText.trimmed($0).lowercased() }.filter { $0.isEmpty == false }
    }

    /// What all `Cookie` fields hold, in order (RFC 6265, 4.2); a piece without a value is left out.
    public var cookies: [(name: String, value: String)] {
        all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return halves.count == 2 ? (HTTPText.trimmed(halves[0]), HTTPText.trimmed(halves[1])) : nil
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
