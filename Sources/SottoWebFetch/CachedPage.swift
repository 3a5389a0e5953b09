import Foundation
import SottoFetching

/// A stored answer, without its body.
struct CachedPage: Sendable, Equatable, Codable {
    /// As asked, normalized.
    var url: String
    /// What was sent as Accept-Language: servers answer by it.
    var languages: String
    var finalURL: String
    var hops: [String]
    var headers: [String: String]
    var kind: ContentKind
    var charset: String?
    var isTruncated: Bool
    /// When the body came.
    var date: Date
    /// When the server last said that it is still good.
    var confirmed: Date
    var bodySize: Int

    func isFresh(at now: Date) -> Bool {
        let age = now.timeIntervalSince(confirmed)
        return age >= 0 && age < Freshness(status: 200, headers: headers).lifetime
    }

    /// What asks the server whether the page has changed; empty when it gave nothing to ask with.
    var validators: [FetchRequest.Header] {
        [headers["etag"].map { .init("If-None-Match", $0) }, headers["last-modified"].map { .init("If-Modified-Since", $0) }].compactMap { $0 }
    }

    func response(_ body: [UInt8]) -> FetchResponse {
        FetchResponse(
            status: 200, finalURL: finalURL, hops: hops, headers: headers, body: body, kind: kind, charset: charset, isTruncated: isTruncated,
            isFromCache: true,
            date: date)
    }
}
