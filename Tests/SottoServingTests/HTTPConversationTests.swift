@testable import SottoServing
import Foundation
import SottoStreams
import SottoTestSupport
import Synchronization
import Testing

@Suite struct HTTPConversationTests {
    struct Unforeseen: Error {}

    static let routes: [Route] = [
        .read("/", access: .open) { _ in .text("hello") },
        .read("/who") { request in .text("\(request.identity)") },
        .read("/parts/:name", access: .open) { request in .text(request.parameters["name"] ?? "") },
        .change(.post, "/echo", body: BodyRule(maximumBytes: 20, contentTypes: ["text/plain"])) { request in
            HTTPResponse(body: .whole(try await request.body.collect()))
        },
        .change(.post, "/ignore", body: BodyRule(maximumBytes: 1 << 30, contentTypes: ["text/plain"])) { _ in .text("ignored") },
        .change(.post, "/json", body: .json()) { request in .text("\(try await request.json([String: Int].self))") },
        .change(.delete, "/thing") { _ in HTTPResponse(status: 204) },
        .read("/stream", access: .open) { _ in
            HTTPResponse(
                body: .stream(
                    ProducedSequence { emit in
                        try await emit(Array("one".utf8))
                        try await emit([])
                        try await emit(Array("three".utf8))
                    }))
        },
        .read("/broken-stream", access: .open) { _ in
            HTTPResponse(
                body: .stream(
                    ProducedSequence { emit in
                        try await emit(Array("one".utf8))
                        throw Unforeseen()
                    }))
        },
        .read("/fails", access: .open) { _ in throw Unforeseen() },
        .read("/splits", access: .open) { _ in HTTPResponse(headers: HTTPHeaders([.init("X-Name", "a\r\nSet-Cookie: b=c")])) },
        .read("/conflict", access: .open) { _ in throw Problem(409, "conflict", "try the other one") },
        .webSocket("/live") { _, session in
            while let message = try await session.next() { try await session.send(message) }
        },
    ]

    static func conversation(
        admit: @escaping @Sendable (String) -> Duration? = { _ in nil }, clock: any Clock<Duration> = ContinuousClock(), routes: [Route] = routes,
        report: @escaping HTTPConversation.Report = { _, _ in }
    ) -> HTTPConversation {
        HTTPConversation(router: Router(routes), policy: SecurityPolicyTests.policy, clock: clock, now: { 784_111_777 }, admit: admit, report: report)
    }

    static let own = "Host: localhost:7780\r\n"
    static let key = "Host: localhost:7780\r\nAuthorization: Bearer the-key\r\n"

    /// Sends everything at once and ends; what came back.
    static func exchange(_ text: String, _ conversation: HTTPConversation = conversation()) async -> String {
        let client = ScriptedClient()
        client.send(text)
        client.connection.inputEnded()
        async let done: Void = conversation.run(client.connection)
        let output = await client.output()
        await done
        return output
    }

