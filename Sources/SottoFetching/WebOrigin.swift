/// Scheme, host and port: who answers (RFC 6454).
public struct WebOrigin: Sendable, Hashable, Codable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Lower case, ASCII, without a final dot; IPv6 without brackets.
    public let host: String
    public let port: Int

    /// Takes parts that are normalized already, as the address type of the fetching module gives them.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return isUsual ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }
}
