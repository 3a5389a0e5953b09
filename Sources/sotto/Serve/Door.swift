/// One way in: the port on which a server answers, and how.
struct Door: Sendable {
    var port: Int
    /// Whether it is TLS.
    var isSecure: Bool

    /// Sessions are told apart by it: cookies know no ports.
    var cookieName: String { "\(Self.cookiePrefix)\(port)" }
    static let cookiePrefix = "sotto-"
}
