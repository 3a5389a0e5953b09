import Foundation
import SottoFetching
import Synchronization
import Testing

@testable import SottoWebFetch

@Suite struct PageCacheTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)").path

    /// A site whose page says how long it is good, and knows its own tag.
    private static func site(_ control: String) throws -> TestWeb {
        try TestWeb { request, connection in
            guard request.target != "/robots.txt" else { return connection.answer(404) }
            if request.target == "/old" { return connection.answer(301, ["Location": "/new"]) }
            guard request.headers["if-none-match"] == nil else { return connection.answer(304, ["ETag": "\"v1\"", "Cache-Control": control]) }
            connection.answer(
                200, ["ETag": "\"v1\"", "Cache-Control": control, "Content-Type": "text/html; charset=koi8-r"], Array("<p>\(request.target)".utf8))
        }
    }

    private func cached(_ web: TestWeb) -> (world: TestWorld, clock: Ticking) {
        let clock = Ticking()
        return (TestWorld(ports: [web.port], date: { clock.now }) { [folder] in $0.cacheFolder = folder }, clock)
    }

    final class Ticking: Sendable {
        private let value = Mutex(Date(timeIntervalSince1970: 1_767_225_600))
        var now: Date { value.withLock { $0 } }
        func advance(_ seconds: Double) { value.withLock { $0.addTimeInterval(seconds) } }
    }

    @Test("a fresh page is not asked for again; a stale one is confirmed; another language is another page")
    func life() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let web = try Self.site("max-age=60")
        let (world, clock) = cached(web)
        func get(_ change: (inout FetchRequest) -> Void = { _ in }) async throws -> FetchResponse {
            var request = FetchRequest("http://site.test:\(web.port)/old", purpose: .page)
            change(&request)
            return try await world.fetcher.fetch(request)
        }
        let first = try await get()
        #expect(first.isFromCache == false && first.hops.count == 2)
        let second = try await get()
        #expect(
            second.isFromCache && second.body == first.body && second.finalURL == first.finalURL && second.charset == "koi8-r" && second.kind == .html
        )
        #expect(web.requests.map(\.target) == ["/robots.txt", "/old", "/new"])
        clock.advance(61)
        let third = try await get()
        #expect(third.isFromCache && third.body == first.body)
        #expect(web.requests.last?.headers["if-none-match"] == "\"v1\"")
        #expect(world.ledger.rows.last?.ending.status == 304)
        let count = web.requests.count
        clock.advance(30)
        #expect(try await get().isFromCache)
        #expect(web.requests.count == count, "confirmed means fresh again")
        #expect(try await get { $0.languages = ["de"] }.isFromCache == false)
        clock.advance(31 * 86_400)
        #expect(try await get().isFromCache == false, "its time is over")
        let other = TestWorld(ports: [web.port], date: { clock.now }) { [folder] in $0.cacheFolder = folder }
        _ = try await other.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/old", purpose: .page))
        #expect(other.ledger.rows.isEmpty, "another process finds it")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder)
        #expect((attributes[.posixPermissions] as? Int) == 0o700)
    }

    @Test("what may not be kept is not, and search answers never are")
    func unkept() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let web = try Self.site("no-store")
        let (world, _) = cached(web)
        _ = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/x", purpose: .page))
        _ = try await world.fetcher.fetch(FetchRequest("http://site.test:\(web.port)/x", purpose: .search))
        #expect((try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty ?? true)
    }

    @Test("the space is bounded, and damaged files are dropped")
    func bounds() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let now = Date()
        let cache = PageCache(folder: folder, limits: .init(bytes: 300_000), now: { now })
        func page(_ number: Int) -> CachedPage {
            CachedPage(
                url: "http://a.test/\(number)", languages: "", finalURL: "http://a.test/\(number)", hops: [], headers: [:], kind: .html, charset: nil,
                isTruncated: false,
                date: now, confirmed: now, bodySize: 20_000)
        }
        for number in 0..<100 { await cache.store(page(number), body: [UInt8](repeating: UInt8(number), count: 20_000)) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect((5...17).contains(files.count), "\(files.count)")
        #expect(await cache.page("http://a.test/99", languages: "")?.body.first == 99)
        for file in files { try Data([0, 0, 0, 9, 1]).write(to: URL(fileURLWithPath: folder + "/" + file)) }
        #expect(await cache.page("http://a.test/99", languages: "") == nil)
    }
}
