public import SottoFetching
public import SottoSearching
public import SottoSecrets

/// The Brave Search API; needs a key of the user's own.
public struct Brave: SearchProvider {
    /// Under which name the key is kept.
    public static let secret = "brave-api-key"

    private let request: ProviderRequest
    private let secrets: any Secrets

    public init(fetcher: any Fetching, secrets: any Secrets) {
        request = ProviderRequest(fetcher: fetcher)
        self.secrets = secrets
    }

    public var id: ProviderID { "brave" }
    public var scope: SearchScope { .web }
    /// The free plan allows one request a second.
    public var pace: SearchPace { SearchPace(group: "search.brave.com", interval: .milliseconds(1_100)) }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        let key: String
        do {
            guard let found = try secrets.secret(Self.secret) else {
                return .misconfigured(
                    "there is no Brave key; get one from api-dashboard.search.brave.com, then: sotto settings secret \(Self.secret)")
            }
            key = found
        } catch {
            return .misconfigured(error.message)
        }
        var fetch = ProviderRequest.fetch(
            "https://api.search.brave.com/res/v1/web/search",
            [
                "q": query.text, "count": String(min(query.limit, 20)), "result_filter": "web", "text_decorations": "false",
                "spellcheck": "false",
                "country": Self.country(query.region), "search_lang": Self.language(query.language),
                "freshness": query.freshness.map { "p" + $0.rawValue.prefix(1) },
            ], origin: origin)
        fetch.headers = [.init("X-Subscription-Token", key), .init("Accept", "application/json")]
        switch try await request.send(fetch) {
        case .failure(let outcome): return outcome
        case .response(let response): return Self.read(response, query: query, provider: id)
        }
    }

    static func read(_ response: FetchResponse, query: SearchQuery, provider: ProviderID) -> SearchOutcome {
        let reply = JSONReply(response.body)
        var hits: [SearchHit] = []
        for result in reply?.object("web")?.objects("results") ?? [] {
            let title = result.markedLine("title")
            guard title.isEmpty == false, let address = result.text("url").flatMap({ PageAddress.absolute($0) }) else { continue }
            hits.append(
                SearchHit(
                    title: title, address: address, snippet: result.markedLine("description"), provider: provider, rank: hits.count + 1,
                    date: result.text("page_age").flatMap { SearchDate.iso($0) }))
        }
        if hits.isEmpty == false { return .results(Array(hits.prefix(query.limit))) }
        let code = reply?.object("error")?.text("code") ?? ""
        switch response.status {
        case 401, 403:
            return .misconfigured("Brave does not accept the key (HTTP \(response.status)); set it anew: sotto settings secret \(Self.secret)")
        case 400, 422:
            guard code.contains("TOKEN") else { break }
            return .misconfigured("Brave does not accept the key (\(code)); set it anew: sotto settings secret \(Self.secret)")
        case 402: return .rateLimited("the Brave plan is used up (HTTP 402)", retryAfter: .seconds(86_400))
        case 429:
            return .rateLimited("Brave says that there were too many searches (\(code.isEmpty ? "HTTP 429" : code))", retryAfter: wait(of: response))
        default: break
        }
        if let outcome = ProviderRequest.outcome(of: response, at: "Brave") { return outcome }
        guard let reply else { return .notJSON((response.status, response.body)) }
        // The mark of an answered search: its own query is repeated, and there are no results.
        if response.status == 200, reply.text("type") == "search", reply.object("query") != nil,
            (reply.object("web")?.objects("results") ?? []).isEmpty
        {
            return .empty
        }
        return .unrecognized(UnrecognizedPage(reason: "it lacks results and the mark for none", status: response.status, body: response.body))
    }

    /// `Retry-After`, else the shortest window of `X-RateLimit-Reset` that is used up: "1, 1419704" are the second's and the month's.
    private static func wait(of response: FetchResponse) -> Duration? {
        if let wait = ProviderRequest.wait(of: response) { return wait }
        let resets = numbers(response.headers["x-ratelimit-reset"])
        let remaining = numbers(response.headers["x-ratelimit-remaining"])
        let spent = zip(resets, remaining).filter { $0.1 == 0 }.map(\.0).max() ?? resets.min()
        return spent.map { .seconds(min(max($0, 1), 86_400)) }
    }

    private static func numbers(_ list: String?) -> [Int] {
        (list ?? "").split(separator: ",").compactMap { Int($0.filter(\.isNumber)) }
    }

    // Lists of the API's reference; other values are refused with HTTP 422.
    private static let countries: Set<String> = [
        "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID", "IT", "JP", "KR", "MY", "MX", "NL", "NZ", "NO", "CN",
        "PL", "PT", "PH",
        "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB", "US",
    ]
    private static let languages: Set<String> = [
        "ar", "eu", "bn", "bg", "ca", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "gl", "de", "gu", "he", "hi", "hu", "is", "it", "kn", "ko",
        "lv", "lt", "ms", "ml",
        "mr", "nb", "pl", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi",
    ]

    static func country(_ region: String?) -> String? { region.flatMap { countries.contains($0) ? $0 : nil } }

    static func language(_ tag: String?) -> String? {
        guard let tag = tag?.lowercased(), let primary = tag.split(separator: "-").first.map(String.init) else { return nil }
        switch primary {
        case "zh": return tag.contains("hant") || tag.hasSuffix("-tw") || tag.hasSuffix("-hk") ? "zh-hant" : "zh-hans"
        case "pt": return tag.hasSuffix("-br") ? "pt-br" : "pt-pt"
        case "ja": return "jp"
        case "no", "nn": return "nb"
        case "en": return tag.hasSuffix("-gb") ? "en-gb" : "en"
        default: return languages.contains(primary) ? primary : nil
        }
    }
}
