public import Foundation

/// What came back.
public struct FetchResponse: Sendable, Equatable {
    /// The status of the last answer, 200 to 599.
    public var status: Int
    /// Where the body came from, after redirects.
    public var finalURL: String
    /// Every address on the way, the first one first; the last is ``finalURL``.
    public var hops: [String]
    /// Names in lower case; of repeated fields the last one.
    public var headers: [String: String]
    /// Decoded once from its transfer and content encodings; in the sender's own charset.
    public var body: [UInt8]
    /// By content first, by the sender's word second.
    public var kind: ContentKind
    /// The `charset` of Content-Type, as sent.
    public var charset: String?
    /// The bound on bytes was met and the rest was not read.
    public var isTruncated: Bool
    /// A stored copy answered, new enough or confirmed by the server.
    public var isFromCache: Bool
    /// When the body was received.
    public var date: Date

    public init(
        status: Int, finalURL: String, hops: [String], headers: [String: String], body: [UInt8], kind: ContentKind, charset: String?,
        isTruncated: Bool, isFromCache: Bool, date: Date
    ) {
        self.status = status
        self.finalURL = finalURL
        self.hops = hops
        self.headers = headers
        self.body = body
        self.kind = kind
        self.charset = charset
        self.isTruncated = isTruncated
        self.isFromCache = isFromCache
        self.date = date
    }

    /// How long the server asks to be left alone, in seconds; `nil` when it does not say, or as a date.
    public var retryAfter: Int? { headers["retry-after"].flatMap { Int($0) } }

    /// - Throws: Unless the status is 2xx, ``FetchError`` with `.notFound`, `.forbiddenByServer`, `.rateLimited`, `.serverFailed` or
    ///   `.unexpectedStatus`.
    public func requireSuccess() throws(FetchError) {
        let code: FetchError.Code
        let advice: String
        switch status {
        case 200..<300: return
        case 404, 410: (code, advice) = (.notFound, "the page is not there")
        case 401, 403, 407, 451: (code, advice) = (.forbiddenByServer, "the server does not show it to everybody; open it in a browser")
        case 429:
            (code, advice) = (.rateLimited, "the server wants fewer requests; try again in \(retryAfter.map { "\($0) seconds" } ?? "some minutes")")
        case 500..<600: (code, advice) = (.serverFailed, "the server has a fault of its own; try again later")
        default: (code, advice) = (.unexpectedStatus, "that is no page")
        }
        throw FetchError(code, "\(finalURL) answered \(status): \(advice)")
    }
}
