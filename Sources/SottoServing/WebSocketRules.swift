/// What a WebSocket route grants a client.
public struct WebSocketRules: Sendable, Equatable {
    /// One message, all its fragments together, in bytes.
    public var maximumMessageBytes: Int
    /// Messages that wait for the handler; beyond it the client is not read from.
    public var waitingMessages: Int
    /// Kinds of message that are taken; another ends the connection with status 1003.
    public var takesText: Bool
    public var takesBinary: Bool

    public init(maximumMessageBytes: Int = 1 << 20, waitingMessages: Int = 8, takesText: Bool = true, takesBinary: Bool = true) {
        self.maximumMessageBytes = maximumMessageBytes
        self.waitingMessages = waitingMessages
        self.takesText = takesText
        self.takesBinary = takesBinary
    }
}
