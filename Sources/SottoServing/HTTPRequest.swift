import Foundation
public import SottoStreams

/// What a handler is given.
public struct HTTPRequest: Sendable {
    public var head: RequestHead
    /// The parts of the path that the route's pattern names, decoded.
    public var parameters: [String: String]
    public var body: RequestBody
    /// How the client proved who it is.
    public var identity: Identity
    /// The client's address in digits.
    public var address: String
    /// Raised when the server is told to stop; a handler that would go on for long ends then.
    public var stopping: CancellationFlag

    /// Decodes a JSON body.
    ///
    /// - Throws: ``Problem`` 400 that names the place, and what reading the body throws.
    public func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let bytes = try await body.collect()
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw Problem(400, "bad-json", "the JSON of the request does not fit: \(error.place)")
        }
    }
}

extension DecodingError {
    /// What is wrong and where, without the value.
    fileprivate var place: String {
        func path(_ context: Context) -> String {
            context.codingPath.isEmpty ? "the top" : context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch self {
        case .keyNotFound(let key, let context): "\(key.stringValue) is missing at \(path(context))"
        case .typeMismatch(let type, let context): "\(path(context)) is to be of type \(type)"
        case .valueNotFound(let type, let context): "\(path(context)) is null and is to be of type \(type)"
        case .dataCorrupted(let context): context.codingPath.isEmpty ? "it is no JSON" : "\(path(context)) has an impossible value"
        @unknown default: "it could not be read"
        }
    }
}
