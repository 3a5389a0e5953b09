import Foundation
import Synchronization
import Testing

@testable import SottoModelStore

/// Downloads by address, against a server with faults. The file is 3 112 963 bytes.
@Suite struct ModelStoreDownloadTests {
    /// The workshop, its server, and a manifest whose one model comes from `modes` in order.
    private func setUp(_ modes: [String]) async throws -> (shop: Workshop, server: RangeServer, manifest: ModelManifest) {
        let shop = try await Workshop()
        let server = try RangeServer(serving: shop.folder + "/truth/joined")
        var model = try shop.manifest.model("joined")
        model.files = [model.files[0]]
        model.sources = modes.map { .url(.init(files: [.init(to: "model.bin", url: server.url($0, "model.bin"))])) }
        return (shop, server, try ModelManifest(models: [model]).validated())
    }

    private func size(_ shop: Workshop) -> Int64 { shop.manifest.models[0].files[0].size }

    private func expectTrue(_ shop: Workshop, sourceLocation: SourceLocation = #_sourceLocation) {
        let isEqual = FileManager.default.contentsEqual(
            atPath: shop.stored("joined", "model.bin"), andPath: shop.truth("joined", "model.bin"))
        #expect(isEqual, sourceLocation: sourceLocation)
    }

    @Test("whatever the server does that can be mended, the file comes out right", arguments: [
        (mode: "plain", requests: 1), (mode: "noranges", requests: 1), (mode: "drop-1000000", requests: 4), (mode: "changed", requests: 2),
        (mode: "busy", requests: 3), (mode: "corrupt-once", requests: 2), (mode: "redirect-5", requests: 6), (mode: "wrongrange", requests: 3),
    ])
    func mendable(mode: String, requests: Int) async throws {
        let (shop, server, manifest) = try await setUp([mode])
        let seen = Mutex<[PullProgress]>([])
        try await shop.store(manifest) { if mode == "wrongrange" { $0.limits.fruitlessAttempts = 4 } }.pull(["joined"]) { step in
            seen.withLock { $0.append(step) }
        }
        expectTrue(shop)
        #expect(seen.withLock { $0.last?.completed } == size(shop))
        let log = try server.requests()
        #expect(log.count == requests, "\(log)")
        if mode.hasPrefix("drop") {
            // Each byte came once: the parts before the last were cut at a million.
            #expect(log.compactMap { $0["range"] as? String } == ["bytes=1000000-", "bytes=2000000-", "bytes=3000000-"])
            #expect(log.reduce(0) { $0 + ($1["sent"] as? Int ?? 0) } == Int(size(shop)))
            #expect(log.dropFirst().allSatisfy { $0["ifRange"] is String })
        }
    }

    @Test("what cannot be mended ends with the reason, and nothing is put in place", arguments: [
        ("missing", "the server answered 404", ModelStoreError.Code.sourceFailed), ("corrupt", "SHA-256", .wrongContents),
        ("short", "of 3112963 bytes", .sourceFailed), ("endless", "more than the expected 3112963 bytes", .wrongContents),
        ("redirect-6", "redirects", .sourceFailed), ("tofile", "nsupported protocol", .sourceFailed),
    ])
    func hopeless(mode: String, reason: String, code: ModelStoreError.Code) async throws {
        let (shop, server, manifest) = try await setUp([mode])
        let store = shop.store(manifest)
        let error = try await storeError { try await store.pull(["joined"]) }
        #expect((1...14).contains(try server.requests().count), "it gives up soon")
        #expect(error.code == code && error.message.contains(reason), "\(error)")
        #expect(FileFacts.of(shop.stored("joined", "model.bin")) == nil)
        #expect(try shop.ledger().isEmpty == false)
    }

    @Test("a server that falls silent is given up, and the next source serves")
    func silent() async throws {
        let (shop, server, manifest) = try await setUp(["hang-0", "missing", "plain"])
        try await shop.store(manifest) {
            $0.limits.stallTimeout = .seconds(1)
            $0.limits.fruitlessAttempts = 1
        }.pull(["joined"])
        expectTrue(shop)
        #expect(try server.requests().contains { $0["mode"] as? String == "plain" && $0["range"] is NSNull })
        #expect(FileFacts.of(shop.root + "/.downloads/joined") == nil)
    }

    @Test("nobody listens: the error says so and names the address")
    func nobody() async throws {
        let (shop, server, manifest) = try await setUp(["plain"])
        var dead = manifest
        dead.models[0].sources = [.url(.init(files: [.init(to: "model.bin", url: "http://127.0.0.1:1/model.bin")]))]
        let error = try await storeError { [dead] in try await shop.store(dead).pull(["joined"]) }
        #expect(error.code == .sourceFailed && error.message.contains("127.0.0.1:1"))
        #expect(try server.requests().isEmpty)
    }

    @Test("cancelling closes the connection at once, keeps the bytes, and the next pull goes on from there")
    func cancel() async throws {
        let (shop, server, manifest) = try await setUp(["hang-300000"])
        let store = shop.store(manifest)
        let (arrived, arrival) = AsyncStream.makeStream(of: Int64.self)
        let pull = Task {
            try await store.pull(["joined"]) { step in
                if step.phase == .downloading { arrival.yield(step.completed) }
            }
        }
        for await bytes in arrived where bytes >= 300_000 { break }
        let began = ContinuousClock.now
        pull.cancel()
        await #expect(throws: CancellationError.self) { try await pull.value }
        // The server would have hung for ever, and the stall limit is 30 s.
        #expect(ContinuousClock.now - began < .seconds(25))
        #expect(try await store.status(of: "joined") == .partial(bytes: 300_000))
        #expect(try shop.ledger().last?["outcome"] == "cancelled")

        // The same address, behaving now: the partial file belongs to it.
        var good = manifest
        good.models[0].sources = [.url(.init(files: [.init(to: "model.bin", url: server.url("hang-9000000", "model.bin"))]))]
        let unfinished = shop.root + "/.downloads/joined"
        let journal = try #require(StoreFolder.names(in: unfinished).first { $0.hasSuffix(".partial.json") })
        let text = try String(contentsOfFile: unfinished + "/" + journal, encoding: .utf8).replacingOccurrences(of: "hang-300000", with: "hang-9000000")
        try Data(text.utf8).write(to: URL(fileURLWithPath: unfinished + "/" + journal))
        try await shop.store(good).pull(["joined"])
        expectTrue(shop)
        let last = try #require(try server.requests().last { $0["mode"] as? String == "hang-9000000" })
        #expect(last["range"] as? String == "bytes=300000-")
    }

    @Test("the header of a partial answer is read strictly", arguments: [
        ("bytes 5-9/10", 5, 10), ("bytes 0-0/*", 0, nil), ("bytes */10", nil, nil), ("5-9/10", nil, nil), ("bytes 5-9/10x", nil, nil),
    ] as [(String, Int64?, Int64?)])
    func contentRange(text: String, start: Int64?, total: Int64?) {
        let parsed = Transfer.parse(text)
        #expect(parsed?.start == start && parsed?.total == total)
    }
}
