public import SottoStreams

/// What a server is to answer.
public struct ServiceResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    public enum Body: Sendable {
        case whole([UInt8])
        /// Sent while it is made; cancelling or dropping it stops the engine.
        case stream(ProducedSequence<[UInt8]>)
    }

    public init(status: Int = 200, headers: [(name: String, value: String)], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(_ text: String, type: String) -> ServiceResponse {
        ServiceResponse(headers: [("Content-Type", type)], body: .whole(Array(text.utf8)))
    }

    package static func json(_ value: some Encodable, status: Int = 200) throws -> ServiceResponse {
        ServiceResponse(status: status, headers: [("Content-Type", "application/json")], body: .whole(try ServiceJSON.bytes(value)))
    }

    /// Server-sent events while they are made.
    package static func events(_ events: ProducedSequence<[UInt8]>, headers: [(name: String, value: String)] = []) -> ServiceResponse {
        ServiceResponse(headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache")] + headers, body: .stream(events))
    }

    /// The same answer with a header that names the fields that had no effect; names that a client chose may not write headers.
    package func naming(ignored: [String]) -> ServiceResponse {
        guard ignored.isEmpty == false else { return self }
        // A client may send any number of them, and clients refuse heads that are too long.
        var names = ignored.prefix(32).map { name in
            String(name.unicodeScalars.prefix(64).map { $0.isASCII && $0.value > 32 && $0.value < 127 && $0 != "," ? Character($0) : "?" })
        }
        if ignored.count > names.count { names.append("...") }
        var named = self
        named.headers.append(("Sotto-Ignored", names.joined(separator: ", ")))
        return named
    }
}
