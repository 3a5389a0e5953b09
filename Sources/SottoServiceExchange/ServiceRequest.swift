public import SottoStreams

/// A request as a server hands it over; its body may still be arriving.
public struct ServiceRequest: Sendable {
    /// Names in any case.
    public var headers: [(name: String, value: String)]
    public var body: ProducedSequence<[UInt8]>

    public init(headers: [(name: String, value: String)], body: ProducedSequence<[UInt8]>) {
        self.headers = headers
        self.body = body
    }

    /// A request whose body is whole.
    public init(headers: [(name: String, value: String)], body: [UInt8]) {
        self.init(headers: headers, body: ProducedSequence { emit in if body.isEmpty == false { try await emit(body) } })
    }

    package func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    /// The whole body of a request that is to be JSON.
    ///
    /// - Parameter limit: In bytes.
    /// - Throws: ``ServiceError`` 415 and 413; what the body throws when its connection breaks.
    package func json(limit: Int) async throws -> [UInt8] {
        let type = HeaderValue(header("content-type") ?? "application/json").value.lowercased()
        guard type == "application/json" else {
            throw ServiceError(status: 415, "the body is to be application/json, not \"\(type)\"", code: "unsupported_media_type")
        }
        var bytes: [UInt8] = []
        for try await part in body {
            bytes += part
            guard bytes.count <= limit else {
                throw ServiceError(status: 413, "the request is larger than \(limit) bytes", code: "request_too_large")
            }
        }
        return bytes
    }
}
