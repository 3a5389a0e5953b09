import SottoStreams
import Synchronization
import Testing

private func hold(_ turns: Turns, _ body: @Sendable () async throws -> Void) async throws {
    try await turns.withTurn { try await body() }
}

private final class Record: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

@Suite struct TurnsTests {
    @Test("one at a time, in the order of asking, also when one fails")
    func order() async throws {
        struct Failure: Error {}
        let turns = Turns()
        let log = Record()
        let (open, gate) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await hold(turns) {
                log.add("first begins")
                for await _ in open { break }
                log.add("first ends")
                throw Failure()
            }
        }
        while log.all.isEmpty { await Task.yield() }
        let second = Task { try await hold(turns) { log.add("second") } }
        while turns.waitingCount < 1 { await Task.yield() }
        let third = Task { try await hold(turns) { log.add("third") } }
        while turns.waitingCount < 2 { await Task.yield() }
        gate.yield()
        await #expect(throws: Failure.self) { try await first.value }
        try await second.value
        try await third.value
        #expect(log.all == ["first begins", "first ends", "second", "third"])
    }

    @Test("who is cancelled while waiting leaves the line, and the next one follows")
    func cancel() async throws {
        let turns = Turns()
        let (open, gate) = AsyncStream.makeStream(of: Void.self)
        let begun = Record()
        let first = Task {
            try await hold(turns) {
                begun.add("begun")
                for await _ in open { break }
            }
        }
        while begun.all.isEmpty { await Task.yield() }
        let second = Task { try await hold(turns) { Issue.record("it had left the line") } }
        while turns.waitingCount < 1 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(turns.waitingCount == 0)
        gate.yield()
        try await first.value
        try await hold(turns) {}
        let late = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try await hold(turns) { Issue.record("it was cancelled before it asked") }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }
}
