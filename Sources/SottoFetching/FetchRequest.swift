/// One thing to get from the web, and why.
public struct FetchRequest: Sendable, Equatable {
    public enum Method: String, Sendable, Codable { case get = "GET", post = "POST" }

    /// Why a request is made; decides which rules hold.
    public enum Purpose: String, Sendable, Codable, CaseIterable {
        /// A page is read: robots.txt holds, the page cache is used, what is not text or PDF is given up early.
        case page
        /// A search provider's own interface is asked: no robots.txt, no cache.
        case search
        /// The rules of a host for robots are read.
        case robots
    }

    /// `http` or `https`, as typed or found; it is normalized before anything is looked up.
    public var url: String
    public var purpose: Purpose
    public var method = Method.get
    /// Sent as they are to the first host only: a redirect to another scheme, host or port does not take them along.
    public var headers: [Header] = []
    /// For `POST`; say its kind in ``headers``.
    public var body: [UInt8] = []
    /// Language tags, the best first, for `Accept-Language`. Empty: the header is not sent.
    public var languages: [String] = []
    /// The job that asks, for the ledger.
    public var job: Int64?
    /// What led to this request, for the ledger: "the task", "query 2", "a result of DuckDuckGo".
    public var origin = ""
    /// The one configured provider whose own address may be local or private; `nil` for everything else, above all for links out of pages.
    ///
    /// It holds while every hop so far was at exactly this scheme, host and port.
    public var allowance: WebOrigin?
    /// Whether a stored copy that is still fresh may answer; pages only.
    public var usesCache = true

    public init(_ url: String, purpose: Purpose) {
        self.url = url
        self.purpose = purpose
    }

    /// One header field.
    public struct Header: Sendable, Equatable {
        public var name: String
        public var value: String
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
