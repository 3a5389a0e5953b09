import Foundation
import SottoFetching
import Synchronization

@testable import SottoWebFetch

/// Names of the test web: every `*.test` stands for this machine, unless a script says otherwise.
final class TestResolver: Resolving {
    private let script: Mutex<[String: [[String]]]>
    private let asked = Mutex<[String]>([])

    /// - Parameter script: For a name, its answers in order; the last one is repeated.
    init(_ script: [String: [[String]]] = [:]) { self.script = Mutex(script) }

    var lookups: [String] { asked.withLock { $0 } }

    func addresses(of host: String, within limit: Duration) async throws -> [IPAddress] {
        asked.withLock { $0.append(host) }
        let answer: [String]? = script.withLock { script in
            guard let answers = script[host], let first = answers.first else { return host.hasSuffix(".test") ? ["127.0.0.1"] : nil }
            if answers.count > 1 { script[host] = Array(answers.dropFirst()) }
            return first
        }
        guard let answer else { throw FetchError(.nameNotFound, "the name \(host) is not known in the test web") }
        return answer.compactMap { IPAddress($0) }
    }
}

/// The ledger in memory.
final class MemoryLedger: NetworkLedger {
    private let stored = Mutex<[NetworkLedgerRow]>([])
    var rows: [NetworkLedgerRow] { stored.withLock { $0 } }

    func begin(_ row: NetworkLedgerRow) async throws -> Int64 {
        stored.withLock { rows in
            var row = row
            row.id = Int64(rows.count + 1)
            rows.append(row)
            return row.id
        }
    }

    func finish(_ id: Int64, _ ending: NetworkLedgerEnding) async throws { stored.withLock { $0[Int(id) - 1].ending = ending } }

    func latest(_ limit: Int, before id: Int64?, job: Int64?) async throws -> [NetworkLedgerRow] {
        Array(rows.reversed().filter { row in (job == nil || row.job == job) && id.map { row.id < $0 } != false }.prefix(limit))
    }

    func totals() async throws -> NetworkLedgerTotals {
        NetworkLedgerTotals(
            requests: rows.count, sentBytes: rows.map(\.sentBytes).reduce(0, +), receivedBytes: rows.map(\.ending.receivedBytes).reduce(0, +))
    }
}

/// A fetcher whose names, sockets and ledger are the test's.
struct TestWorld: Sendable {
    let fetcher: WebFetcher
    let ledger = MemoryLedger()
    let resolver: TestResolver
    private let opened: Opened

    final class Opened: Sendable {
        let sockets = Mutex<[String]>([])
    }

    /// - Parameters:
    ///   - ports: Of the test web, which alone `*.test` names may reach, at 127.0.0.1 and ::1.
    ///   - date: What the fetcher takes for now.
    init(
        ports: [Int], names: [String: [[String]]] = [:], permission: @escaping @Sendable () -> NetworkPermission = { NetworkPermission() },
        date: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock(), authorities: String? = nil,
        configure: (inout WebFetcher.Configuration) -> Void
    ) {
        var configuration = WebFetcher.Configuration()
        configuration.gap = .zero
        configure(&configuration)
        let resolver = TestResolver(names)
        let opened = Opened()
        var world = WebFetcher.World()
        world.resolver = resolver
        world.now = date
        world.clock = clock
        world.authorities = authorities
        world.policy = AddressPolicy { address, origin in
            ["127.0.0.1", "::1"].contains(address.description) && origin.host.hasSuffix(".test") && ports.contains(origin.port)
        }
        world.opening = { address, port in opened.sockets.withLock { $0.append("\(address):\(port)") } }
        self.resolver = resolver
        self.opened = opened
        fetcher = WebFetcher(configuration: configuration, ledger: ledger, permission: permission, world: world)
    }

    init(
        ports: [Int], names: [String: [[String]]] = [:], permission: @escaping @Sendable () -> NetworkPermission = { NetworkPermission() },
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(ports: ports, names: names, permission: permission, date: date) { _ in }
    }

    /// Every socket that was made.
    var sockets: [String] { opened.sockets.withLock { $0 } }

    /// - Returns: How the fetch failed; `nil` when it did not.
    func failure(_ url: String, _ purpose: FetchRequest.Purpose = .page, change: (inout FetchRequest) -> Void = { _ in }) async throws -> FetchError?
    {
        var request = FetchRequest(url, purpose: purpose)
        change(&request)
        do {
            _ = try await fetcher.fetch(request)
            return nil
        } catch let error as FetchError { return error }
    }
}

enum Fixture {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures").path
    static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))) }
    static func rows(_ name: String) throws -> [[String]] {
        String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }
}
