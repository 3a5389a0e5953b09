/// Why a WebSocket connection must end, with the status that the other side is told (RFC 6455, 7.4.1).
public struct WebSocketFault: Error, Sendable, Equatable {
    public var status: UInt16
    public var reason: String

    public init(_ status: UInt16, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func protocolError(_ reason: String) -> WebSocketFault { WebSocketFault(1002, reason) }
}
