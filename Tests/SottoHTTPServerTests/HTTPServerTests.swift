import Foundation
import SottoHTTPServer
import SottoServing
import SottoStreams
import SottoSubprocess
import Synchronization
import Testing

@Suite struct HTTPServerTests {
    private static let parts = Route.read("/parts/:name") { request in .text(request.parameters["name"] ?? "") }

    @Test("requests on one connection are answered on that connection") func keepsAlive() async throws {
        try await TestServer.with(routes: [Self.parts]) { server in
            let result = try await server.client("requests", ["keep-alive"])
            #expect(result.list("statuses").count == 20)
            #expect(result.list("statuses").allSatisfy { "\($0)".contains("200") && "\($0)".contains("a b") })
            #expect(result.integer("sockets") == 1)
            #expect(server.server.statistics.accepted == 1)
        }
    }

    @Test("an upload arrives whole, piece by piece, and never waits in memory whole", arguments: ["chunked", "length"])
    func uploads(_ coding: String) async throws {
        let largest = Mutex(0)
        let routes: [Route] = [
            .change(.post, "/upload", body: BodyRule(maximumBytes: 64 << 20, contentTypes: ["application/octet-stream"])) { request in
                var hash = Hasher64()
                var count = 0
                for try await piece in request.body {
                    hash.add(piece)
                    count += piece.count
                    largest.withLock { $0 = max($0, piece.count) }
                }
                return .text("\(count) \(hash.value)")
            }
        ]
        try await TestServer.with(routes: routes) { server in
            let size = 8_000_003
            let result = try await server.client("requests", ["upload", String(size), coding])
            #expect(result.integer("status") == 200)
            var expected = Hasher64()
            expected.add((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            #expect(result.string("body") == "\(size) \(expected.value)")
            // The connection's buffer, one read of the loop, and what came with the head.
            #expect(largest.withLock { $0 } <= (64 + 16 + 4) << 10)
        }
    }

    @Test("a long answer arrives whole while it is made") func downloads() async throws {
        let routes: [Route] = [
            .read("/download/:count") { request in
                let count = Int(request.parameters["count"] ?? "") ?? 0
                return HTTPResponse(
                    body: .stream(
                        ProducedSequence { emit in for number in 0..<count { try await emit([UInt8](repeating: UInt8(number % 256), count: 10_000)) }
                        }))
            }
        ]
        try await TestServer.with(routes: routes) { server in
            let result = try await server.client("requests", ["download", "700"])
            #expect(result.integer("count") == 7_000_000)
            // python3 -c "import hashlib; print(hashlib.sha1(b''.join(bytes([n%256])*10000 for n in range(700))).hexdigest())"
            #expect(result.string("digest") == "64f0d2851ef0e356232bf935f73b39cab9829ef0")
        }
    }

    @Test("a WebSocket carries text and binary messages of every length form, in fragments too") func webSocket() async throws {
        let routes: [Route] = [
            .webSocket("/echo-socket") { _, session in while let message = try await session.next() { try await session.send(message) } }
        ]
        try await TestServer.with(routes: routes) { server in
            let result = try await server.client("websocket", ["echo"])
            #expect(result.isTrue("accepted"))
            #expect(result.isTrue("same"))
            #expect("\(result.list("frames"))".contains("between"))
            #expect("\(result.list("frames"))".contains("€!"))
            #expect(result.integers("close") == [1000])
        }
    }

    @Test("a client that comes back gets the events that it missed, over both ways, and hears of a restart") func replay() async throws {
        let routes: (EventLog) -> [Route] = { log in
            [
                .read("/events") { request in try EventFeed.serverSent(log, request) },
                .webSocket("/event-socket") { request, session in
                    try await EventFeed.stream(log, after: EventFeed.position(request.head), to: session)
                },
            ]
        }
        let log = EventLog(epoch: 10)
        for number in 1...30 { await log.publish("agent.progress", data: "{\"step\":\(number)}") }
        let last = try await TestServer.with(routes: routes(log)) { server in
            let result = try await server.client("requests", ["events", "20", "a-2"])
            #expect(result.list("events").compactMap { ($0 as? [String: String])?["data"] } == (3...22).map { "{\"step\":\($0)}" })
            let socket = try await server.client("websocket", ["events", "20", "a-2"])
            #expect(socket.list("events").compactMap { ($0 as? [String: Any])?["id"] as? String } == (3...22).map { "a-\($0)" })
            return result.string("last")
        }
        #expect(last == "a-22")
        let restarted = EventLog(epoch: 11)
        try await TestServer.with(routes: routes(restarted)) { server in
            let result = try await server.client("requests", ["events", "1", last])
            #expect(result.list("events").compactMap { ($0 as? [String: String])?["event"] } == ["reset"])
        }
    }

    @Test("a thousand slow connections do not keep a good client out", arguments: [100, 1_500])
    func crowd(_ connections: Int) async throws {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerAddress) = (connections, connections)
        // So that none of them ends by its own slowness.
        limits.headTime = .seconds(3_600)
        try await TestServer.with(limits: limits, routes: [Self.parts]) { server in
            let result = try await server.client("crowd", ["1000"])
            #expect(result.list("good").count == 20)
            #expect(result.list("good").allSatisfy { "\($0)".contains("200") && "\($0)".contains("good") })
            let statistics = server.server.statistics
            #expect(statistics.refused == 0)
            if connections < 1_000 {
                #expect(statistics.replaced >= 900 && result.integer("ended") >= 800)
            } else {
                #expect(statistics.replaced == 0 && result.integer("ended") == 0)
            }
        }
    }

    @Test("a client that never reads is given up, has cost little, and does not hold up others") func deaf() async throws {
        let made = Atomic<Int>(0)
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let routes: [Route] = [
            Self.parts,
            .read("/endless") { _ in
                HTTPResponse(
                    body: .stream(
                        ProducedSequence { emit in
                            defer { continuation.yield() }
                            while true {
                                try await emit([UInt8](repeating: 65, count: 10_000))
                                made.add(10_000, ordering: .relaxed)
                            }
                        }))
            },
        ]
        var limits = ServerLimits()
        limits.stallTime = .milliseconds(500)
        try await TestServer.with(limits: limits, routes: routes) { server in
            let client = try Coprocess(Subprocess.Request("python3", ["\(TestServer.clients)/deaf.py", String(server.port)]))
            var iterator = ended.makeAsyncIterator()
            await iterator.next()
            let good = try await server.client("requests", ["get", "/parts/good"])
            #expect(good.integer("status") == 200)
            // What the kernel holds for a connection on loopback is some MiB; ours is the bound of the queue.
            #expect(made.load(ordering: .relaxed) < 64 << 20)
            client.write([0x0A])
            var output: [UInt8] = []
            while output.contains(UInt8(ascii: "}")) == false { output += try await client.read() }
            let result = try JSONObject(Array(output.drop { $0 != UInt8(ascii: "{") }))
            #expect(result.integer("count") <= made.load(ordering: .relaxed) + 100_000)
        }
    }

    @Test("a stop lets the request in progress end, takes no new ones, and ends the live ones") func stopsGracefully() async throws {
        let gate = Gate()
        let entered = Gate()
        let socketOpen = Gate()
        let routes: [Route] = [
            Self.parts,
            .read("/slow") { _ in
                await entered.open()
                await gate.wait()
                return .text("finished")
            },
            .webSocket("/echo-socket") { _, session in
                await socketOpen.open()
                while let message = try await session.next() { try await session.send(message) }
            },
        ]
        let answers: (JSONObject, JSONObject) = try await TestServer.with(routes: routes) { server in
            async let slow = server.client("requests", ["get", "/slow"])
            async let live = server.client("websocket", ["wait"])
            await entered.wait()
            await socketOpen.wait()
            server.server.stop()
            let close = try await live
            // The WebSocket was told, so the stop has been carried out; the slow one still runs, and nobody new is let in.
            let refused = try await Subprocess.run(
                Subprocess.Request("python3", ["-c", "import socket; socket.create_connection(('127.0.0.1', \(server.port)))"]))
            #expect(refused.errorText.contains("ConnectionRefusedError"))
            await gate.open()
            return (try await slow, close)
        }
        #expect(answers.0.string("body") == "finished")
        #expect(answers.0.fields("headers")["connection"] == "close")
        #expect(answers.1.integers("close") == [1001])
    }

    @Test("a stop does not wait for ever") func stopsHard() async throws {
        let entered = Gate()
        let cancelled = Gate()
        var limits = ServerLimits()
        limits.drainTime = .milliseconds(10)
        let routes: [Route] = [
            .read("/for-ever") { _ in
                await entered.open()
                do { while true { try await Task.sleep(for: .seconds(3_600)) } } catch {
                    await cancelled.open()
                    throw error
                }
            }
        ]
        let socket = try ListeningSocket.loopback(port: 0)
        let port = socket.port
        try await TestServer.with(limits: limits, routes: routes, socket: socket) { server in
            async let client = Subprocess.run(
                Subprocess.Request("python3", ["\(TestServer.clients)/requests.py", String(port), "get", "/for-ever"]))
            await entered.wait()
            server.server.stop()
            await cancelled.wait()
            let status = try await client.status
            #expect(status != .exited(0))
        }
        // The port is free again at once.
        _ = try ListeningSocket.loopback(port: port)
    }

    @Test("cancelling the server's task stops it") func cancels() async throws {
        let socket = try ListeningSocket.loopback(port: 0)
        let policy = SecurityPolicy(
            hosts: SecurityPolicy.loopbackHosts(port: socket.port), key: Secret("k"), cookieName: "c", isSession: { _ in false })
        let server = HTTPServer(socket: socket, router: Router([Self.parts]), policy: policy)
        let task = Task { try await server.run() }
        task.cancel()
        try await task.value
    }

    @Test("a taken port is named with who holds it, and the next free one is an option") func takenPort() async throws {
        let holder = try Coprocess(Subprocess.Request("python3", ["\(TestServer.clients)/holder.py"]))
        defer { holder.kill() }
        let line = try await String(decoding: holder.read(), as: UTF8.self)
        let port = try #require(Int(line.prefix { $0.isNumber }))
        let error = #expect(throws: ServingError.self) { try ListeningSocket.loopback(port: port) }
        #expect(error?.code == .portTaken)
        #expect(error?.message.contains("port \(port) is taken by python") == true)
        #expect(error?.message.contains("(process ") == true)
        let next = try ListeningSocket.loopback(port: port, further: 20)
        #expect(next.port > port && next.port <= port + 20)
    }

    @Test("files of a folder are served, hidden ones and links out of it are not") func folder() async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-web-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root.appendingPathComponent("js"), withIntermediateDirectories: true)
        try Data("<p>app</p>".utf8).write(to: root.appendingPathComponent("index.html"))
        try Data("export {}".utf8).write(to: root.appendingPathComponent("js/app.js"))
        try Data("secret".utf8).write(to: root.appendingPathComponent(".hidden"))
        try FileManager.default.createSymbolicLink(
            at: root.appendingPathComponent("link.txt"), withDestinationURL: URL(fileURLWithPath: "/etc/passwd"))
        let files = try StaticFolder.read(root.path)
        #expect(files.paths == ["index.html", "js/app.js"])
        try await TestServer.with(routes: [files.route()]) { server in
            let page = try await server.client("requests", ["get", "/"])
            #expect(page.string("body") == "<p>app</p>")
            let script = try await server.client("requests", ["get", "/js/app.js"])
            #expect(script.fields("headers")["content-type"] == "text/javascript; charset=utf-8")
            let tag = script.fields("headers")["etag"] ?? ""
            let again = try await server.raw("GET /js/app.js HTTP/1.1\r\nHost: localhost:PORT\r\nIf-None-Match: \(tag)\r\nConnection: close\r\n\r\n")
            #expect(again.statuses == [304])
            #expect(again.text.hasSuffix("\r\n\r\n"))
        }
        #expect(throws: ServingError.self) { try StaticFolder.read(root.path + "/nothing") }
    }
}

/// FNV-1a, so that two sides can compare long bodies.
struct Hasher64 {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    mutating func add(_ bytes: [UInt8]) { for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 } }
}
