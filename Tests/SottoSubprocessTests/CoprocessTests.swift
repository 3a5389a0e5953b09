import SottoSubprocess
import Testing

@Suite struct CoprocessTests {
    private func line(_ bytes: [UInt8]) -> Bool { bytes.last == 0x0A }

    @Test("one process answers many requests in turn")
    func exchanges() async throws {
        let process = try Coprocess(.init("sed", ["-u", "s/a/b/g"]))
        for number in 0..<50 {
            let answer = try await process.exchange(Array("a\(number)\n".utf8), deadline: .seconds(20), until: line)
            #expect(String(decoding: answer, as: UTF8.self) == "b\(number)\n")
        }
    }

    @Test("a process that ends, hangs or says too much is an error of its own kind")
    func failures() async throws {
        let ends = try Coprocess(.init("sh", ["-c", "read line; echo broken >&2; exit 2"]))
        let ended = await #expect(throws: SubprocessError.self) { try await ends.exchange([0x0A], deadline: .seconds(20), until: line) }
        #expect(ended?.code == .ended)
        #expect((ended?.cause as? SubprocessError)?.message.contains("broken") == true)
        let hangs = try Coprocess(.init("sleep", ["600"]))
        let late = await #expect(throws: SubprocessError.self) {
            try await hangs.exchange([0x0A], deadline: .milliseconds(200), until: line)
        }
        #expect(late?.code == .deadlineExceeded)
        let floods = try Coprocess(.init("yes"))
        let flooded = await #expect(throws: SubprocessError.self) {
            try await floods.exchange([], limit: 1000, deadline: .seconds(20)) { _ in false }
        }
        #expect(flooded?.code == .outputTooLarge)
    }

    @Test("cancelling an exchange ends the process")
    func cancellation() async throws {
        let process = try Coprocess(.init("sleep", ["600"]))
        let task = Task { try await process.exchange([], deadline: .seconds(600)) { _ in false } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let after = await #expect(throws: SubprocessError.self) {
            try await process.exchange([0x0A], deadline: .seconds(20), until: line)
        }
        #expect(after?.code == .ended)
    }
}
