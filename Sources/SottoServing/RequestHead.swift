/// The first part of a request: everything before its body.
public struct RequestHead: Sendable, Equatable {
    public var method: HTTPMethod
    public var target: RequestTarget
    /// The second number of `HTTP/1.x`: 0 or 1.
    public var minorVersion: Int
    public var headers: HTTPHeaders

    public init(method: HTTPMethod, target: RequestTarget, minorVersion: Int = 1, headers: HTTPHeaders = HTTPHeaders()) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.headers = headers
    }

    /// Whether the client wants to send another request on the same connection.
    public var keepsAlive: Bool {
        let options = headers.members("Connection")
        return minorVersion == 0 ? false : options.contains("close") == false
    }
}
