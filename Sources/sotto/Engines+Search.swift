import Foundation
import Glibc
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
                SearchProviders.make(settings, wanted: wanted, fetcher: fetcher, secrets: secrets), health: SearchHealthFile(path: places.searchHealth).read(),
                now: { Date() }, keepHealth: { [file = SearchHealthFile(path: places.searchHealth)] in file.write($0) })
            // One that was made for a single provider by name is not everybody's.
            if wanted.isEmpty { cascade = made }
            return made
        }
    }
}

/// Which providers rest, from one run of the program to the next. Losing it costs one request, so nothing fails on its account.
struct SearchHealthFile: Sendable {
    let path: String

    func read() -> ProviderHealth {
        FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(ProviderHealth.self, from: $0) } ?? ProviderHealth()
    }

    func write(_ health: ProviderHealth) {
        guard let data = try? JSONEncoder().encode(health) else { return }
        PrivateFile.write(data, to: path)
    }
}

/// Files of the cache that only their owner may read.
enum PrivateFile {
    @discardableResult static func write(_ data: Data, to path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let temporary = path + ".new"
            try? FileManager.default.removeItem(atPath: temporary)
            guard FileManager.default.createFile(atPath: temporary, contents: data, attributes: [.posixPermissions: 0o600]) else { return false }
            // Unlike Foundation's, this replaces what is there and needs nothing to be there.
            return unsafe rename(temporary, path) == 0
        } catch {
            return false
        }
    }
}
