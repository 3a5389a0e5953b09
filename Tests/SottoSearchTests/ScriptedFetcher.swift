import SottoFetching
import Synchronization
import struct Foundation.Date

/// Answers as it is told, and remembers what it was asked.
final class ScriptedFetcher: Fetching {
    private let answer: @Sendable (FetchRequest) throws -> FetchResponse
    private let asked = Mutex<[FetchRequest]>([])

    init(_ answer: @escaping @Sendable (FetchRequest) throws -> FetchResponse) { self.answer = answer }

    var requests: [FetchRequest] { asked.withLock { $0 } }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        asked.withLock { $0.append(request) }
        return try answer(request)
    }
}

func response(
    _ body: [UInt8], status: Int = 200, type: String = "text/html; charset=utf-8", headers: [String: String] = [:], charset: String? = "utf-8"
) -> FetchResponse {
    FetchResponse(
        status: status, finalURL: "https://provider.example/", hops: [], headers: headers.merging(["content-type": type]) { $1 }, body: body,
        kind: ContentKind(sniffing: body, type: type), charset: charset, isTruncated: false, isFromCache: false, date: Date(timeIntervalSince1970: 0))
}

func response(_ body: String, status: Int = 200, type: String = "text/html; charset=utf-8", headers: [String: String] = [:]) -> FetchResponse {
    response(Array(body.utf8), status: status, type: type, headers: headers)
}
