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

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}
