import Foundation
import SottoSearchCascade
import SottoSearching
import SottoSecretStore
import SottoSecrets
import Synchronization

extension Engines {
    var secrets: any Secrets { LayeredSecrets([EnvironmentSecrets(environment), SecretFile(path: places.secrets)]) }

    /// Search over the providers of the settings; one for all, so that nobody is asked too often whoever searches.
    ///
    /// - Parameter wanted: Providers that are asked for by name, configured or not.
    func search(wanted: [ProviderID] = []) throws -> SearchCascade {
        let fetcher = try fetcher()
        let settings = settings
        let asked = SearchSetting(settings, secrets: places.secrets)
        return cascade.withLock { kept in
            if let kept, kept.made == asked, wanted.allSatisfy({ kept.cascade.order.contains($0) }) { return kept.cascade }
            let made = SearchCascade(
                SearchProviders.make(settings, wanted: wanted, fetcher: fetcher, secrets: secrets),
                health: SearchHealthFile(path: places.searchHealth).read(),
                now: { Date() }, keepHealth: { [file = SearchHealthFile(path: places.searchHealth)] in file.write($0) })
            // One that was made for a single provider by name is not everybody's.
            if wanted.isEmpty { kept = (asked, made) }
            return made
        }
    }
}

/// What a search is made of: when it changes, another one is made.
struct SearchSetting: Equatable {
    private let texts: [String]
    private let secrets: Date?

    init(_ settings: Settings, secrets path: String) {
        texts = [settings.searchProviders, settings.searxngAddress, settings.kiwixAddress, settings.proxy, "\(settings.pageCacheDays)"]
        secrets = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
