import Foundation
public import SottoDocument
public import SottoDocumentReading
public import SottoFetching
import SottoObservability
import SottoPassageIndex
public import SottoSearching

/// The web: searches, chooses pages among all hits, reads several at once, and tells of each what became of it.
///
/// It sends the queries that it is given and opens the addresses that the providers gave; nothing that stands on a page leads to a request.
public struct WebEvidence: Sendable {
    /// How a research reads the web.
    public struct Configuration: Sendable, Equatable {
        /// Two letters of the region whose results are wanted; `nil` for any.
        public var region: String?
        /// The job in whose name requests are entered into the ledger.
        public var job: Int64?
        /// Hits asked for with each query.
        public var hits = 10
        /// Pages that are read at once. The fetcher paces each host by itself.
        public var parallel = 4
        /// Passages that are kept of a page, the best ones: a book has thousands.
        public var passagesOfPage = 12
        /// Shorter snippets, in characters, say too little to be read.
        public var shortestSnippet = 60

        public init(region: String? = nil, job: Int64? = nil) {
            self.region = region
            self.job = job
        }
    }

    private let search: any Searching
    private let fetcher: any Fetching
    private let reader: any PageReading
    private let cutter: PassageCutter
    private let allowance: @Sendable (String) -> WebOrigin?
    private let configuration: Configuration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - allowance: The configured server that an address belongs to when it may stand on a private network, as an archive of the user's own may.
    ///   - clock: Ends reading at its time.
    public init(
        search: any Searching, fetcher: any Fetching, reader: any PageReading, cutter: PassageCutter = PassageCutter(),
        configuration: Configuration = Configuration(), allowance: @escaping @Sendable (String) -> WebOrigin? = { _ in nil },
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.search = search
        self.fetcher = fetcher
        self.reader = reader
        self.cutter = cutter
        self.configuration = configuration
        self.allowance = allowance
        self.clock = clock
    }

    /// What one round may do.
    struct Round: Sendable {
        /// From 1.
        var number: Int
        var queries: [String]
        /// Pages that may be tried.
        var pages: Int
        /// Pages that are enough.
        var wanted: Int
        /// How long it may take; what is under way then is given up and told.
        var time: Duration
    }

    /// Searches and reads once.
    ///
    /// - Parameter known: The pages of earlier rounds; none of them is read or listed again.
    /// - Throws: `CancellationError`, and nothing else: what fails is told of each page and each search.
    func gather(
        _ round: Round, task: ResearchTask, known: [WebPage], progress: @escaping ProgressHandler
    ) async throws -> (searched: [WebSearched], pages: [WebPage], tried: Int) {
        var searched: [WebSearched] = []
        var lists: [[SearchHit]] = []
        for query in round.queries {
            progress(Progress(phase: "Searching the web", item: query))
            let origin = SearchOrigin(job: configuration.job, round.number == 1 ? "the task" : "the task, round \(round.number)")
            let report = try await search.search(
                SearchQuery(query, language: task.language, region: configuration.region, limit: configuration.hits), origin: origin)
            let told = Self.told(report)
            for problem in told.problems { progress(Progress(phase: "Not searched", item: problem)) }
            searched.append(told)
            lists.append(report.hits)
            // While nobody can answer, another query asks nobody and finds nothing.
            if report.verdict == .failed { break }
        }
        var seen = SeenPages()
        for (number, page) in known.enumerated() { _ = seen.add(number, addresses: [page.foundAt, page.address], canonical: page.canonical, text: page.text) }
        let hits = HitMerging.merge(lists, limit: configuration.hits * max(1, lists.count)).filter { seen.page(at: $0.address) == nil }
        let tried = try await read(hits, round: round, task: task, progress: progress)
        return (searched, Self.withoutCopies(tried, seen: &seen, from: known.count), tried.count)
    }

    // MARK: Reading

    private enum Event: Sendable {
        case page(WebPage)
        case timeIsOver
    }

