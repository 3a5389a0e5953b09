import Foundation
import SottoFetching
import SottoWebFetch

/// Fetches addresses of the test web in a process of its own and says what it cost: for each one line `code bytes`, then `idle KB peak KB`.
///
/// usage: web-fetch-probe PORT URL…
@main
struct Probe {
    struct Names: Resolving {
        func addresses(of host: String, within limit: Duration) async throws -> [IPAddress] { ["127.0.0.1"].compactMap { IPAddress($0) } }
    }

    struct NoLedger: NetworkLedger {
        func begin(_ row: NetworkLedgerRow) async throws -> Int64 { 1 }
        func finish(_ id: Int64, _ ending: NetworkLedgerEnding) async throws {}
        func latest(_ limit: Int, before id: Int64?, job: Int64?) async throws -> [NetworkLedgerRow] { [] }
        func totals() async throws -> NetworkLedgerTotals { NetworkLedgerTotals() }
    }

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let port = Int(words.first ?? "") ?? 0
        var world = WebFetcher.World()
        world.resolver = Names()
        world.policy = AddressPolicy { address, origin in address.description == "127.0.0.1" && origin.port == port }
        var configuration = WebFetcher.Configuration()
        configuration.gap = .zero
        let fetcher = WebFetcher(configuration: configuration, ledger: NoLedger(), permission: { NetworkPermission() }, world: world)
        // One ordinary page first, so that libraries are loaded and their tables made.
        _ = try? await fetcher.fetch(FetchRequest("http://site.test:\(port)/page", purpose: .page))
        let idle = memory("VmRSS:")
        for url in words.dropFirst() {
            do {
                let response = try await fetcher.fetch(FetchRequest(url, purpose: .page))
                print("\(response.status) \(response.body.count)")
            } catch let error as FetchError {
                print("\(error.code.rawValue) 0")
            } catch { print("\(error)") }
        }
        print("idle \(idle) peak \(memory("VmHWM:"))")
    }

    /// In KB, from the kernel.
    private static func memory(_ field: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
        return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
    }
}
