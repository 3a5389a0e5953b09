import SottoHTTPServer
import SottoServing
import Testing

/// One attack over a real socket. The names say what is stopped.
struct Attack: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: String
    var statuses: [Int]

    init(_ stops: String, _ bytes: String, _ statuses: Int...) {
        testDescription = stops
        self.bytes = bytes
        self.statuses = statuses
    }
}

@Suite struct SecurityMatrixTests {
    private static let routes: [Route] =
        [
            .read("/open", access: .open) { _ in .text("open") },
            .read("/private") { _ in .text("private") },
            .change(.post, "/change", body: .json(maximumBytes: 100)) { request in
                _ = try await request.body.collect()
                return .text("changed")
            },
            .webSocket("/echo-socket", rules: WebSocketRules(maximumMessageBytes: 1 << 20)) { _, session in
                while let message = try await session.next() { try await session.send(message) }
            },
        ] + [StaticFiles(["index.html": Array("<p>app</p>".utf8)]).route()]

    private static let last = "Connection: close\r\n\r\n"
    private static let own = "Host: 127.0.0.1:PORT\r\n"
    private static let key = "Authorization: Bearer the-key\r\n"
    private static let cookie = "Cookie: sotto-PORT=living\r\n"
    private static let json = "Content-Type: application/json\r\nContent-Length: 2\r\n"
    private static let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    private static let next = "GET /open HTTP/1.1\r\n\(own)\(last)"

