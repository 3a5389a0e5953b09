import Foundation
import SottoStreams
import SottoSubprocess
import Testing

@Suite struct SubprocessTests {
    @Test("what is written comes back, with the status and the errors apart")
    func basics() async throws {
        let output = try await Subprocess.run(.init("sh", ["-c", "cat; echo trouble >&2; exit 7"], input: .bytes(Array("héllo".utf8))))
        #expect(String(decoding: output.standardOutput, as: UTF8.self) == "héllo")
        #expect(output.errorText == "trouble")
        #expect(output.status == .exited(7))
        let error = try #require(throws: SubprocessError.self) { try output.checked() }
        #expect(error.code == .failed)
        #expect(error.message == "sh ended with status 7: trouble")
    }

    @Test("ten megabytes through cat both ways arrive whole")
    func noDeadlock() async throws {
        let bytes = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let output = try await Subprocess.run(.init("cat", input: .bytes(bytes), deadline: .seconds(60)))
        #expect(output.standardOutput == bytes)
    }

    @Test("a file is handed over as standard input")
    func fileInput() async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data("from a file".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try await Subprocess.run(.init("cat", input: .file(path)))
        #expect(output.standardOutput == Array("from a file".utf8))
        let missing = await #expect(throws: SubprocessError.self) { try await Subprocess.run(.init("cat", input: .file(path + ".gone"))) }
        #expect(missing?.code == .notStarted)
    }

