public import SottoStreams
import Synchronization

/// One client's two directions of bytes, between the thread that owns its socket and the task that answers it.
///
/// Both directions are bounded: beyond ``ServerLimits/inboundBytes`` the socket is not read from, beyond ``ServerLimits/outboundBytes`` writers wait.
/// The socket's side never waits; it calls ``receive(_:)``, ``takeOutput(atMost:)``, ``inputEnded()`` and ``lost()``, and is told through `signal`
/// when there is something to do. It needs no socket: tests play that side.
public final class Connection: Sendable {
    /// What the socket's side is asked to do.
    public enum Signal: Sendable, Equatable {
        /// There is output to take, or the output has its end.
        case output
        /// There is room for input again.
        case room
        /// Close the socket now.
        case abort
    }

    /// What is to be sent next.
    public enum Output: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing now.
        case idle
        /// Everything has been taken: end the sending direction and listen for ``ServerLimits/lingerTime`` more.
        case end
    }

    private struct State {
        var input: [UInt8] = []
        var isInputPaused = false
        var hasInputEnded = false
        var output: [[UInt8]] = []
        /// The first piece of `output` that is not taken yet, so that taking is not a copy of the rest.
        var outputStart = 0
        var queued = 0
        var isOutputEnded = false
        var isLost = false
        var nextID: UInt64 = 0
        var expired: [UInt64: ServingError] = [:]
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    /// Unique in its server.
    public let id: UInt64
    /// The client's address in digits, for counts and logs.
    public let address: String
    public let limits: ServerLimits
    /// Raised when the client has gone or the connection was given up: whatever is done for it is to be cancelled.
    public let gone = CancellationFlag()
    /// Raised when the server wants to end: the request in progress is the last.
    public let stopping = CancellationFlag()
    private let clock: any Clock<Duration>
    private let signal: @Sendable (Signal) -> Void
    private let state = Mutex(State())
    private let phase = Mutex(Phase.waiting)

    /// Whether anything would be lost if the connection were closed now.
    public enum Phase: Sendable, Equatable {
        /// No request has come whole yet, or the last one is answered.
        case waiting
        /// A request is being answered.
        case answering
    }

    public init(
        id: UInt64, address: String, limits: ServerLimits, clock: any Clock<Duration> = ContinuousClock(),
        signal: @escaping @Sendable (Signal) -> Void
    ) {
        self.id = id
        self.address = address
        self.limits = limits
        self.clock = clock
        self.signal = signal
        stopping.onCancel { [weak self] in self?.wakeIfIdle() }
    }

    // MARK: The answering side

    public var currentPhase: Phase { phase.withLock { $0 } }

    func enter(_ next: Phase) { phase.withLock { $0 = next } }

    /// The next bytes that came, at most ``ServerLimits/inboundBytes`` and one piece; `nil` when no more will come.
    ///
    /// - Parameter count: More are left where they are, and so count as received still.
    /// - Throws: `CancellationError`, and ``ServingError`` `.timedOut` inside ``limit(_:for:_:)``.
    public nonisolated(nonsending) func read(atMost count: Int = .max) async throws -> [UInt8]? {
        enum Step {
            case bytes([UInt8], resume: Bool)
            case end
            case fail(ServingError)
            case wait
        }
        while true {
            try Task.checkCancellation()
            let step: Step = state.withLock { state in
                if let error = state.expired.values.first { return .fail(error) }
                if state.input.isEmpty == false {
                    let bytes = Self.take(count, of: &state.input)
                    let resumes = state.isInputPaused && state.input.count < limits.inboundBytes
                    if resumes { state.isInputPaused = false }
                    return .bytes(bytes, resume: resumes)
                }
                return state.hasInputEnded || state.isLost ? .end : .wait
            }
            switch step {
            case .bytes(let bytes, let resume):
                if resume { signal(.room) }
                return bytes
            case .end: return nil
            case .fail(let error): throw error
            case .wait: await wait { $0.input.isEmpty == false || $0.hasInputEnded || $0.isLost || $0.expired.isEmpty == false }
            }
        }
    }

    private static func take(_ count: Int, of input: inout [UInt8]) -> [UInt8] {
        guard count < input.count else {
            defer { input = [] }
            return input
        }
        defer { input.removeFirst(count) }
        return Array(input[..<count])
    }

    /// Like ``read(atMost:)`` for a connection without a request: the end of the server is the end of input.
    nonisolated(nonsending) func readIdle(atMost count: Int) async throws -> [UInt8]? {
        stopping.isCancelled ? nil : try await read(atMost: count)
    }

    /// Puts bytes back that belong to the next request.
    func unread(_ bytes: [UInt8]) {
        guard bytes.isEmpty == false else { return }
        state.withLock { $0.input.insert(contentsOf: bytes, at: 0) }
    }

    /// Queues bytes, as one piece, once there is room for them; what is queued never exceeds the limit by more than one piece.
    ///
    /// - Throws: ``ServingError`` `.disconnected`, `.timedOut` after ``ServerLimits/stallTime`` without room (the connection is then given up), and
    ///   `CancellationError`.
    public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
        if try enqueue(bytes) { return }
        do {
            try await limit(limits.stallTime, for: "taking what was ready for it") {
                while true {
                    try Task.checkCancellation()
                    if try self.enqueue(bytes) { return }
                    await self.wait { $0.queued < self.limits.outboundBytes || $0.isLost || $0.isOutputEnded || $0.expired.isEmpty == false }
                }
            }
        } catch let error as ServingError where error.code == .timedOut {
            abort()
            throw error
        }
    }

    /// Queues bytes if there is room for them now.
    ///
    /// - Returns: `false` when there is not: the client is behind, and the bytes are dropped.
    /// - Throws: ``ServingError`` `.disconnected`.
    public func offer(_ bytes: [UInt8]) throws -> Bool { try enqueue(bytes) }

    /// How many bytes wait to be sent.
    public var queuedBytes: Int { state.withLock { $0.queued } }

    /// Ends the output after what is queued.
    public func finish() {
        let isNew = state.withLock { state in
            defer { state.isOutputEnded = true }
            return state.isOutputEnded == false && state.isLost == false
        }
        if isNew { signal(.output) }
    }

    /// Gives the connection up at once; what is queued is dropped.
    public func abort() {
        let isNew = state.withLock { $0.isLost == false }
        lost()
        if isNew { signal(.abort) }
    }

    /// Runs `body`; once `duration` has passed, every wait for this connection in it throws.
    ///
    /// - Parameter purpose: Completes "the client took too long for …".
    nonisolated(nonsending) func limit<Value>(
        _ duration: Duration, for purpose: String, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // Unstructured, and ended below: a child task could not share what `body` changes.
        let timer = Task { [clock, weak self] in
            try await clock.sleep(for: duration)
            self?.expire(id, ServingError(.timedOut, "the client took longer than \(duration) for \(purpose)"))
        }
        defer {
            timer.cancel()
            state.withLock { $0.expired[id] = nil }
        }
        return try await body()
    }

    // MARK: The socket's side

    /// Takes bytes that came.
    ///
    /// - Returns: Whether more may be read; if not, ``Signal/room`` tells when.
    public func receive(_ bytes: [UInt8]) -> Bool {
        let (mayGoOn, waiting) = state.withLock { state in
            guard state.isLost == false, state.hasInputEnded == false else { return (true, [CheckedContinuation<Void, Never>]()) }
            state.input += bytes
            state.isInputPaused = state.input.count >= limits.inboundBytes
            return (state.isInputPaused == false, Self.everyone(&state))
        }
        for continuation in waiting { continuation.resume() }
        return mayGoOn
    }

    /// What to send now. Frees room, so waiting writers go on.
    public func takeOutput(atMost count: Int) -> Output {
        let (output, waiting): (Output, [CheckedContinuation<Void, Never>]) = state.withLock { state in
            guard state.outputStart < state.output.count else { return (state.isOutputEnded ? .end : .idle, []) }
            var taken: [UInt8] = []
            while taken.count < count, state.outputStart < state.output.count {
                let piece = state.output[state.outputStart]
                let room = count - taken.count
                if piece.count <= room {
                    taken += piece
                    state.output[state.outputStart] = []
                    state.outputStart += 1
                } else {
                    taken += piece[..<room]
                    state.output[state.outputStart] = Array(piece[room...])
                }
            }
            if state.outputStart == state.output.count { (state.output, state.outputStart) = ([], 0) }
            state.queued -= taken.count
            return (.bytes(taken), state.queued < limits.outboundBytes ? Self.everyone(&state) : [])
        }
        for continuation in waiting { continuation.resume() }
        return output
    }

    /// The client will send no more.
    public func inputEnded() {
        let waiting = state.withLock { state in
            state.hasInputEnded = true
            return Self.everyone(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The client has gone: waits end, and ``gone`` is raised.
    public func lost() {
        let waiting = state.withLock { state in
            state.isLost = true
            state.output = []
            (state.outputStart, state.queued) = (0, 0)
            return Self.everyone(&state)
        }
        for continuation in waiting { continuation.resume() }
        gone.cancel()
    }

    // MARK: Waiting

    private func enqueue(_ bytes: [UInt8]) throws -> Bool {
        let isQueued: Bool = try state.withLock { state throws in
            if let error = state.expired.values.first { throw error }
            guard state.isLost == false, state.isOutputEnded == false else { throw ServingError(.disconnected, "the client has gone") }
            guard state.queued < limits.outboundBytes else { return false }
            guard bytes.isEmpty == false else { return true }
            state.output.append(bytes)
            state.queued += bytes.count
            return true
        }
        if isQueued { signal(.output) }
        return isQueued
    }

    /// Waits until something changes; the caller looks again. `isReady` avoids a wait for what has happened already.
    private nonisolated(nonsending) func wait(until isReady: @escaping @Sendable (State) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let runNow = state.withLock { state in
                    if Task.isCancelled || isReady(state) { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if runNow { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
            continuation?.resume()
        }
    }

    private func expire(_ id: UInt64, _ error: ServingError) {
        let waiting = state.withLock { state in
            state.expired[id] = error
            return Self.everyone(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    private func wakeIfIdle() { if currentPhase == .waiting { inputEnded() } }

    private static func everyone(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        let waiting = Array(state.waiting.values)
        state.waiting = [:]
        return waiting
    }
}
