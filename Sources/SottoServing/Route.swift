/// One thing a server does: a path, what it accepts, who may ask, and the work.
///
/// A route that changes something cannot be made with a safe method: ``read(_:access:_:)`` is GET and HEAD, ``change(_:_:body:access:_:)`` takes only
/// the others.
public struct Route: Sendable {
    public enum Access: Sendable, Equatable {
        /// Whoever reaches the server by its own name, without any proof: the app's files, health.
        case open
        /// The key or a session.
        case identified
    }

    public enum ChangeMethod: String, Sendable, CaseIterable {
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    public typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse
    public typealias Converse = @Sendable (HTTPRequest, WebSocketSession) async throws -> Void

    enum Work: Sendable {
        case answer(Answer)
        case webSocket(WebSocketRules, Converse)
    }

    public let method: HTTPMethod
    public let pattern: RoutePattern
    public let access: Access
    public let body: BodyRule
    let work: Work

    /// Whether a conversation follows instead of an answer.
    public var isWebSocket: Bool { if case .webSocket = work { true } else { false } }

    /// A route that changes nothing: GET, and HEAD with it.
    public static func read(_ pattern: RoutePattern, access: Access = .identified, _ answer: @escaping Answer) -> Route {
        Route(method: .get, pattern: pattern, access: access, body: .none, work: .answer(answer))
    }

    /// A route that changes something.
    public static func change(
        _ method: ChangeMethod, _ pattern: RoutePattern, body: BodyRule = .none, access: Access = .identified, _ answer: @escaping Answer
    ) -> Route {
        let method: HTTPMethod =
            switch method {
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
        return Route(method: method, pattern: pattern, access: access, body: body, work: .answer(answer))
    }

    /// A WebSocket; the connection is closed when `converse` returns.
    public static func webSocket(_ pattern: RoutePattern, rules: WebSocketRules = WebSocketRules(), _ converse: @escaping Converse) -> Route {
        Route(method: .get, pattern: pattern, access: .identified, body: .none, work: .webSocket(rules, converse))
    }
}

/// What a route takes as a body.
public struct BodyRule: Sendable, Equatable {
    /// Bytes, decoded.
    public var maximumBytes: Int
    /// Media types without parameters, in lower case; any other is answered with 415.
    public var contentTypes: [String]

    public init(maximumBytes: Int, contentTypes: [String]) {
        self.maximumBytes = maximumBytes
        self.contentTypes = contentTypes
    }

    /// No body: one that is sent is refused.
    public static let none = BodyRule(maximumBytes: 0, contentTypes: [])

    /// JSON up to a size that is held in memory.
    public static func json(maximumBytes: Int = 256 << 10) -> BodyRule { BodyRule(maximumBytes: maximumBytes, contentTypes: ["application/json"]) }
}
