/// The opening of a WebSocket (RFC 6455, 4.2).
enum WebSocketHandshake {
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Whether a request asks for a WebSocket, rightly or not.
    static func isAsked(_ head: RequestHead) -> Bool { head.headers.members("Upgrade").contains("websocket") }

    /// - Returns: The fields of the answer with status 101.
    /// - Throws: ``Problem`` 400 or 426.
    static func answer(_ head: RequestHead) throws(Problem) -> HTTPHeaders {
        guard isAsked(head), head.headers.members("Connection").contains("upgrade") else {
            throw Problem(
                426, "websocket-only", "this address speaks WebSocket only", headers: [.init("Upgrade", "websocket"), .init("Connection", "Upgrade")])
        }
        guard head.method == .get, head.minorVersion == 1 else { throw Problem(400, "bad-handshake", "a WebSocket opens with GET in HTTP/1.1") }
        guard head.headers.all("Sec-WebSocket-Version") == ["13"] else {
            throw Problem(426, "websocket-version", "this server speaks WebSocket version 13", headers: [.init("Sec-WebSocket-Version", "13")])
        }
        let keys = head.headers.all("Sec-WebSocket-Key")
        guard keys.count == 1, Base64.decodedCount(keys[0]) == 16 else {
            throw Problem(400, "bad-handshake", "Sec-WebSocket-Key is to be 16 bytes in base64")
        }
        return HTTPHeaders([
            .init("Upgrade", "websocket"), .init("Connection", "Upgrade"),
            .init("Sec-WebSocket-Accept", Base64.text(SHA1.digest(Array((keys[0] + suffix).utf8)))),
        ])
    }
}
