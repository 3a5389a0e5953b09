import SottoStreams
import Synchronization

/// An open WebSocket, as its handler sees it.
///
/// Pings are answered and sent by the session. **Overload**: what waits to be sent is bounded by ``ServerLimits/outboundBytes``. ``send(_:)`` waits
/// for room and gives the client up when it takes nothing for ``ServerLimits/stallTime``; ``offer(_:)`` never waits and says `false`, for sound that
/// is worth nothing later. A client that is ahead of the handler is not read from once ``WebSocketRules/waitingMessages`` wait.
public final class WebSocketSession: Sendable {
    private struct State {
        var isCloseSent = false
        var unansweredPings = 0
    }

    private let connection: Connection
    private let rules: WebSocketRules
    private let clock: any Clock<Duration>
    private let incoming: Channel<WebSocketMessage>
    private let state = Mutex(State())

    init(connection: Connection, rules: WebSocketRules, clock: any Clock<Duration>) {
        self.connection = connection
        self.rules = rules
        self.clock = clock
        incoming = Channel(capacity: rules.waitingMessages)
    }

    /// The next message; `nil` once the client has closed, or gone. One task at a time.
    ///
    /// - Throws: `CancellationError`, and ``WebSocketFault`` when the client broke the rules.
    public func next() async throws -> WebSocketMessage? { try await incoming.next() }

    /// Sends a message, waiting for room.
    ///
    /// - Throws: ``ServingError`` `.disconnected` or `.timedOut`, and `CancellationError`.
    public func send(_ message: WebSocketMessage) async throws {
        try checkOpen()
        try await connection.write(WebSocketFrame.message(message))
    }

    /// Sends a message if there is room for it now.
    ///
    /// - Returns: Whether it was taken.
    /// - Throws: ``ServingError`` `.disconnected`.
    public func offer(_ message: WebSocketMessage) throws -> Bool {
        try checkOpen()
        return try connection.offer(WebSocketFrame.message(message))
    }

    /// Bytes that wait to be sent: how far behind the client is.
    public var queuedBytes: Int { connection.queuedBytes }

    /// Tells the client that this is the end. Later calls do nothing.
    ///
    /// - Parameters:
    ///   - status: 1000…1014 or 3000…4999.
    ///   - reason: At most 123 bytes; what is longer is cut.
    public func close(_ status: UInt16 = 1000, _ reason: String = "") async {
        let isFirst = state.withLock { state in
            defer { state.isCloseSent = true }
            return state.isCloseSent == false
        }
        guard isFirst else { return }
        try? await connection.write(WebSocketFrame.close(status, reason))
        connection.finish()
    }

    private func checkOpen() throws(ServingError) {
        if state.withLock({ $0.isCloseSent }) { throw ServingError(.disconnected, "the WebSocket is closed") }
    }

    // MARK: The session's own tasks

    /// Runs the handler with the session's reader and pings around it, until one of them ends.
    func run(_ converse: @escaping @Sendable () async throws -> Void) async {
        // Raised for good, and held by the connection, which holds no session: no cycle outlives it.
        connection.stopping.onCancel { [weak self] in
            // Unstructured: whoever stops the server does not wait for this client.
            Task { await self?.close(1001, "the server stops; connect again") }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.receive() }
            group.addTask { await self.ping() }
            // Its end is the end; the reader's is not: the handler may have something to say yet, or to finish.
            let work = Task { () -> (any Error)? in
                do {
                    try await converse()
                    return nil
                } catch { return error }
            }
            let error = await withTaskCancellationHandler {
                await work.value
            } onCancel: {
                work.cancel()
            }
            incoming.abandon()
            switch error {
            case nil, is CancellationError, is ServingError: await close(1000, "")
            case let fault as WebSocketFault: await close(fault.status, fault.reason)
            case .some: await close(1011, "the server failed; what it was doing is in its log")
            }
            group.cancelAll()
        }
    }

    private func receive() async {
        var decoder = WebSocketDecoder(rules: rules)
        do {
            while let bytes = try await connection.read() {
                for event in try decoder.append(bytes) {
                    switch event {
                    case .message(let message): guard try await incoming.send(message) else { return }
                    // Only while there is room: a client that pings and does not read gets no answer rather than our memory.
                    case .ping(let payload): _ = try connection.offer(WebSocketFrame.bytes(.pong, payload))
                    case .pong: state.withLock { $0.unansweredPings = 0 }
                    case .close(let status, _):
                        // Before the handler hears of it, whose own end would send another status.
                        await close(status ?? 1000, "")
                        incoming.finish()
                        return
                    }
                }
            }
            incoming.finish()
        } catch let fault as WebSocketFault {
            await close(fault.status, fault.reason)
            incoming.finish(throwing: fault)
        } catch {
            incoming.finish(throwing: error)
        }
    }

    private func ping() async {
        do {
            while true {
                try await clock.sleep(for: connection.limits.pingInterval)
                let unanswered = state.withLock { state in
                    defer { state.unansweredPings += 1 }
                    return state.unansweredPings
                }
                guard unanswered < 2 else {
                    connection.abort()
                    return
                }
                _ = try connection.offer(WebSocketFrame.bytes(.ping, []))
            }
        } catch {
            // Cancelled, or the client has gone: nobody is left to be pinged.
        }
    }
}
