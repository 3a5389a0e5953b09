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
        return cascade.withLock { cascade in
            if let cascade, wanted.allSatisfy({ cascade.order.contains($0) }) { return cascade }
            let made = SearchCascade(
                SearchProviders.make(settings, wanted: wanted, fetcher: fetcher, secrets: secrets),
                health: SearchHealthFile(path: places.searchHealth).read(),
                now: { Date() }, keepHealth: { [file = SearchHealthFile(path: places.searchHealth)] in file.write($0) })
            // One that was made for a single provider by name is not everybody's.
            if wanted.isEmpty { cascade = made }
            return made
        }
    }
}
