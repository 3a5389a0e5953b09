public import SottoFetching
public import SottoSearching
internal import Foundation
internal import SottoPages

/// ZIM archives (Wikipedia and others, offline) behind a `kiwix-serve` of the user's.
///
/// The pages for people are read: the XML of `kiwix-serve` up to 3.3, which Debian 12 has, leaves out the links. An empty list is told by the markup, for
/// later versions translate their words.
public struct KiwixArchives: SearchProvider {
    /// The setting that holds the address.
    public static let setting = "kiwixAddress"

    private let request: ProviderRequest
    private let address: String
    private let server: ConfiguredAddress?

    /// - Parameter address: Where the server's front page is, for example `http://127.0.0.1:8080`.
    public init(address: String, fetcher: any Fetching) {
        request = ProviderRequest(fetcher: fetcher, isConfigured: true)
        self.address = address
        server = ConfiguredAddress(address)
    }

    public var id: ProviderID { "kiwix" }
    public var scope: SearchScope { .local }
    public var pace: SearchPace { SearchPace(group: server?.origin.description ?? "kiwix", interval: .zero, concurrent: 2) }

    /// Whoever reads a hit may reach this origin although it is private; `nil` for addresses that are not the server's own.
    public func readingAllowance(for address: String) -> WebOrigin? {
        guard let server, let parts = ConfiguredAddress(address), parts.origin == server.origin, address.hasPrefix(server.base + "/") else {
            return nil
        }
        return server.origin
    }

    public func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome {
        guard let server else {
            return .misconfigured(
                "the setting \(Self.setting) is “\(address)”, which is no http or https address; write it like http://127.0.0.1:8080")
        }
        let outcome = try await ask(server, query, origin, language: nil)
        // Servers since 3.4 refuse to search archives in several languages at once.
        guard case .misconfigured = outcome.1, outcome.status == 400, let language = query.primaryLanguage.flatMap({ Self.threeLetters[$0] }) else {
            return outcome.1
        }
        return try await ask(server, query, origin, language: language).1
    }

    private func ask(
        _ server: ConfiguredAddress, _ query: SearchQuery, _ origin: SearchOrigin, language: String?
    ) async throws(CancellationError) -> (status: Int, SearchOutcome) {
        var fetch = ProviderRequest.fetch(
            server.base + "/search", ["pattern": query.text, "pageLength": String(query.limit), "books.filter.lang": language], origin: origin)
        fetch.allowance = server.origin
        switch try await request.send(fetch) {
        case .failure(let outcome): return (0, outcome)
        case .response(let response): return (response.status, try Self.read(response, query: query, provider: id, base: server.base))
        }
    }

    static func read(_ response: FetchResponse, query: SearchQuery, provider: ProviderID, base: String) throws(CancellationError) -> SearchOutcome {
        let root: MarkupElement
        switch try ProviderRequest.markup(of: response) {
        case .failure(let outcome): return outcome
        case .root(let found): root = found
        }
        let list = root.first { $0.tag == "div" && $0.has("results") }?.first { $0.tag == "ul" }
        var hits: [SearchHit] = []
        for item in list?.children ?? [] where item.tag == "li" {
            guard let link = item.first(where: { $0.tag == "a" }), let target = link.attributes["href"],
                let address = PageAddress.absolute(target, base: base + "/"),
                link.line.isEmpty == false
            else { continue }
            hits.append(
                SearchHit(
                    title: link.line, address: address, snippet: item.first { $0.tag == "cite" }?.line ?? "", provider: provider, rank: hits.count + 1
                ))
        }
        if hits.isEmpty == false { return .results(Array(hits.prefix(query.limit))) }
        if let outcome = ProviderRequest.outcome(of: response, at: "kiwix-serve") { return outcome }
        let isItself = root.first { $0.attributes["id"] == "kiwixtoolbar" || $0.has("kiwix") || $0.has("kiwixsearch") } != nil
        switch response.status {
        case 400 where isItself:
            return .misconfigured("kiwix-serve refuses the search: \(Self.reason(in: root))")
        case 401, 403, 404, 407:
            return .misconfigured("there is no kiwix-serve at \(base) (HTTP \(response.status)); correct the setting \(setting)")
        default: break
        }
        let isEmptyList = list?.children.contains { $0.tag == "li" } == false && root.first { $0.has("header") } != nil
        if response.status == 200, isEmptyList { return .empty }
        return .unrecognized(UnrecognizedPage(reason: "it has no list of results", status: response.status, body: response.body))
    }

    private static func reason(in root: MarkupElement) -> String {
        let lines = root.all { $0.tag == "p" }.map(\.line).filter { $0.isEmpty == false && $0.contains("/search?") == false }
        return lines.isEmpty ? "HTTP 400" : String(lines.joined(separator: " ").prefix(200))
    }

    /// ISO 639-3, by which archives are filed.
    private static let threeLetters = [
        "ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fa": "fas", "fi": "fin",
        "fr": "fra",
        "he": "heb", "hi": "hin", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron",
        "ru": "rus",
        "sv": "swe", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "zho",
    ]
}
