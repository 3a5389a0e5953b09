import SottoHTTPServer
import SottoServing
import SottoStreams
import SottoSubprocess
import Synchronization
import Testing

/// What is done for a client ends when it goes away, whatever it was that it asked for.
@Suite struct LeavingClientTests {
    private static func routes(_ log: EventLog, _ ended: AsyncStream<String>.Continuation, _ entered: Gate) -> [Route] {
        [
            .read("/stream") { _ in
                HTTPResponse(
                    body: .stream(
                        ProducedSequence { emit in
                            defer { ended.yield("stream") }
                            while true { try await emit([UInt8](repeating: 65, count: 10_000)) }
                        }))
            },
            .read("/sized") { request in
                let content = HTTPContent(type: "audio/wav", count: 1 << 40) { _ in
                    ProducedSequence { emit in
                        defer { ended.yield("sized") }
                        while true { try await emit([UInt8](repeating: 65, count: 10_000)) }
                    }
                }
                return .content(content, for: request.head)
            },
            .read("/events") { _ in
                HTTPResponse(
                    body: .live(
                        ProducedSequence { emit in
                            defer { ended.yield("events") }
                            try await emit(Array("retry: 1000\n\n".utf8))
                            for try await _ in log.items(after: nil) {}
                        }))
            },
            .read("/silent") { _ in
                defer { ended.yield("silent") }
                await entered.open()
                try await Task.sleep(for: .seconds(3_600))
                return .text("never")
            },
            .webSocket("/reading-socket") { _, session in
                defer { ended.yield("reading-socket") }
                while try await session.next() != nil {}
            },
            .webSocket("/writing-socket") { _, session in
                defer { ended.yield("writing-socket") }
                while true { try await session.send(.binary([UInt8](repeating: 65, count: 10_000))) }
            },
            .webSocket("/busy-socket") { _, _ in
                defer { ended.yield("busy-socket") }
                try await Task.sleep(for: .seconds(3_600))
            },
        ]
    }

    @Test(
        "a client that leaves ends", arguments: ["stream", "sized", "events", "silent", "reading-socket", "writing-socket", "busy-socket"],
        ["close", "reset"])
    func leaves(_ work: String, _ way: String) async throws {
        let (ended, continuation) = AsyncStream.makeStream(of: String.self)
        let entered = Gate()
        var limits = ServerLimits()
        // Nothing else may end it in the time of a test.
        (limits.stallTime, limits.idleTime, limits.pingInterval, limits.drainTime) = (
            .seconds(3_600), .seconds(3_600), .seconds(3_600), .seconds(3_600)
        )
        try await TestServer.with(limits: limits, routes: Self.routes(EventLog(epoch: 1), continuation, entered)) { server in
            let client = try Coprocess(Subprocess.Request("python3", ["\(TestServer.clients)/leaver.py", String(server.port), "/" + work, way]))
            defer { client.kill() }
            if work == "silent" {
                await entered.wait()
                client.write([0x0A])
            }
            var iterator = ended.makeAsyncIterator()
            #expect(await iterator.next() == work)
        }
    }
}
