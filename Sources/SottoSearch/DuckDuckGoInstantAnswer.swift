public import SottoFetching
public import SottoSearching

/// DuckDuckGo's documented interface for ready facts: an encyclopedia's abstract, a definition, an official site. It does not search the web.
public struct DuckDuckGoInstantAnswer: SearchProvider {
    private let request: ProviderRequest

    public init(fetcher: any Fetching) { request = ProviderRequest(fetcher: fetcher) }

    public var id: ProviderID { "duckduckgo-instant" }
    public var scope: SearchScope { .facts }
    public var pace: SearchPace { SearchPace(group: "duckduckgo.com", interval: .seconds(3)) }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        var fetch = ProviderRequest.fetch(
            "https://api.duckduckgo.com/",
            ["q": query.text, "format": "json", "no_html": "1", "no_redirect": "1", "skip_disambig": "1", "t": "sotto"], origin: origin)
        fetch.languages = ProviderRequest.languages(of: query)
        switch try await request.send(fetch) {
        case .failure(let outcome): return outcome
        case .response(let response): return Self.read(response, query: query, provider: id)
        }
    }

    static func read(_ response: FetchResponse, query: SearchQuery, provider: ProviderID) -> SearchOutcome {
        guard let reply = JSONReply(response.body) else {
            switch response.status {
            case 202: return .rateLimited("DuckDuckGo put the search off (HTTP 202)", retryAfter: ProviderRequest.wait(of: response))
            case 401, 403, 418, 451: return .blocked("DuckDuckGo refuses the search (HTTP \(response.status))")
            default: return ProviderRequest.outcome(of: response, at: "DuckDuckGo") ?? .notJSON((response.status, response.body))
            }
        }
        var hits: [SearchHit] = []
        func add(_ title: String, _ address: String?, _ snippet: String) {
            guard title.isEmpty == false, let address = address.flatMap({ PageAddress.absolute($0) }) else { return }
            // Topics lead to DuckDuckGo's own pages about them: more searches, no sources.
            let site = PageAddress.site(of: address)
            guard site != "duckduckgo.com", site.hasSuffix(".duckduckgo.com") == false, hits.contains(where: { $0.address == address }) == false
            else { return }
            hits.append(SearchHit(title: title, address: address, snippet: snippet, provider: provider, rank: hits.count + 1))
        }
        let heading = reply.line("Heading")
        add(heading, reply.text("AbstractURL"), reply.line("AbstractText"))
        let definition = reply.line("Definition")
        if definition.isEmpty == false { add(heading.isEmpty ? reply.line("DefinitionSource") : heading, reply.text("DefinitionURL"), definition) }
        for result in (reply.objects("Results") ?? []) + (reply.objects("RelatedTopics") ?? []).flatMap({ [$0] + ($0.objects("Topics") ?? []) }) {
            let text = result.line("Text")
            add(Self.title(of: text), result.text("FirstURL"), text)
        }
        if hits.isEmpty == false { return .results(Array(hits.prefix(query.limit))) }
        if let outcome = ProviderRequest.outcome(of: response, at: "DuckDuckGo") { return outcome }
        // The form of the answer with nothing in it.
        guard reply.has("Heading"), reply.has("AbstractText"), reply.objects("RelatedTopics") != nil else {
            return .unrecognized(UnrecognizedPage(reason: "it lacks the members of an answer", status: response.status, body: response.body))
        }
        return .empty
    }

    /// "Name - what it is": the name.
    private static func title(of text: String) -> String {
        guard let dash = text.firstRange(of: " - ") else { return String(text.prefix(100)) }
        return String(text[..<dash.lowerBound])
    }
}
