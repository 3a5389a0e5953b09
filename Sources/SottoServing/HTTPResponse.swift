import Foundation
public import SottoStreams

/// An answer.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case whole([UInt8])
        /// Sent while it is made, no faster than the client takes it; dropped, and so cancelled, when the client goes away.
        case stream(ProducedSequence<[UInt8]>)
        /// Like a stream, with its size told in advance; one that gives more or fewer bytes breaks the connection.
        case sized(ProducedSequence<[UInt8]>, bytes: Int)
        /// Like a stream, and without an end of its own: it is ended when the server stops.
        case live(ProducedSequence<[UInt8]>)
    }

    public var status: Int
    public var headers: HTTPHeaders
    public var body: Body

    public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: Body = .whole([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A text of the given type.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([.init("Content-Type", type)]), body: .whole(Array(text.utf8)))
    }

    /// A value as JSON, with sorted keys and dates as ISO 8601.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return HTTPResponse(
            status: status, headers: HTTPHeaders([.init("Content-Type", "application/json")]), body: .whole([UInt8](try encoder.encode(value))))
    }
}
