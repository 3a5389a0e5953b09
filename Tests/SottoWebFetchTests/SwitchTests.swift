import Foundation
import SottoFetching
import Synchronization
import Testing

@testable import SottoWebFetch

@Suite struct SwitchTests {
    @Test(
        "with research off, or offline, nothing is looked up and nothing opened, and the ledger says so",
        arguments: [
            (NetworkPermission(isResearchOn: false, isOffline: false), FetchError.Code.researchOff),
            (NetworkPermission(isResearchOn: true, isOffline: true), .offline),
            (NetworkPermission(isResearchOn: false, isOffline: true), .offline),
        ])
    func off(permission: NetworkPermission, code: FetchError.Code) async throws {
        let canary = try Canary()
        let world = TestWorld(ports: [canary.port], permission: { permission })
        for purpose in [FetchRequest.Purpose.page, .search] {
            #expect(try await world.failure("http://site.test:\(canary.port)/", purpose)?.code == code)
        }
        #expect(world.resolver.lookups == [] && world.sockets == [])
        #expect(canary.connections() == 0)
        #expect(canary.touch() && canary.connections() == 1)
        #expect(world.ledger.rows.map(\.ending.reason) == [code, code])
        #expect(world.ledger.rows.allSatisfy { $0.ending.outcome == .refused })
    }

    @Test("switched off on the way, the next hop is not asked; a stored page is not shown either")
    func onTheWay() async throws {
        let isOn = Mutex(true)
        let web = try TestWeb { request, connection in
            if request.target == "/first" { isOn.withLock { $0 = false } }
            Faults.serve(
                TestWeb.Request(method: "GET", target: request.target == "/first" ? "/to?/page" : request.target, headers: request.headers, body: []),
                connection)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = TestWorld(ports: [web.port], permission: { NetworkPermission(isResearchOn: isOn.withLock { $0 }) }) { $0.cacheFolder = folder }
        #expect(try await world.failure("http://site.test:\(web.port)/page") == nil)
        #expect(try await world.failure("http://site.test:\(web.port)/first")?.code == .researchOff)
        #expect(web.requests.map(\.target) == ["/robots.txt", "/page", "/first"])
        #expect(try await world.failure("http://site.test:\(web.port)/page")?.code == .researchOff)
    }

    @Test("a ledger that cannot be written stops the request")
    func brokenLedger() async throws {
        struct Broken: NetworkLedger {
            struct Full: Error {}
            func begin(_ row: NetworkLedgerRow) async throws -> Int64 { throw Full() }
            func finish(_ id: Int64, _ ending: NetworkLedgerEnding) async throws {}
            func latest(_ limit: Int, before id: Int64?, job: Int64?) async throws -> [NetworkLedgerRow] { [] }
            func totals() async throws -> NetworkLedgerTotals { NetworkLedgerTotals() }
        }
        let canary = try Canary()
        var world = WebFetcher.World()
        world.resolver = TestResolver()
        world.policy = AddressPolicy { _, _ in true }
        let fetcher = WebFetcher(ledger: Broken(), permission: { NetworkPermission() }, world: world)
        do {
            _ = try await fetcher.fetch(FetchRequest("http://site.test:\(canary.port)/", purpose: .page))
            Issue.record("it was asked")
        } catch let error as FetchError { #expect(error.code == .ledgerFailed) }
        #expect(canary.connections() == 0)
    }
}
