@testable import SottoServing
import SottoTestSupport
import Testing

@Suite struct EventLogTests {
    private static func take(_ count: Int, from items: EventLog.Items) async throws -> [EventLog.Item] {
        var iterator = items.makeAsyncIterator()
        var taken: [EventLog.Item] = []
        while taken.count < count, let item = try await iterator.next() { taken.append(item) }
        return taken
    }

    private static func numbers(_ items: [EventLog.Item]) -> [UInt64] {
        items.map { if case .event(let event) = $0 { event.id.number } else { 0 } }
    }

    @Test("a reader gets what it missed, in order and once, and then what comes") func replays() async throws {
        let log = EventLog(epoch: 7)
        for number in 1...5 { await log.publish("agent.progress", data: "\(number)") }
        #expect(try await Self.numbers(Self.take(3, from: log.items(after: EventID(epoch: 7, number: 2)))) == [3, 4, 5])
        let reader = Task { try await Self.take(4, from: log.items(after: EventID(epoch: 7, number: 3))) }
        for number in 6...7 { await log.publish("agent.progress", data: "\(number)") }
        #expect(try await Self.numbers(reader.value) == [4, 5, 6, 7])
    }

    @Test("a reader that fell behind what is kept is told to begin anew, and then goes on") func fallsBehind() async throws {
        var limits = EventLog.Limits()
        limits.events = 3
        let log = EventLog(epoch: 7, limits: limits)
        for number in 1...10 { await log.publish("e", data: "\(number)") }
        await log.finish()
        #expect(try await Self.take(9, from: log.items(after: EventID(epoch: 7, number: 2))) == [.reset(at: EventID(epoch: 7, number: 10))])
        #expect(try await Self.numbers(Self.take(9, from: log.items(after: EventID(epoch: 7, number: 7)))) == [8, 9, 10])
    }

    @Test(
        "places of another life of the log, and of its future, are answered with a reset", arguments: [(6, 2), (8, 0), (7, 9)] as [(UInt64, UInt64)])
    func otherLife(_ epoch: UInt64, _ number: UInt64) async throws {
        let log = EventLog(epoch: 7)
        await log.publish("e", data: "1")
        await log.finish()
        #expect(try await Self.take(9, from: log.items(after: EventID(epoch: epoch, number: number))) == [.reset(at: EventID(epoch: 7, number: 1))])
    }

    @Test("memory is bounded by number and by bytes") func bounded() async {
        var limits = EventLog.Limits()
        (limits.events, limits.bytes) = (100, 10_000)
        let log = EventLog(epoch: 7, limits: limits)
        for _ in 0..<1_000 { await log.publish("e", data: String(repeating: "a", count: 935)) }
        let kept = await log.kept
        #expect(kept.events == 10)
        #expect(kept.bytes == 10_000)
        await log.publish("e", data: String(repeating: "a", count: 20_000))
        #expect(await log.kept.events == 0, "one that is larger than all the room is announced by a reset")
        for _ in 0..<1_000 { await log.publish("e", data: "") }
        #expect(await log.kept.events == 100)
    }

    @Test("silence is broken by heartbeats") func heartbeats() async throws {
        let clock = ManualClock()
        let log = EventLog(epoch: 7, clock: clock)
        let reader = Task { try await Self.take(3, from: log.items(after: nil)) }
        for _ in 0..<2 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(15))
        }
        await clock.sleepers(atLeast: 1)
        await log.publish("e", data: "1")
        #expect(
            try await reader.value == [
                .heartbeat(at: EventID(epoch: 7, number: 0)), .heartbeat(at: EventID(epoch: 7, number: 0)),
                .event(LiveEvent(id: EventID(epoch: 7, number: 1), name: "e", data: "1")),
            ])
    }

    @Test("a reader that is cancelled ends at once") func cancels() async {
        let clock = ManualClock()
        let log = EventLog(epoch: 7, clock: clock)
        let reader = Task { try await Self.take(1, from: log.items(after: nil)) }
        await clock.sleepers(atLeast: 1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test("many readers of different speed all get everything that is kept") func manyReaders() async throws {
        let log = EventLog(epoch: 7)
        try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<20 { group.addTask { try await Self.numbers(Self.take(200, from: log.items(after: EventID(epoch: 7, number: 0)))) } }
            for number in 1...200 { await log.publish("e", data: "\(number)") }
            for try await numbers in group { #expect(numbers == Array(1...200)) }
        }
    }

    @Test(
        "ids are read back, and nothing else is taken for one",
        arguments: [
            ("7-1", EventID(epoch: 7, number: 1)), ("ff-0", EventID(epoch: 255, number: 0)), ("07-1", nil), ("7-01", nil), ("7-+1", nil), ("7", nil),
            ("", nil), ("-1", nil), ("7-1-1", nil), ("FF-1", nil),
            ("7-18446744073709551616", nil),
        ] as [(String, EventID?)])
    func ids(_ text: String, _ id: EventID?) { #expect(EventID(text) == id) }

    @Test("both ways of sending carry the same ids") func formats() {
        let event = EventLog.Item.event(LiveEvent(id: EventID(epoch: 7, number: 1), name: "agent.done", data: "{\"a\":1}"))
        #expect(EventFeed.serverSent(event) == "id: 7-1\nevent: agent.done\ndata: {\"a\":1}\n\n")
        #expect(EventFeed.message(event) == "{\"id\":\"7-1\",\"event\":\"agent.done\",\"data\":{\"a\":1}}")
        #expect(EventFeed.serverSent(.heartbeat(at: EventID(epoch: 7, number: 1))) == ": heartbeat\n\n")
        #expect(EventFeed.serverSent(.reset(at: EventID(epoch: 7, number: 1))) == "id: 7-1\nevent: reset\ndata: {}\n\n")
    }
}