    static func statuses(_ output: String) -> [Int] { output.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) } }

    @Test("an answer is whole and carries what keeps the app to itself") func plain() async {
        let output = await Self.exchange("GET / HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(output.hasSuffix("\r\n\r\nhello"))
        for field in [
            "Content-Length: 5", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'",
        ] {
            #expect(output.contains("\r\n\(field)"))
        }
        #expect(output.contains("Connection: close") == false)
    }

    @Test("several requests on one connection are answered in order, with and without bodies") func pipelines() async {
        let output = await Self.exchange(
            "GET /parts/a HTTP/1.1\r\n\(Self.own)\r\nPOST /echo HTTP/1.1\r\n\(Self.key)Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nxyz"
                + "POST /echo HTTP/1.1\r\n\(Self.key)Content-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n"
                + "uv\r\n1\r\nw\r\n0\r\n\r\n"
                + "DELETE /thing HTTP/1.1\r\n\(Self.key)\r\nHEAD / HTTP/1.1\r\n\(Self.own)\r\nGET /parts/last HTTP/1.1\r\n"
                + "\(Self.own)Connection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n"
        )
        #expect(Self.statuses(output) == [200, 200, 200, 204, 200, 200])
        #expect(output.contains("\r\n\r\naHTTP/1.1") && output.contains("\r\n\r\nxyzHTTP/1.1") && output.contains("\r\n\r\nuvwHTTP/1.1"))
        #expect(output.contains("Connection: close") && output.hasSuffix("\r\n\r\nlast"))
    }

    @Test("a request that comes byte by byte is answered") func trickles() async {
        let client = ScriptedClient()
        async let done: Void = Self.conversation().run(client.connection)
        for byte in "POST /echo HTTP/1.1\r\n\(Self.key)Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nxyz".utf8 {
            _ = client.connection.receive([byte])
        }
        let output = await client.output { $0.hasSuffix("xyz") }
        #expect(Self.statuses(output) == [200])
        client.connection.inputEnded()
        await done
    }

    @Test("a stream is chunked, and ends the connection for HTTP/1.0") func streams() async {
        let modern = await Self.exchange("GET /stream HTTP/1.1\r\n\(Self.own)\r\nGET / HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(modern.contains("\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\nHTTP/1.1 200 OK"))
        let old = await Self.exchange("GET /stream HTTP/1.0\r\n\(Self.own)\r\n")
        #expect(old.hasSuffix("\r\n\r\nonethree"))
        #expect(old.contains("Transfer-Encoding") == false && old.contains("Connection: close"))
        let head = await Self.exchange("HEAD /stream HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.components(separatedBy: "\r\n\r\n").last == "")
    }

    @Test("a stream that breaks does not look whole") func brokenStream() async {
        let output = await Self.exchange("GET /broken-stream HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(output.hasSuffix("<aborted>"))
        #expect(output.contains("0\r\n\r\n") == false)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: String
        var status: Int
        var code: String
    }

    @Test(
        "what is not allowed is refused with what to do",
        arguments: [
            Refusal(testDescription: "no host", request: "GET / HTTP/1.1\r\n\r\n", status: 400, code: "bad-host"),
            Refusal(
                testDescription: "DNS rebinding on an open page", request: "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", status: 403,
                code: "unknown-host"),
            Refusal(
                testDescription: "DNS rebinding with the key",
                request: "GET /who HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer the-key\r\n\r\n", status: 403, code: "unknown-host"),
            Refusal(testDescription: "no proof", request: "GET /who HTTP/1.1\r\n\(own)\r\n", status: 401, code: "not-identified"),
            Refusal(
                testDescription: "an unknown path shows nothing without a proof", request: "GET /nothing HTTP/1.1\r\n\(own)\r\n", status: 401,
                code: "not-identified"),
            Refusal(testDescription: "an unknown path", request: "GET /nothing HTTP/1.1\r\n\(key)\r\n", status: 404, code: "not-found"),
            Refusal(
                testDescription: "a method that is not there", request: "PUT /who HTTP/1.1\r\n\(key)\r\n", status: 405, code: "method-not-allowed"),
            Refusal(
                testDescription: "a preflight of another origin",
                request: "OPTIONS /echo HTTP/1.1\r\n\(own)Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n", status: 403,
                code: "foreign-origin"),
            Refusal(testDescription: "a state change by GET", request: "GET /echo HTTP/1.1\r\n\(key)\r\n", status: 405, code: "method-not-allowed"),
            Refusal(
                testDescription: "a state change by GET that names another method",
                request: "GET /thing?_method=DELETE HTTP/1.1\r\n\(key)X-HTTP-Method-Override: DELETE\r\n\r\n", status: 405, code: "method-not-allowed"
            ),
            Refusal(
                testDescription: "CSRF by a form",
                request:
                    "POST /json HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nOrigin: http://evil.example\r\nContent-Type: text/plain\r\n"
                        + "Content-Length: 2\r\n\r\n{}",
                status: 403, code: "foreign-origin"),
            Refusal(
                testDescription: "CSRF without an origin",
                request: "POST /json HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                status: 403, code: "no-origin"),
            Refusal(
                testDescription: "CSRF from a sandbox", request: "DELETE /thing HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nOrigin: null\r\n\r\n",
                status: 403, code: "foreign-origin"),
            Refusal(
                testDescription: "CSRF by a no-cors fetch",
                request: "DELETE /thing HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n\r\n",
                status: 403, code: "foreign-origin"),
            Refusal(
                testDescription: "JSON that says it is text",
                request: "POST /json HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", status: 415,
                code: "wrong-content-type"),
            Refusal(
                testDescription: "JSON that says nothing", request: "POST /json HTTP/1.1\r\n\(key)Content-Length: 2\r\n\r\n{}", status: 415,
                code: "wrong-content-type"),
            Refusal(
                testDescription: "two content types",
                request: "POST /json HTTP/1.1\r\n\(key)Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
                status: 415, code: "wrong-content-type"),
            Refusal(
                testDescription: "a form that looks like JSON",
                request: "POST /json HTTP/1.1\r\n\(key)Content-Type: multipart/form-data; application/json\r\nContent-Length: 2\r\n\r\n{}",
                status: 415, code: "wrong-content-type"),
            Refusal(
                testDescription: "a decompression bomb",
                request: "POST /json HTTP/1.1\r\n\(key)Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
                status: 415, code: "compressed-body"),
            Refusal(
                testDescription: "broken JSON", request: "POST /json HTTP/1.1\r\n\(key)Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
                status: 400, code: "bad-json"),
            Refusal(
                testDescription: "JSON of another shape",
                request: "POST /json HTTP/1.1\r\n\(key)Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}", status: 400,
                code: "bad-json"),
            Refusal(
                testDescription: "a body that says it is too large",
                request: "POST /echo HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 21\r\n\r\n", status: 413, code: "body-too-large"),
            Refusal(
                testDescription: "a body that says it is endless",
                request: "POST /echo HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 9223372036854775807\r\n\r\n", status: 413,
                code: "body-too-large"),
            Refusal(
                testDescription: "a chunked body that grows too large",
                request:
                    "POST /echo HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n"
                        + "10\r\n0123456789abcdef\r\n0\r\n\r\n",
                status: 413, code: "body-too-large"),
            Refusal(
                testDescription: "a broken chunk",
                request: "POST /echo HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", status: 400,
                code: "bad-chunk"),
            Refusal(
                testDescription: "a body that ends too early",
                request: "POST /echo HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nabc", status: 400, code: "body-cut-off"),
            Refusal(
                testDescription: "a body for GET", request: "GET /who HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nabcde",
                status: 413, code: "no-body-expected"),
            Refusal(
                testDescription: "a body for DELETE", request: "DELETE /thing HTTP/1.1\r\n\(key)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                status: 413, code: "no-body-expected"),
            Refusal(
                testDescription: "an unknown expectation",
                request: "POST /echo HTTP/1.1\r\n\(key)Expect: a-miracle\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\na", status: 417,
                code: "unknown-expectation"),
            Refusal(
                testDescription: "smuggling by two lengths", request: "POST /echo HTTP/1.1\r\n\(key)Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                status: 400, code: "ambiguous-body"),
            Refusal(
                testDescription: "smuggling by length and coding",
                request: "POST /echo HTTP/1.1\r\n\(key)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", status: 400, code: "ambiguous-body"),
            Refusal(testDescription: "a refusal by a handler", request: "GET /conflict HTTP/1.1\r\n\(own)\r\n", status: 409, code: "conflict"),
            Refusal(testDescription: "a handler that fails", request: "GET /fails HTTP/1.1\r\n\(own)\r\n", status: 500, code: "server-error"),
            Refusal(
                testDescription: "a handler that splits its answer",
                request: "GET /splits HTTP/1.1\r\n\(own)\r\n", status: 500, code: "server-error"),
            Refusal(
                testDescription: "a WebSocket address asked for plainly", request: "GET /live HTTP/1.1\r\n\(key)\r\n", status: 426,
                code: "websocket-only"),
            Refusal(
                testDescription: "a WebSocket where there is none",
                request: "GET /who HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", status: 403,
                code: "no-origin"),
            Refusal(
                testDescription: "cross-site WebSocket",
                request:
                    "GET /live HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nOrigin: http://evil.example\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                status: 403, code: "foreign-origin"),
            Refusal(
                testDescription: "cross-site WebSocket without an origin",
                request:
                    "GET /live HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                status: 403, code: "no-origin"),
            Refusal(
                testDescription: "a WebSocket without a proof",
                request:
                    "GET /live HTTP/1.1\r\n\(own)Origin: http://localhost:7780\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                status: 401, code: "not-identified"),
        ])
    func refuses(_ refusal: Refusal) async {
        let output = await Self.exchange(refusal.request)
        #expect(Self.statuses(output).first == refusal.status)
        #expect(output.contains("Content-Type: application/problem+json"))
        #expect(output.contains("\"code\":\"\(refusal.code)\""))
        #expect(output.contains("Access-Control-") == false)
    }

    @Test("an unforeseen failure is reported, and the client is not told what it was") func reports() async {
        let reported = Mutex<[String]>([])
        let output = await Self.exchange(
            "GET /fails?secret=1 HTTP/1.1\r\n\(Self.own)\r\n",
            Self.conversation(report: { target, error in reported.withLock { $0.append("\(target): \(error)") } }))
        #expect(reported.withLock { $0 } == ["GET /fails: Unforeseen()"])
        #expect(output.contains("Unforeseen") == false)
    }

    @Test(
        "a refused request's body is not taken for the next request",
        arguments: [
            "POST /json HTTP/1.1\r\n\(own)Content-Type: application/json\r\nContent-Length: 41\r\n\r\nGET /parts/smuggled HTTP/1.1\r\n"
                + "Host: x\r\n\r\n",
            "POST /ignore HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nContent-Length: 41\r\n\r\nGET /parts/smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /ignore HTTP/1.1\r\n\(key)Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n29\r\n"
                + "GET /parts/smuggled HTTP/1.1\r\nHost: x\r\n\r\n\r\n0\r\n\r\n",
        ])
    func leftovers(_ request: String) async {
        let output = await Self.exchange(request + "GET /parts/next HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(Self.statuses(output).count == 2)
        #expect(output.contains("smuggled") == false)
        #expect(output.hasSuffix("\r\n\r\nnext"))
    }

    @Test("after a head that cannot be read, nothing more is") func malformedEnds() async {
        let output = await Self.exchange("GET / HTTP/1.1\r\nA : b\r\n\r\nGET / HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(Self.statuses(output) == [400])
        #expect(output.contains("Connection: close"))
    }

    @Test("a large body nobody wants ends the connection instead of being read") func unwantedBody() async {
        let output = await Self.exchange(
            "POST /ignore HTTP/1.1\r\n\(Self.key)Content-Type: text/plain\r\nContent-Length: 100000000\r\n\r\nGET / HTTP/1.1\r\n\(Self.own)\r\n")
        #expect(Self.statuses(output) == [200])
        #expect(output.contains("Connection: close"))
    }

    @Test("a client that asks whether to send its body is told when it is wanted") func expects() async {
        let client = ScriptedClient()
        async let done: Void = Self.conversation().run(client.connection)
        client.send("POST /echo HTTP/1.1\r\n\(Self.key)Expect: 100-continue\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n")
        let first = await client.output { $0.hasSuffix("\r\n\r\n") }
        #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("xyz")
        #expect(await Self.statuses(client.output { $0.hasSuffix("xyz") }) == [200])
        client.connection.inputEnded()
        await done
    }

    @Test("and is told nothing when it is not wanted") func expectsInVain() async {
        let output = await Self.exchange(
            "POST /echo HTTP/1.1\r\n\(Self.key)Expect: 100-continue\r\nContent-Type: text/plain\r\nContent-Length: 300\r\n\r\n")
        #expect(Self.statuses(output) == [413])
    }

    @Test("too many requests are told when to come again") func tooMany() async {
        let output = await Self.exchange("GET / HTTP/1.1\r\n\(Self.own)\r\n", Self.conversation(admit: { _ in .milliseconds(1_200) }))
        #expect(Self.statuses(output) == [429])
        #expect(output.contains("Retry-After: 2\r\n"))
    }

    @Test("a slow head is answered and ended; silence is just ended") func slowHead() async {
        let clock = ManualClock()
        let slow = ScriptedClient(clock: clock)
        slow.send("GET / HT")
        async let first: Void = Self.conversation().run(slow.connection)
        await clock.sleeper(dueBy: .seconds(10))
        clock.advance(by: .seconds(10))
        let output = await slow.output()
        await first
        #expect(Self.statuses(output) == [408])
        let silent = ScriptedClient(clock: clock)
        async let second: Void = Self.conversation().run(silent.connection)
        await clock.sleeper(dueBy: .seconds(40))
        clock.advance(by: .seconds(30))
        #expect(await silent.output().isEmpty)
        await second
    }

    @Test("a head that comes drop by drop is ended all the same") func drippingHead() async {
        let clock = ManualClock()
        let client = ScriptedClient(clock: clock)
        client.send("GET / HTTP/1.1\r\n")
        async let done: Void = Self.conversation().run(client.connection)
        for _ in 1...10 {
            await clock.sleeper(dueBy: .seconds(10))
            client.send("A: b\r\n")
            clock.advance(by: .seconds(1))
        }
        #expect(await Self.statuses(client.output()) == [408])
        await done
    }

    @Test("a slow body is answered and ended") func slowBody() async {
        let clock = ManualClock()
        let client = ScriptedClient(clock: clock)
        client.send("POST /waits HTTP/1.1\r\n\(Self.key)Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nx")
        let (began, continuation) = AsyncStream.makeStream(of: Void.self)
        let routes: [Route] = [
            .change(.post, "/waits", body: BodyRule(maximumBytes: 20, contentTypes: ["text/plain"])) { request in
                continuation.yield()
                return HTTPResponse(body: .whole(try await request.body.collect()))
            }
        ]
        async let done: Void = Self.conversation(routes: routes).run(client.connection)
        // The head's own time limit, which is shorter, is over with then.
        var iterator = began.makeAsyncIterator()
        await iterator.next()
        await clock.sleeper(dueBy: .seconds(20))
        clock.advance(by: .seconds(20))
        let output = await client.output()
        await done
        #expect(Self.statuses(output) == [408])
        #expect(output.contains("body-too-slow"))
    }

    @Test("a client that goes away cancels what is done for it") func goneCancels() async {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Bool.self)
        let clock = ManualClock()
        let routes: [Route] = [
            .read("/long", access: .open) { _ in
                do { try await clock.sleep(for: .seconds(1_000)) } catch {
                    continuation.yield(true)
                    throw error
                }
                return .text("done")
            }
        ]
        let client = ScriptedClient()
        client.send("GET /long HTTP/1.1\r\n\(Self.own)\r\n")
        let task = Task { await Self.conversation(routes: routes).run(client.connection) }
        client.connection.gone.onCancel { task.cancel() }
        await clock.sleepers(atLeast: 1)
        client.connection.lost()
        var iterator = cancelled.makeAsyncIterator()
        #expect(await iterator.next() == true)
        await task.value
    }

    @Test("a client that does not read holds up its stream, and only so much is made") func streamBackpressure() async {
        let made = Atomic<Int>(0)
        let routes: [Route] = [
            .read("/endless", access: .open) { _ in
                HTTPResponse(
                    body: .stream(
                        ProducedSequence { emit in
                            while true {
                                made.add(1, ordering: .relaxed)
                                try await emit([UInt8](repeating: 65, count: 1_000))
                            }
                        }))
            }
        ]
        var limits = ServerLimits()
        limits.outboundBytes = 10_000
        let clock = ManualClock()
        let client = ScriptedClient(limits: limits, clock: clock)
        client.send("GET /endless HTTP/1.1\r\n\(Self.own)\r\n")
        let task = Task { await Self.conversation(routes: routes).run(client.connection) }
        client.connection.gone.onCancel { task.cancel() }
        while true {
            let seen = client.relay.all.count
            if client.connection.queuedBytes >= limits.outboundBytes { break }
            await client.relay.next(after: seen)
        }
        // The writer that waits for room sleeps towards its stall time.
        await clock.sleeper(dueBy: .seconds(30))
        #expect(client.connection.queuedBytes < 12_000)
        #expect(made.load(ordering: .relaxed) < 15)
        clock.advance(by: .seconds(30))
        await task.value
        #expect(client.relay.all.contains(.abort))
        #expect(client.connection.queuedBytes == 0)
    }

    private static let handshake =
        "GET /live HTTP/1.1\r\n\(own)Cookie: sotto-7780=living\r\nOrigin: http://localhost:7780\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    @Test("a WebSocket echoes, answers pings and closes; bytes right behind the handshake count") func webSocket() async {
        let client = ScriptedClient()
        _ = client.connection.receive(Array(Self.handshake.utf8) + clientFrame(0x81, Array("hi".utf8)) + clientFrame(0x89, Array("p".utf8)))
        async let done: Void = Self.conversation().run(client.connection)
        let output = await client.output { $0.contains("\u{2}hi") && $0.contains("\u{1}p") }
        #expect(output.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(output.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        _ = client.connection.receive(clientFrame(0x88, [0x03, 0xE8]))
        let end = await client.output()
        #expect(Array(end.utf8).suffix(2) == [0x03, 0xE8] || end.unicodeScalars.contains("\u{3}"))
        client.connection.inputEnded()
        client.connection.lost()
        await done
    }

    @Test("a WebSocket is told when the server stops") func webSocketStops() async {
        let client = ScriptedClient()
        client.send(Self.handshake)
        async let done: Void = Self.conversation().run(client.connection)
        _ = await client.output { $0.hasSuffix("\r\n\r\n") }
        client.connection.stopping.cancel()
        #expect(await client.output().contains("the server stops; connect again"))
        client.connection.lost()
        await done
    }

    @Test("a WebSocket client that answers no ping is given up") func webSocketSilence() async {
        let clock = ManualClock()
        let client = ScriptedClient(clock: clock)
        client.send(Self.handshake)
        async let done: Void = Self.conversation(clock: clock).run(client.connection)
        _ = await client.output { $0.hasSuffix("\r\n\r\n") }
        for round in 1...3 {
            await clock.sleeper(dueBy: .seconds(20 * round))
            clock.advance(by: .seconds(20))
        }
        #expect(await client.output().hasSuffix("<aborted>"))
        await done
    }

    @Test("live events come over server-sent events from the last id on, and end when the server stops") func serverSentEvents() async {
        let log = EventLog(epoch: 7)
        for number in 1...3 { await log.publish("e", data: "\(number)") }
        let routes: [Route] = [.read("/events", access: .open) { request in try EventFeed.serverSent(log, request) }]
        let client = ScriptedClient()
        client.send("GET /events HTTP/1.1\r\n\(Self.own)Last-Event-ID: 7-1\r\n\r\n")
        async let done: Void = Self.conversation(routes: routes).run(client.connection)
        let output = await client.output { $0.contains("data: 3") }
        #expect(output.contains("Content-Type: text/event-stream"))
        #expect(output.contains("data: 1\n") == false && output.contains("id: 7-2\nevent: e\ndata: 2\n\n"))
        client.connection.stopping.cancel()
        #expect(await client.output().hasSuffix("0\r\n\r\n"))
        await done
        let bad = await Self.exchange("GET /events HTTP/1.1\r\n\(Self.own)Last-Event-ID: x\r\n\r\n", Self.conversation(routes: routes))
        #expect(Self.statuses(bad) == [400])
    }
}
