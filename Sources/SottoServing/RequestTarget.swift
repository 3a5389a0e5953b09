/// What a request names: a path taken apart, and a query.
///
/// A path that leaves its root cannot be expressed: each segment is decoded once, and `.`, `..`, empty segments, slashes, backslashes and control
/// characters inside a segment are refused.
public struct RequestTarget: Sendable, Equatable {
    public struct QueryItem: Sendable, Equatable {
        public var name: String
        public var value: String
    }

    private static let mostQueryItems = 100

    /// Decoded; empty for `/`.
    public let segments: [String]
    /// Whether the path ends with a slash that is not its first character.
    public let endsWithSlash: Bool
    public let query: [QueryItem]
    /// The authority of an absolute target, which proxies send (RFC 9112, 3.2.2).
    public let authority: String?

    /// - Parameter text: The target as it came, visible ASCII.
    /// - Throws: ``Problem`` 400.
    public init(_ text: String) throws(Problem) {
        var rest = text[...]
        var authority: String?
        if text.lowercased().hasPrefix("http://") {
            rest = rest.dropFirst(7)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
            if rest.first != "/" { rest = "/" + rest }
        }
        self.authority = authority
        guard rest.first == "/" else {
            throw Problem.malformed(400, "bad-target", "the request names no path; a path begins with a slash")
        }
        guard rest.contains("#") == false else { throw Problem.malformed(400, "bad-target", "a fragment (#…) is never sent to a server") }
        let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var parts = pieces[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        endsWithSlash = parts.count > 1 && parts.last?.isEmpty == true
        if parts.last?.isEmpty == true { parts.removeLast() }
        var segments: [String] = []
        for part in parts {
            guard let segment = HTTPText.percentDecoded(part.utf8) else {
                throw Problem(400, "bad-path", "the path holds a broken escape, a control character, or bytes that are no UTF-8")
            }
            guard segment.isEmpty == false, segment != ".", segment != "..", segment.contains(where: { $0 == "/" || $0 == "\\" }) == false else {
                throw Problem(400, "bad-path", "the path has an empty part, a dot part, or a slash inside a part; write it plainly")
            }
            segments.append(segment)
        }
        self.segments = segments
        query = pieces.count > 1 ? try Self.query(pieces[1]) : []
    }

    /// The first value of that name in the query.
    public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    private static func query(_ text: Substring) throws(Problem) -> [QueryItem] {
        var items: [QueryItem] = []
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = HTTPText.percentDecoded(halves[0].utf8, plusIsSpace: true),
                let value = halves.count > 1 ? HTTPText.percentDecoded(halves[1].utf8, plusIsSpace: true) : ""
            else { throw Problem(400, "bad-query", "the query holds a broken escape, a control character, or bytes that are no UTF-8") }
            guard items.count < mostQueryItems else { throw Problem(400, "bad-query", "the query has more than \(mostQueryItems) parts") }
            items.append(QueryItem(name: name, value: value))
        }
        return items
    }
}