    /// Reads hits until enough pages are read, none is left, or the time is over; in the order of the hits.
    private func read(_ hits: [SearchHit], round: Round, task: ResearchTask, progress: @escaping ProgressHandler) async throws -> [WebPage] {
        guard hits.isEmpty == false, round.pages > 0 else { return [] }
        let ranks = Dictionary(hits.enumerated().map { ($1.address, $0) }, uniquingKeysWith: { first, _ in first })
        var queue = ReadingQueue(hits, attempts: round.pages, wanted: round.wanted)
        var pages: [WebPage] = []
        var open: [String: SearchHit] = [:]
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask {
                try await clock.sleep(for: round.time)
                return .timeIsOver
            }
            func start() {
                while open.count < configuration.parallel, let hit = queue.next() {
                    open[hit.address] = hit
                    let rank = ranks[hit.address] ?? 0
                    progress(Progress(phase: "Reading", item: PageAddress.site(of: hit.address)))
                    group.addTask { .page(try await page(hit, rank: rank, round: round, task: task)) }
                }
            }
            start()
            while open.isEmpty == false, let event = try await group.next() {
                switch event {
                case .page(let page):
                    guard let hit = hits.indices.contains(page.rank) ? hits[page.rank] : nil else { continue }
                    open[hit.address] = nil
                    queue.ended(wasRead: page.isRead)
                    pages.append(page)
                    start()
                case .timeIsOver:
                    for hit in open.values {
                        pages.append(unread(hit, rank: ranks[hit.address] ?? 0, because: "the time for reading was over before it came", task: task))
                    }
                    open = [:]
                }
            }
            group.cancelAll()
        }
        return pages.sorted { $0.rank < $1.rank }
    }

    private func page(_ hit: SearchHit, rank: Int, round: Round, task: ResearchTask) async throws -> WebPage {
        var request = FetchRequest(hit.address, purpose: .page)
        request.languages = [task.language]
        request.job = configuration.job
        request.origin = "a result of \(hit.provider), round \(round.number)"
        request.allowance = allowance(hit.address)
        do {
            let response = try await fetcher.fetch(request)
            try response.requireSuccess()
            let document = try await reader.readPage(response.body, address: response.finalURL, charset: response.charset)
            return read(document, response, hit: hit, rank: rank, round: round, task: task)
        } catch let error as FetchError {
            return unread(hit, rank: rank, because: error.message, task: task)
        } catch let error as DocumentReadingError {
            return unread(hit, rank: rank, because: error.message, task: task)
        }
    }

    private func read(_ document: Document, _ response: FetchResponse, hit: SearchHit, rank: Int, round: Round, task: ResearchTask) -> WebPage {
        let language = document.language ?? task.language
        let title = document.title.isEmpty ? hit.title : document.title
        let passages = cutter.passages(of: document).map {
            PassageHit(location: response.finalURL, title: title, language: language, passage: $0, score: 0)
        }
        let best = PassageRanking().rank(passages, question: task.searchText, queries: round.queries).prefix(configuration.passagesOfPage)
        var reasons: [String] = []
        if response.isTruncated { reasons.append("the page is longer than what is read of one") }
        if document.isPartial == true { reasons.append("the page shows its beginning only") }
        reasons += document.notes
        let isPartial = response.isTruncated || document.isPartial == true
        return WebPage(
            address: response.finalURL, foundAt: hit.address, title: title, site: PageAddress.site(of: response.finalURL), language: language,
            published: document.published ?? hit.date.map { $0.ISO8601Format(.iso8601.year().month().day()) },
            level: isPartial ? .partial : .full, reason: reasons.joined(separator: "; "), canonical: document.address, rank: rank,
            passages: best.sorted { $0.passage.ordinal < $1.passage.ordinal }, passageCount: passages.count)
    }

    /// A page that could not be read: its snippet is used and marked as such, when it says enough.
    private func unread(_ hit: SearchHit, rank: Int, because reason: String, task: ResearchTask) -> WebPage {
        let address = PageAddress.withoutTracking(hit.address)
        var page = WebPage(
            address: address, foundAt: hit.address, title: hit.title, site: PageAddress.site(of: address), language: task.language,
            published: hit.date.map { $0.ISO8601Format(.iso8601.year().month().day()) }, level: .failed, reason: reason, rank: rank)
        if hit.snippet.count >= configuration.shortestSnippet {
            page.level = .snippet
            page.reason = "only what the search says of it, because " + reason
            page.passages = [PassageHit(location: address, title: hit.title, language: task.language, passage: Passage(text: hit.snippet), score: 0)]
            page.passageCount = 1
        }
        return page
    }

    // MARK: Telling

    /// Pages that are one under two names are kept once, the better-read one.
    private static func withoutCopies(_ pages: [WebPage], seen: inout SeenPages, from first: Int) -> [WebPage] {
        var kept: [WebPage] = []
        // Read pages first, so that a snippet never hides the page itself.
        for page in pages.filter(\.isRead) + pages.filter({ $0.isRead == false }) {
            let copy = seen.add(first + kept.count, addresses: [page.foundAt, page.address], canonical: page.canonical, text: page.text)
            if copy == nil { kept.append(page) }
        }
        return kept.sorted { $0.rank < $1.rank }
    }

    private static func told(_ report: SearchReport) -> WebSearched {
        let problems = report.attempts.filter { $0.outcome != .results && $0.outcome != .empty }.map { attempt in
            // Why a provider could not be reached says what to do about it already.
            "\(attempt.provider): \(attempt.cause)" + (attempt.advice.isEmpty || attempt.outcome == .unreachable ? "" : " (\(attempt.advice))")
        }
        return WebSearched(
            query: report.query.text, verdict: report.verdict.rawValue, hits: report.hits.count, problems: problems, isFromCache: report.isFromCache)
    }
}

extension WebPage {
    /// All that is kept of its text.
    var text: String { passages.map(\.passage.text).joined(separator: "\n") }
}