    static let attacks: [Attack] = [
        Attack("nothing: an ordinary request", "GET /open HTTP/1.1\r\n\(own)\(last)", 200),
        Attack("nothing: the app itself", "GET / HTTP/1.1\r\n\(own)\(last)", 200),
        Attack("nothing: a program with the key", "GET /private HTTP/1.1\r\n\(own)\(key)\(last)", 200),
        Attack(
            "nothing: the app's own change",
            "POST /change HTTP/1.1\r\n\(own)\(cookie)Origin: http://127.0.0.1:PORT\r\n\(json)Connection: close\r\n\r\n{}", 200),
        Attack("DNS rebinding", "GET /private HTTP/1.1\r\nHost: rebound.example:PORT\r\n\(cookie)\(last)", 403),
        Attack("DNS rebinding to the app's files", "GET / HTTP/1.1\r\nHost: rebound.example\r\n\(last)", 403),
        Attack("DNS rebinding with another port", "GET /private HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\(cookie)\(last)", 403),
        Attack("DNS rebinding by an absolute address", "GET http://rebound.example/private HTTP/1.1\r\n\(own)\(cookie)\(last)", 400),
        Attack("DNS rebinding by a second host", "GET /private HTTP/1.1\r\n\(own)Host: rebound.example\r\n\(cookie)\(last)", 400),
        Attack("a request for nobody", "GET /private HTTP/1.1\r\n\(cookie)\(last)", 400),
        Attack("reading by another origin", "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://evil.example\r\n\(last)", 403),
        Attack(
            "reading by a foreign image",
            "GET /private HTTP/1.1\r\n\(own)\(cookie)Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n\(last)", 403),
        Attack(
            "an origin look-alike with our name in front",
            "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://127.0.0.1:PORT.evil.example\r\n\(last)", 403),
        Attack(
            "an origin look-alike with our name behind",
            "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://evil.example:127.0.0.1:PORT\r\n\(last)", 403),
        Attack(
            "an origin look-alike with a user", "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://127.0.0.1:PORT@evil.example\r\n\(last)", 403),
        Attack("another program's page on the same machine", "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://127.0.0.1:3000\r\n\(last)", 403),
        Attack("another program's page without a port", "GET /private HTTP/1.1\r\n\(own)\(cookie)Origin: http://localhost\r\n\(last)", 403),
        Attack("a sandboxed page", "POST /change HTTP/1.1\r\n\(own)\(cookie)Origin: null\r\n\(json)Connection: close\r\n\r\n{}", 403),
        Attack(
            "CSRF by a form",
            "POST /change HTTP/1.1\r\n\(own)\(cookie)Origin: http://evil.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 3\r\nConnection: close\r\n\r\na=b",
            403),
        Attack("CSRF without an origin", "POST /change HTTP/1.1\r\n\(own)\(cookie)\(json)Connection: close\r\n\r\n{}", 403),
        Attack(
            "CSRF by a link",
            "GET /change HTTP/1.1\r\n\(own)\(cookie)Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\(last)",
            403),
        Attack("a change by GET", "GET /change HTTP/1.1\r\n\(own)\(key)\(last)", 405),
        Attack("a change by HEAD", "HEAD /change HTTP/1.1\r\n\(own)\(key)\(last)", 405),
        Attack("a preflight", "OPTIONS /change HTTP/1.1\r\n\(own)Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\(last)", 403),
        Attack("no proof", "GET /private HTTP/1.1\r\n\(own)\(last)", 401),
        Attack("a wrong key", "GET /private HTTP/1.1\r\n\(own)Authorization: Bearer the-kez\r\n\(last)", 401),
        Attack("a key in the address", "GET /private?key=the-key&access_token=the-key HTTP/1.1\r\n\(own)\(last)", 401),
        Attack("a forged cookie", "GET /private HTTP/1.1\r\n\(own)Cookie: sotto-PORT=guess\r\n\(last)", 401),
        Attack("a cookie tossed beside ours", "GET /private HTTP/1.1\r\n\(own)Cookie: sotto-PORT=guess; sotto-PORT=living\r\n\(last)", 401),
        Attack("cross-site WebSocket", "GET /echo-socket HTTP/1.1\r\n\(own)\(cookie)Origin: http://evil.example\r\n\(upgrade)\(next)", 403, 200),
        Attack(
            "cross-site WebSocket after DNS rebinding",
            "GET /echo-socket HTTP/1.1\r\nHost: evil.example:PORT\r\nOrigin: http://evil.example:PORT\r\n\(upgrade)\(next)", 403, 200),
        Attack("cross-site WebSocket without an origin", "GET /echo-socket HTTP/1.1\r\n\(own)\(cookie)\(upgrade)\(next)", 403, 200),
        Attack(
            "an oversize body",
            "POST /change HTTP/1.1\r\n\(own)\(key)Content-Type: application/json\r\nContent-Length: 101\r\nConnection: close\r\n\r\n", 413),
        Attack(
            "an oversize chunked body",
            "POST /change HTTP/1.1\r\n\(own)\(key)Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n"
                + "\(String(repeating: "a", count: 255))\r\n",
            413),
        Attack(
            "JSON by another name",
            "POST /change HTTP/1.1\r\n\(own)\(key)Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", 415),
        Attack("a header flood", "GET /open HTTP/1.1\r\n\(own)\(String(repeating: "A: b\r\n", count: 10_000))\r\n", 431),
        Attack("a huge header", "GET /open HTTP/1.1\r\n\(own)A: \(String(repeating: "a", count: 100_000))\r\n\r\n", 431),
        Attack("a huge address", "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\r\n", 414),
        Attack(
            "smuggling CL.CL", "POST /change HTTP/1.1\r\n\(own)\(key)Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}GET /private HTTP/1.1\r\n\r\n",
            400),
        Attack(
            "smuggling CL.TE",
            "POST /change HTTP/1.1\r\n\(own)\(key)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /private HTTP/1.1\r\n"
                + "\r\n", 400),
        Attack(
            "smuggling TE.TE",
            "POST /change HTTP/1.1\r\n\(own)\(key)Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\nGET /private HTTP/1.1\r\n\r\n",
            400),
        Attack("smuggling by an obscured coding", "POST /change HTTP/1.1\r\n\(own)\(key)Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
        Attack("smuggling by a folded field", "POST /change HTTP/1.1\r\n\(own)\(key)Content-Length:\r\n 2\r\n\r\n{}", 400),
        Attack("smuggling by line feeds", "GET /open HTTP/1.1\n\(own)\n", 400),
        Attack("smuggling by a bare carriage return", "GET /open HTTP/1.1\r\n\(own)A: b\rB: c\r\n\r\n", 400),
        Attack(
            "smuggling by a chunk's size",
            "POST /change HTTP/1.1\r\n\(own)\(key)Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", 400),
        Attack("an upgrade to HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Attack("HTTP/0.9", "GET /open\r\n\r\n", 400),
        Attack("a proxy's tunnel", "CONNECT internal.example:22 HTTP/1.1\r\n\(own)\r\n", 501),
        Attack("TRACE", "TRACE /open HTTP/1.1\r\n\(own)\r\n", 501),
        Attack("traversal", "GET /../../etc/passwd HTTP/1.1\r\n\(own)\r\n", 400),
        Attack("traversal in escapes", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("traversal by an escaped slash", "GET /..%2f..%2fetc%2fpasswd HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("traversal by a backslash", "GET /..\\..\\etc\\passwd HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("traversal by an absolute path", "GET //etc/passwd HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("traversal by overlong UTF-8", "GET /%c0%ae%c0%ae/etc/passwd HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("a NUL in the path", "GET /index.html%00.js HTTP/1.1\r\n\(own)\(last)", 400),
        Attack("a file that is not the app's", "GET /etc/passwd HTTP/1.1\r\n\(own)\(last)", 404),
        Attack("TLS on a plain port", "\u{16}\u{3}\u{1}\u{0}\u{5}hello", 400),
    ]

    @Test("stops", arguments: attacks) func stops(_ attack: Attack) async throws {
        try await TestServer.with(routes: Self.routes) { server in
            let result = try await server.raw(attack.bytes)
            #expect(result.statuses == attack.statuses)
            #expect(result.text.contains("<reset>") == false, "the answer arrives")
            #expect(result.text.contains("root:") == false)
            #expect(result.text.lowercased().contains("access-control-") == false)
        }
    }

    @Test(
        "stops the same when every byte comes alone",
        arguments: attacks.filter { $0.bytes.utf8.count < 400 && $0.testDescription.contains("smuggling") })
    func stopsBytewise(_ attack: Attack) async throws {
        try await TestServer.with(routes: Self.routes) { server in
            let result = try await server.raw(attack.bytes, bytewise: true)
            #expect(result.statuses == attack.statuses)
        }
    }

    struct Frames: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var close: Int
    }

    @Test(
        "malformed frames end the WebSocket with the status that says why",
        arguments: [
            Frames(testDescription: "a frame without a mask", bytes: [0x81, 0x01, 0x41], close: 1002),
            Frames(testDescription: "a reserved bit", bytes: [0xC1, 0x80, 0, 0, 0, 0], close: 1002),
            Frames(testDescription: "an unknown kind", bytes: [0x83, 0x80, 0, 0, 0, 0], close: 1002),
            Frames(testDescription: "a fragmented ping", bytes: [0x09, 0x80, 0, 0, 0, 0], close: 1002),
            Frames(testDescription: "an oversize ping", bytes: [0x89, 0xFE, 0, 126], close: 1002),
            Frames(testDescription: "a continuation of nothing", bytes: [0x80, 0x80, 0, 0, 0, 0], close: 1002),
            Frames(testDescription: "a length in too many bytes", bytes: [0x82, 0xFE, 0, 1], close: 1002),
            Frames(testDescription: "an oversize frame", bytes: [0x82, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0], close: 1009),
            Frames(testDescription: "a frame of 2^63 bytes", bytes: [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], close: 1002),
            Frames(testDescription: "text that is no UTF-8", bytes: [0x81, 0x81, 0, 0, 0, 0, 0xFF], close: 1007),
            Frames(testDescription: "a close status that is never sent", bytes: [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], close: 1002),
            Frames(testDescription: "a half close status", bytes: [0x88, 0x81, 0, 0, 0, 0, 0x03], close: 1002),
            Frames(testDescription: "nothing: an orderly close", bytes: [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE9], close: 1001),
        ])
    func frames(_ frames: Frames) async throws {
        try await TestServer.with(routes: Self.routes) { server in
            let close = try await server.client("websocket", ["raw"], input: frames.bytes).integers("close")
            #expect(close == [frames.close])
        }
    }

    @Test(
        "a WebSocket opens for the app's own page and for programs only",
        arguments: [
            (#"{}"#, 101), (#"{"Authorization": null}"#, 401), (#"{"Origin": "http://evil.example"}"#, 403), (#"{"Origin": "null"}"#, 403),
            (#"{"Host": "evil.example"}"#, 403),
            (#"{"Sec-WebSocket-Version": "12"}"#, 426), (#"{"Sec-WebSocket-Key": "short"}"#, 400), (#"{"Upgrade": null}"#, 426),
            (#"{"Sec-Fetch-Site": "cross-site"}"#, 403),
        ])
    func handshakes(_ headers: String, _ status: Int) async throws {
        try await TestServer.with(routes: Self.routes) { server in
            let answer = try await server.client("websocket", ["handshake", headers])
            #expect(answer.integer("status") == status)
        }
    }
}
