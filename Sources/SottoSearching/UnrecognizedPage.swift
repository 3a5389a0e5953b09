/// A reply that does not look as its provider's replies do, kept for a bug report.
public struct UnrecognizedPage: Sendable, Equatable {
    /// What was missed, in a few words.
    public var reason: String
    /// HTTP status.
    public var status: Int
    /// The reply itself; it holds the query.
    public var body: [UInt8]

    public init(reason: String, status: Int, body: [UInt8]) {
        self.reason = reason
        self.status = status
        self.body = body
    }
}
