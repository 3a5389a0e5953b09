internal import Glibc
public import SottoServing
internal import SottoStreams
internal import Synchronization

/// Answers HTTP and WebSocket clients on a listening socket, for as long as ``run()`` runs.
///
/// ```swift
/// let socket = try ListeningSocket.loopback(port: 7780, further: 10)
/// let policy = SecurityPolicy(
///     hosts: SecurityPolicy.loopbackHosts(port: socket.port), key: key, cookieName: "sotto-\(socket.port)", isSession: { … })
/// let server = HTTPServer(socket: socket, router: Router(routes), policy: policy)
/// try await server.run()      // until the task is cancelled or `stop()` is called
/// ```
public final class HTTPServer: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isStopping = false
        var drain: Task<Void, any Error>?
    }

    /// Where it answers, for people.
    public let address: String
    private let socket: ListeningSocket
    private let limits: ServerLimits
    private let clock: any Clock<Duration>
    private let conversation: HTTPConversation
    private let mailbox = LoopMailbox()
    private let counters = ServerCounters()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: For time limits.
    ///   - now: Seconds since 1970, for the `Date` field; the system's clock when `nil`.
    ///   - report: Is told of what went wrong in a handler; method and path without the query, and the error.
    public init(
        socket: ListeningSocket, router: Router, policy: SecurityPolicy, limits: ServerLimits = ServerLimits(),
        clock: any Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Int)? = nil,
        report: @escaping HTTPConversation.Report = { _, _ in }
    ) {
        self.socket = socket
        self.limits = limits
        self.clock = clock
        address = socket.address
        let counting = SharedRateLimiter(rate: limits.requestsPerSecond)
        conversation = HTTPConversation(
            router: router, policy: policy, clock: clock, now: now ?? { time(nil) }, admit: { counting.admit($0) }, report: report)
    }

    public var statistics: ServerStatistics { counters.now }

    /// Serves until ``stop()`` or cancellation, and then until the last request is answered or ``ServerLimits/drainTime`` is over.
    ///
    /// Once only. A handler that ignores its cancellation keeps this from returning.
    ///
    /// - Throws: ``ServingError`` `.socketFailed`.
    public func run() async throws {
        let loop = SocketLoop()
        let outcome: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await loop.run(socket.take(), certificate: socket.certificate, limits: limits, mailbox: mailbox, counters: counters, clock: clock)
                { self.begin($0) }
            } onCancel: {
                stop()
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        let (tasks, drain) = state.withLock { state in (Array(state.tasks.values), state.drain) }
        drain?.cancel()
        for task in tasks {
            task.cancel()
            await task.value
        }
        try outcome.get()
    }

    /// Listens no more, lets requests in progress end, tells WebSockets and live streams that this is the end, and makes ``run()`` return.
    public func stop() {
        state.withLock { state in
            guard state.isStopping == false else { return }
            state.isStopping = true
            // Unstructured: the time limit runs beside the loop, which `run()` waits for, and `run()` ends it.
            state.drain = Task { [clock, limits, mailbox] in
                try await clock.sleep(for: limits.drainTime)
                mailbox.post(.abortAll)
            }
        }
        mailbox.post(.stop)
    }

    /// On the loop's thread.
    private func begin(_ connection: Connection) {
        // Unstructured: a client that goes away cancels its own task alone, which no group can do. `run()` awaits every one.
        // Made inside the lock, so that it cannot take itself off the list before it is on it.
        let task = state.withLock { state in
            let task = Task {
                await conversation.run(connection)
                self.state.withLock { $0.tasks[connection.id] = nil }
            }
            state.tasks[connection.id] = task
            return task
        }
        connection.gone.onCancel { task.cancel() }
    }
}
