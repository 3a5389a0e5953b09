import Foundation
import SottoDocument
import SottoDocumentReading
import SottoFetching
import SottoSearching
import Synchronization

/// A web as written in the test: what the searches find, what stands at the addresses, and a record of all that was asked.
final class ScriptedWeb: Searching, Fetching, PageReading {
    struct Page: Sendable {
        var title = ""
        var paragraphs: [String]
        var published: String?
        var canonical: String?
        var isPartial = false
        /// Instead of the page.
        var failure: FetchError.Code?
        var refusal: DocumentReadingError.Code?
        /// Never answers until it is cancelled.
        var hangs = false
        var movedTo: String?
    }

    private let pages: [String: Page]
    private let find: @Sendable (SearchQuery) -> SearchReport
    private let asked = Mutex<(queries: [String], fetched: [FetchRequest])>(([], []))
    private let hanging: AsyncStream<Void>.Continuation
    /// Yields when a request hangs.
    let hung: AsyncStream<Void>

    init(pages: [String: Page], find: @escaping @Sendable (SearchQuery) -> SearchReport) {
        self.pages = pages
        self.find = find
        (hung, hanging) = AsyncStream.makeStream()
    }

    /// Finds every page for every query, in the order of the addresses.
    convenience init(_ pages: [String: Page]) {
        let hits = pages.keys.sorted().enumerated().map { place, address in
            SearchHit(title: pages[address]?.title ?? "", address: address, snippet: "", provider: "scripted", rank: place + 1)
        }
        self.init(pages: pages) { SearchReport(query: $0, verdict: hits.isEmpty ? .nothingFound : .found, hits: hits, attempts: []) }
    }

    var queries: [String] { asked.withLock { $0.queries } }
    var fetched: [FetchRequest] { asked.withLock { $0.fetched } }

    func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchReport {
        asked.withLock { $0.queries.append(query.text) }
        return find(query)
    }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        asked.withLock { $0.fetched.append(request) }
        guard let page = pages[request.url] else { throw FetchError(.notFound, "the page is not there") }
        if page.hangs {
            hanging.yield()
            let forever = AsyncStream<Void> { _ in }
            for await _ in forever {}
            throw CancellationError()
        }
        if let failure = page.failure { throw FetchError(failure, "the server said no (\(failure.rawValue))") }
        return FetchResponse(
            status: 200, finalURL: page.movedTo ?? request.url, hops: [request.url], headers: [:], body: Array(request.url.utf8), kind: .html, charset: nil,
            isTruncated: false, isFromCache: false, date: Date(timeIntervalSince1970: 0))
    }

    func readPage(_ bytes: [UInt8], address: String, charset: String?) async throws -> Document {
        let page = pages[String(decoding: bytes, as: UTF8.self)] ?? Page(paragraphs: [])
        if let refusal = page.refusal { throw DocumentReadingError(refusal, "the page is no use (\(refusal.rawValue))") }
        var document = Document(title: page.title, language: "en", blocks: page.paragraphs.map { .paragraph($0) })
        document.published = page.published
        document.address = page.canonical
        document.isPartial = page.isPartial ? true : nil
        return document
    }
}