    @Test("output beyond the cap is an error, and the writer is stopped")
    func cap() async throws {
        let error = await #expect(throws: SubprocessError.self) {
            try await Subprocess.run(.init("yes", maximumOutput: 1_000_000, deadline: .seconds(60)))
        }
        #expect(error?.code == .outputTooLarge)
        let whole = try await Subprocess.run(.init("head", ["-c", "1000", "/dev/zero"], maximumOutput: 1000))
        #expect(whole.standardOutput.count == 1000)
    }

    @Test("standard error beyond its cap is dropped without blocking the child")
    func errorCap() async throws {
        let output = try await Subprocess.run(
            .init("sh", ["-c", "head -c 1000000 /dev/zero >&2; echo done"], maximumErrorOutput: 100, deadline: .seconds(60)))
        #expect(output.standardError.count == 100)
        #expect(output.standardOutput == Array("done\n".utf8))
    }

    @Test("a deadline kills the child and everything that it started")
    func deadline() async throws {
        let marker = "600.\(UInt32.random(in: 0..<1_000_000_000))"
        let error = await #expect(throws: SubprocessError.self) {
            try await Subprocess.run(.init("sh", ["-c", "sleep \(marker) & sleep \(marker); true"], deadline: .milliseconds(300)))
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(try await haveEnded(marker))
    }

    @Test("what a child leaves running in its group ends with it, and does not hold its output open")
    func orphans() async throws {
        let marker = "601.\(UInt32.random(in: 0..<1_000_000_000))"
        let output = try await Subprocess.run(.init("sh", ["-c", "sleep \(marker) & echo started"], deadline: .seconds(60)))
        #expect(output.standardOutput == Array("started\n".utf8))
        #expect(try await haveEnded(marker))
    }

    @Test("cancelling kills at once, whatever the child does with signals")
    func cancellation() async throws {
        let marker = "602.\(UInt32.random(in: 0..<1_000_000_000))"
        let (chunks, chunk) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for try await _ in Subprocess.stream(.init("sh", ["-c", "trap '' TERM INT; echo up; sleep \(marker)"])) { chunk.finish() }
        }
        for await _ in chunks {}
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The child would have slept for ten minutes.
        #expect(ContinuousClock.now - start < .seconds(60))
        while try survivors(marker) > 0, ContinuousClock.now - start < .seconds(60) { await Task.yield() }
        #expect(try await haveEnded(marker))

        let running = Task { try await Subprocess.run(.init("sleep", [marker])) }
        while try survivors(marker) == 0 { await Task.yield() }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await haveEnded(marker))
    }

    @Test("a missing program is named together with its package")
    func missing() async {
        let error = await #expect(throws: SubprocessError.self) {
            try await Subprocess.run(.init("no-such-program-anywhere", package: "some-package"))
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("apt-get install some-package") == true)
    }

    @Test("a child that does not read its input is no trouble")
    func brokenPipe() async throws {
        let output = try await Subprocess.run(.init("true", input: .bytes([UInt8](repeating: 1, count: 5_000_000)), deadline: .seconds(60)))
        #expect(output.status == .exited(0))
    }

    @Test("the environment is minimal and no descriptor of ours is inherited")
    func isolation() async throws {
        // A descriptor without O_CLOEXEC, as C libraries leave them.
        let leaked = unsafe fopen("/dev/null", "r")
        defer { if let leaked = unsafe leaked { unsafe fclose(leaked) } }
        let environment = try await Subprocess.run(.init("env")).checked()
        let names = String(decoding: environment, as: UTF8.self).split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(Set(names) == ["PATH", "LANG"])
        let descriptors = try await Subprocess.run(.init("sh", ["-c", "echo /proc/$$/fd/*; pwd"])).checked()
        let said = String(decoding: descriptors, as: UTF8.self).split(separator: "\n").map(String.init)
        let numbers = said[0].split(separator: " ").compactMap { Int($0.split(separator: "/").last ?? "") }
        // One more is the shell's own, for the folder that it lists.
        #expect(numbers.filter { $0 > 2 }.count <= 1)
        #expect(said[1] == "/")
    }

    @Test("limits on memory and processor time hold")
    func limits() async throws {
        let memory = try await Subprocess.run(
            .init("sh", ["-c", "head -c 300000000 /dev/zero | tail -c 299999999 | wc -c"], deadline: .seconds(60), memoryLimit: 100 << 20))
        #expect(String(decoding: memory.standardOutput, as: UTF8.self) != "299999999\n")
        let processor = try await Subprocess.run(
            .init("sh", ["-c", "while true; do :; done"], deadline: .seconds(120), processorTimeLimit: 1))
        #expect(processor.status == .signaled(SIGKILL) || processor.status == .signaled(SIGXCPU))
    }

    @Test("a slow reader holds the child back instead of filling memory")
    func backpressure() async throws {
        var total = 0
        var largest = 0
        for try await chunk in Subprocess.stream(.init("head", ["-c", "20000000", "/dev/zero"], deadline: .seconds(60))) {
            total += chunk.count
            largest = max(largest, chunk.count)
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(total == 20_000_000)
        #expect(largest <= 400_000)
    }

    @Test("lines come whole, the last one without its line end too")
    func lines() async throws {
        var lines: [String] = []
        for try await line in Subprocess.lines(.init("sh", ["-c", "printf 'one\\ntwo é\\n\\nlast'"])) { lines.append(line) }
        #expect(lines == ["one", "two é", "", "last"])
        let error = await #expect(throws: SubprocessError.self) {
            for try await _ in Subprocess.lines(.init("sh", ["-c", "echo a; echo why >&2; exit 3"])) {}
        }
        #expect(error?.code == .failed)
    }

    /// How many processes have the marker in their command line.
    /// A killed process is gone a moment after the kill; what was not killed sleeps for ten minutes.
    private func haveEnded(_ marker: String) async throws -> Bool {
        let start = ContinuousClock.now
        while try survivors(marker) > 0 {
            guard ContinuousClock.now - start < .seconds(10) else { return false }
            await Task.yield()
        }
        return true
    }

    private func survivors(_ marker: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
            guard name.allSatisfy(\.isNumber), let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else { return false }
            return String(decoding: line, as: UTF8.self).contains("sleep\0\(marker)")
        }.count
    }
}
