import Foundation
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

    static func text(_ text: String, type: String) -> ServiceResponse {
        ServiceResponse(headers: [("Content-Type", type)], body: .whole(Array(text.utf8)))
    }

    static func json(_ value: some Encodable, status: Int = 200) throws -> ServiceResponse {
        ServiceResponse(status: status, headers: [("Content-Type", "application/json")], body: .whole(try ServiceJSON.bytes(value)))
    }
}

enum ServiceJSON {
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// One server-sent event; the value has no line breaks, for JSON escapes them.
    static func event(_ value: some Encodable) throws -> [UInt8] { try Array("data: ".utf8) + bytes(value) + Array("\n\n".utf8) }
}
