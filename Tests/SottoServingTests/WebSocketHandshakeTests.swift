@testable import SottoServing
import Testing

@Suite struct WebSocketHandshakeTests {
    private static let good = [
        ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    private static func answer(_ fields: [(String, String)], method: HTTPMethod = .get, minorVersion: Int = 1) throws -> HTTPHeaders {
        try WebSocketHandshake.answer(
            RequestHead(
                method: method, target: try RequestTarget("/live"), minorVersion: minorVersion, headers: HTTPHeaders(fields.map { .init($0.0, $0.1) })
            ))
    }

    @Test("the example of RFC 6455, 1.3") func example() throws {
        #expect(try Self.answer(Self.good)["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        "a broken handshake is refused",
        arguments: [
            ("Upgrade", nil, 426), ("Upgrade", "h2c", 426), ("Connection", nil, 426), ("Connection", "close", 426),
            ("Sec-WebSocket-Version", nil, 426),
            ("Sec-WebSocket-Version", "8", 426), ("Sec-WebSocket-Version", "13, 8", 426), ("Sec-WebSocket-Key", nil, 400),
            ("Sec-WebSocket-Key", "", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZQ==", 400), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZSE!", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ", 400),
        ] as [(String, String?, Int)])
    func refuses(_ name: String, _ value: String?, _ status: Int) {
        let fields = Self.good.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
        let problem = #expect(throws: Problem.self) { try Self.answer(fields) }
        #expect(problem?.status == status)
    }

    @Test("two keys, another method and HTTP/1.0 are refused") func refusesOthers() {
        #expect(throws: Problem.self) { try Self.answer(Self.good + [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]) }
        #expect(throws: Problem.self) { try Self.answer(Self.good, method: .post) }
        #expect(throws: Problem.self) { try Self.answer(Self.good, minorVersion: 0) }
    }
}
