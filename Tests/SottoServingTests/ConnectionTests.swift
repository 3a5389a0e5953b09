@testable import SottoServing
import SottoStreams
import SottoTestSupport
import Testing

@Suite struct ConnectionTests {
    private static var limits: ServerLimits {
        var limits = ServerLimits()
        (limits.inboundBytes, limits.outboundBytes) = (10, 10)
        return limits
    }

    @Test("a client that sends faster than it is read from is not read from, until there is room") func inboundBound() async throws {
        let client = ScriptedClient(limits: Self.limits)
        #expect(client.connection.receive([1, 2, 3]))
        #expect(client.connection.receive([4, 5, 6, 7, 8, 9, 10, 11]) == false)
        #expect(client.relay.all.isEmpty)
        #expect(try await client.connection.read() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        #expect(client.relay.all == [.room])
    }

    @Test("a reader that does not read makes the writer wait; an offer says no") func outboundBound() async throws {
        let client = ScriptedClient(limits: Self.limits)
        let connection = client.connection
        try await connection.write([UInt8](repeating: 1, count: 12))
        #expect(try connection.offer([2]) == false)
        let writer = Task { try await connection.write([3]) }
        #expect(connection.queuedBytes == 12)
        #expect(connection.takeOutput(atMost: 1) == .bytes([1]))
        #expect(connection.queuedBytes == 11)
        #expect(connection.takeOutput(atMost: 5) == .bytes([1, 1, 1, 1, 1]))
        try await writer.value
        #expect(connection.takeOutput(atMost: 100) == .bytes([1, 1, 1, 1, 1, 1, 3]))
        #expect(connection.takeOutput(atMost: 100) == .idle)
        connection.finish()
        #expect(connection.takeOutput(atMost: 100) == .end)
    }

    @Test("a reader that never reads is given up after the stall time") func stalls() async throws {
        let clock = ManualClock()
        let client = ScriptedClient(limits: Self.limits, clock: clock)
        let connection = client.connection
        try await connection.write([UInt8](repeating: 1, count: 12))
        let writer = Task { try await connection.write([3]) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: ServingError.self) { try await writer.value }
        #expect(error?.code == .timedOut)
        #expect(client.relay.all.contains(.abort))
        #expect(connection.gone.isCancelled)
    }

    @Test("a time limit ends a wait, and only while it holds") func timeLimit() async throws {
        let clock = ManualClock()
        let client = ScriptedClient(clock: clock)
        let connection = client.connection
        let reader = Task { try await connection.limit(.seconds(5), for: "a test") { try await connection.read() } }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: ServingError.self) { try await reader.value }
        #expect(error?.code == .timedOut)
        client.send("a")
        #expect(try await connection.read() == Array("a".utf8))
    }

    @Test("whoever waits for a client that goes away is woken") func lost() async throws {
        let client = ScriptedClient(limits: Self.limits)
        let connection = client.connection
        let reader = Task { try await connection.read() }
        connection.lost()
        #expect(try await reader.value == nil)
        await #expect(throws: ServingError.self) { try await connection.write([1]) }
        #expect(connection.gone.isCancelled)
    }

    @Test("whoever waits is woken by a cancel") func cancelled() async throws {
        let client = ScriptedClient(limits: Self.limits)
        let connection = client.connection
        let reader = Task { try await connection.read() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await connection.write([UInt8](repeating: 1, count: 12))
        let writer = Task { try await connection.write([1]) }
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
        #expect(connection.queuedBytes == 12)
    }

    @Test("an end of the server ends the wait for a request, but not a request") func stopping() async throws {
        let idle = ScriptedClient().connection
        let reader = Task { try await idle.readIdle(atMost: .max) }
        idle.stopping.cancel()
        #expect(try await reader.value == nil)
        let busy = ScriptedClient()
        busy.connection.enter(.answering)
        busy.connection.stopping.cancel()
        busy.send("a")
        #expect(try await busy.connection.read() == Array("a".utf8))
    }
}
