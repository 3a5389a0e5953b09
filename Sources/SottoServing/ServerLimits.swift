/// What a server grants one client and all of them. Sizes in bytes.
public struct ServerLimits: Sendable, Equatable {
    /// The request line and all header fields.
    public var headBytes = 16 << 10
    public var headerCount = 64
    /// Path and query.
    public var targetBytes = 4 << 10
    /// Connections at once. One more takes the place of the one that has waited longest without a request; when there is none, it is answered with
    /// 503.
    public var connections = 512
    /// Connections of one address at once. On loopback every client has the same address, so this is no use there below ``connections``.
    public var connectionsPerAddress = 512
    /// Requests of one address; a burst of twice as many is let through.
    public var requestsPerSecond = 200.0
    /// Between two requests on one connection, and before the first byte.
    public var idleTime = Duration.seconds(30)
    /// From the first byte of a head to its last.
    public var headTime = Duration.seconds(10)
    /// Between two pieces of a body.
    public var bodyIdleTime = Duration.seconds(20)
    /// A whole body, however it comes.
    public var bodyTime = Duration.seconds(600)
    /// How long a client may take nothing of what is ready for it.
    public var stallTime = Duration.seconds(30)
    /// How long a connection that was ended is listened to, so that the last answer arrives.
    public var lingerTime = Duration.seconds(2)
    /// How long requests in progress may go on once the server is told to stop.
    public var drainTime = Duration.seconds(10)
    /// Received and not yet read by a handler, for one connection; beyond it the client is not read from.
    public var inboundBytes = 64 << 10
    /// Waiting to be sent, for one connection; beyond it writers wait, and offers are refused.
    public var outboundBytes = 256 << 10
    /// The rest of a body nobody wanted is read and thrown away up to this size; beyond it the connection ends.
    public var discardedBodyBytes = 64 << 10
    /// Between two pings of a WebSocket connection; a client that has not answered the last one by then is given up.
    public var pingInterval = Duration.seconds(20)

    public init() {}
}
