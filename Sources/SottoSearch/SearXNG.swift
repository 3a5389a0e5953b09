public import SottoFetching
public import SottoSearching

/// A SearXNG server of the user's choice, asked for JSON.
public struct SearXNG: SearchProvider {
    /// The setting that holds the address.
    public static let setting = "searxngAddress"

    private let request: ProviderRequest
    private let address: String
    private let server: ConfiguredAddress?

    /// - Parameter address: Where the server's front page is, for example `http://127.0.0.1:8888`.
    public init(address: String, fetcher: any Fetching) {
        request = ProviderRequest(fetcher: fetcher, isConfigured: true)
        self.address = address
        server = ConfiguredAddress(address)
    }

    public var id: ProviderID { "searxng" }
    public var scope: SearchScope { .web }
    public var pace: SearchPace { SearchPace(group: server?.origin.host ?? "searxng", interval: .milliseconds(500), concurrent: 2) }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        guard let server else {
            return .misconfigured(
                "the setting \(Self.setting) is “\(address)”, which is no http or https address; write it like http://127.0.0.1:8888")
        }
        var fetch = ProviderRequest.fetch(
            server.base + "/search",
            ["q": query.text, "format": "json", "language": Self.language(of: query), "time_range": query.freshness?.rawValue], origin: origin)
        fetch.headers = [.init("Accept", "application/json")]
        fetch.languages = ProviderRequest.languages(of: query)
        fetch.allowance = server.origin
        switch try await request.send(fetch) {
        case .failure(let outcome): return outcome
        case .response(let response): return Self.read(response, query: query, provider: id, base: server.base)
        }
    }

    private static func language(of query: SearchQuery) -> String {
        guard let primary = query.primaryLanguage else { return "all" }
        return query.region.map { "\(primary)-\($0)" } ?? primary
    }

    static func read(_ response: FetchResponse, query: SearchQuery, provider: ProviderID, base: String) -> SearchOutcome {
        guard let reply = JSONReply(response.body) else {
            switch response.status {
            case 403:
                return .misconfigured(
                    "the SearXNG server at \(base) gives no JSON; add \"json\" to search.formats in its settings.yml, and restart it")
            case 404: return .misconfigured("there is no SearXNG at \(base) (HTTP 404); correct the setting \(setting)")
            case 401, 407: return .misconfigured("the server at \(base) wants a password, which Sotto does not have (HTTP \(response.status))")
            default: break
            }
            if let outcome = ProviderRequest.outcome(of: response, at: "SearXNG") { return outcome }
            if response.kind == .html {
                return .misconfigured("\(base) answers with a page instead of JSON; is it SearXNG? Correct the setting \(setting)")
            }
            return .notJSON((response.status, response.body))
        }
        var hits: [SearchHit] = []
        for result in reply.objects("results") ?? [] {
            let title = result.line("title")
            guard title.isEmpty == false, let address = result.text("url").flatMap({ PageAddress.absolute($0) }) else { continue }
            let date = result.text("publishedDate").flatMap { SearchDate.iso($0) ?? SearchDate.mail($0) }
            hits.append(
                SearchHit(title: title, address: address, snippet: result.line("content"), provider: provider, rank: hits.count + 1, date: date))
        }
        if hits.isEmpty == false { return .results(Array(hits.prefix(query.limit))) }
        if let outcome = ProviderRequest.outcome(of: response, at: "SearXNG") { return outcome }
        guard response.status == 200, let results = reply.objects("results") else {
            return .unrecognized(UnrecognizedPage(reason: "it has no list of results", status: response.status, body: response.body))
        }
        guard results.isEmpty else {
            return .unrecognized(
                UnrecognizedPage(
                    reason: "none of its \(results.count) results has a title and a web address", status: response.status, body: response.body))
        }
        // An empty list means nothing while engines behind it were not heard.
        let failed = reply.pairs("unresponsive_engines")
        guard failed.isEmpty == false else { return .empty }
        let causes = failed.map { $0.count > 1 ? "\($0[0]) (\($0[1]))" : $0.first ?? "one" }.joined(separator: ", ")
        let reasons = failed.map { ($0.count > 1 ? $0[1] : "").lowercased() }
        let message = "SearXNG found nothing, and engines behind it did not answer: \(causes)"
        if reasons.allSatisfy({ $0.contains("captcha") || $0.contains("denied") || $0.contains("blocked") }) { return .blocked(message) }
        if reasons.allSatisfy({ $0.contains("too many") || $0.contains("captcha") || $0.contains("denied") }) {
            return .rateLimited(message, retryAfter: nil)
        }
        return .unreachable(message)
    }
}
