public import SottoFetching
public import SottoSearching
internal import SottoPages

/// DuckDuckGo's result pages for browsers without scripts; no account, no key.
public struct DuckDuckGo: SearchProvider {
    public enum Endpoint: String, Sendable, CaseIterable {
        /// html.duckduckgo.com
        case html
        /// lite.duckduckgo.com: a smaller page, often still open when the other is not.
        case lite
    }

    public let endpoint: Endpoint
    private let request: ProviderRequest

    public init(_ endpoint: Endpoint, fetcher: any Fetching) {
        self.endpoint = endpoint
        request = ProviderRequest(fetcher: fetcher)
    }

    public var id: ProviderID { endpoint == .html ? "duckduckgo" : "duckduckgo-lite" }
    public var scope: SearchScope { .web }
    /// Second and third quick searches are answered with a challenge, so there is room between them.
    public var pace: SearchPace { SearchPace(group: "duckduckgo.com", interval: .seconds(3)) }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        let base = endpoint == .html ? "https://html.duckduckgo.com/html/" : "https://lite.duckduckgo.com/lite/"
        var fetch = ProviderRequest.fetch(
            base,
            [
                "q": query.text, "kl": DuckDuckGoRegion.code(language: query.primaryLanguage, region: query.region),
                "df": query.freshness.map { String($0.rawValue.prefix(1)) },
            ], origin: origin)
        fetch.languages = ProviderRequest.languages(of: query)
        switch try await request.send(fetch) {
        case .failure(let outcome): return outcome
        case .response(let response): return try Self.read(response, endpoint: endpoint, query: query, provider: id)
        }
    }

    static func read(_ response: FetchResponse, endpoint: Endpoint, query: SearchQuery, provider: ProviderID) throws(CancellationError)
        -> SearchOutcome
    {
        let root: MarkupElement
        switch try ProviderRequest.markup(of: response) {
        case .failure(let outcome): return outcome
        case .root(let found): root = found
        }
        var page = endpoint == .html ? DuckDuckGoPage.html(root, provider: provider) : DuckDuckGoPage.lite(root, provider: provider)
        page.hits = Array(page.hits.prefix(query.limit))
        return page.outcome(of: root, response: response, query: query, at: "DuckDuckGo")
    }
}
