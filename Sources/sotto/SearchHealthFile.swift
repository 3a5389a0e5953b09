import Foundation
import SottoSearchCascade

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
