import SottoFetching

/// One request to one host, ready to be sent.
struct HTTPExchange: Sendable {
    var hop: RedirectPolicy.Hop
    /// The only addresses that may be dialed.
    var addresses: [IPAddress]
    /// Header lines of ours.
    var headers: [FetchRequest.Header]
    var userAgent: String
    /// `nil`: none, whatever the environment says.
    var proxy: WebAddress?
    var limits: FetchLimits
    var deadline: ContinuousClock.Instant
    /// Gives up early what is neither text nor PDF.
    var readsPage: Bool
    /// A file of the authorities that vouch for servers; `nil`: the system's.
    var authorities: String?
    /// Told of each socket before it is made.
    var opening: @Sendable (IPAddress, Int) -> Void

    /// What came, and how it ended.
    struct Result: Sendable {
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        var kind = ContentKind.other
        var isTruncated = false
        var address = ""
        var receivedBytes: Int64 = 0
        /// `nil` when the answer is whole, or cut at its bound.
        var failure: FetchError?
        var isCancelled = false
    }
}
