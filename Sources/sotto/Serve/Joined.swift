/// Two values as one JSON object: a report that commands print as well, and what the app shows besides.
///
/// No name may be in both. Both encode keyed containers, as every struct of ours does.
struct Joined<First: Encodable, Second: Encodable>: Encodable {
    var first: First
    var second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}

extension Joined: Sendable where First: Sendable, Second: Sendable {}
