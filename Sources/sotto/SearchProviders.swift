import SottoFetching
import SottoSearch
import SottoSearching
import SottoSecrets

/// The search providers that the settings name.
enum SearchProviders {
    /// All there are, the user's own server first, then what has a contract, then what is open to everybody; archives are asked beside them.
    static let all: [ProviderID] = ["searxng", "brave", "duckduckgo", "duckduckgo-lite", "duckduckgo-instant", "kiwix"]

    /// - Throws: ``CommandError`` that names the nearest known provider.
    static func order(_ text: String) throws -> [ProviderID] {
        let known = all.map(\.rawValue)
        return try text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { word in
            guard known.contains(word.lowercased()) else {
                let near =
                    Spelling.nearest(to: word.lowercased(), among: known).map { "did you mean \"\($0)\"?" } ?? "known: "
                    + known.joined(separator: ", ")
                throw CommandError("there is no search provider \"\(word)\"; \(near)")
            }
            return ProviderID(word.lowercased())
        }
    }

    /// In the order of the settings; without one, those that are configured.
    ///
    /// - Parameter wanted: Providers that are asked for by name: they are made even when nothing configures them, so that they can say what is missing.
    static func make(_ settings: Settings, wanted: [ProviderID] = [], fetcher: any Fetching, secrets: any Secrets) -> [any SearchProvider] {
        let set = (try? order(settings.searchProviders)) ?? []
        let configured = all.filter { id in
            switch id {
            case "searxng": settings.searxngAddress.isEmpty == false
            case "kiwix": settings.kiwixAddress.isEmpty == false
            // What is wrong with the place of the key is told by the provider.
            case "brave": (try? secrets.secret(Brave.secret)) != .some(nil)
            default: true
            }
        }
        let ids = set.isEmpty ? configured : set
        return (ids + wanted.filter { ids.contains($0) == false }).compactMap { make($0, settings, fetcher: fetcher, secrets: secrets) }
    }

    private static func make(_ id: ProviderID, _ settings: Settings, fetcher: any Fetching, secrets: any Secrets) -> (any SearchProvider)? {
        switch id {
        case "searxng": SearXNG(address: settings.searxngAddress, fetcher: fetcher)
        case "brave": Brave(fetcher: fetcher, secrets: secrets)
        case "duckduckgo": DuckDuckGo(.html, fetcher: fetcher)
        case "duckduckgo-lite": DuckDuckGo(.lite, fetcher: fetcher)
        case "duckduckgo-instant": DuckDuckGoInstantAnswer(fetcher: fetcher)
        case "kiwix": KiwixArchives(address: settings.kiwixAddress, fetcher: fetcher)
        default: nil
        }
    }
}
