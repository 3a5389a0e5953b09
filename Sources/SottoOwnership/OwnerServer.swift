internal import Dispatch
internal import Glibc
internal import Synchronization

/// Serves guests on the socket of a runtime folder, for as long as ``run(_:)`` runs.
///
/// ```swift
/// guard let lock = try OwnerLock.acquire(folder, version: "1.0") else { … }
/// let server = try OwnerServer(lock: lock, version: "1.0")
/// try await server.run { command, guest in
///     guest.show(.output(Array("hello\n".utf8)))
///     return 0
/// }
/// ```
public final class OwnerServer: Sendable {
    /// Runs one command; cancelled when the guest cancels or has gone. Its value is the command's exit status.
    public typealias Body = @Sendable (GuestCommand, Guest) async -> Int32

    /// More guests at once are turned away.
    private static let maximumGuests = 64
    /// A guest must have sent its command by then.
    private static let greetingTime = Duration.seconds(5)
    /// Time between two signs of life.
    private static let beat = Duration.seconds(1)

    private let guests = Mutex(0)
    private let lock: OwnerLock
    private let own: Greeting
    /// Dispatch sources may be used from any thread (libdispatch, `dispatch_source_create`); Swift's declarations do not say so.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let accepted: AsyncStream<Int32>

    /// Begins to listen, in the place of what a dead owner left.
    ///
    /// - Throws: ``OwnershipError`` `.failed`.
    public init(lock: OwnerLock, version: String) throws(OwnershipError) {
        self.lock = lock
        own = Greeting(version: version, process: getpid())
        let listener = try SocketAddress.make()
        // Listening before it has its name: whoever finds the socket can connect.
        let fresh = "socket.new"
        let freshPath = lock.folder.path + "/" + fresh
        unsafe unlink(freshPath)
        let bound = try unsafe SocketAddress.withAddress(lock.folder, name: fresh) { unsafe bind(listener, $0, $1) }
        guard bound == 0, unsafe chmod(freshPath, 0o600) == 0, listen(listener, 64) == 0, unsafe rename(freshPath, lock.folder.socket) == 0 else {
            let number = errno
            close(listener)
            throw OwnershipError(.failed, "cannot listen on \(lock.folder.socket): \(systemMessage(number))")
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(64))
        accepted = stream
        let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "sotto.owner.accept"))
        source.setEventHandler { Self.accept(from: listener, into: continuation) }
        source.setCancelHandler {
            close(listener)
            continuation.finish()
        }
        source.resume()
        unsafe self.source = source
    }

    deinit {
        // The lock is ours until now, so the name is too.
        stopAccepting()
    }

    /// Serves until the task is cancelled; then guests' commands are cancelled and awaited.
    public func run(_ body: @escaping Body) async {
        await withDiscardingTaskGroup { group in
            var iterator = accepted.makeAsyncIterator()
            while let descriptor = await iterator.next() {
                group.addTask { await self.serve(descriptor, body) }
            }
            // New guests find nobody from here on, and become the owner themselves once we have ended.
            stopAccepting()
            if Task.isCancelled { group.cancelAll() }
        }
    }

    /// Takes no more guests; ``run(_:)`` returns once those that are here have finished.
    public func stopAccepting() {
        unsafe unlink(lock.folder.socket)
        unsafe source.cancel()
    }

    private static func accept(from listener: Int32, into continuation: AsyncStream<Int32>.Continuation) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0 {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    // The guest waits in the queue; without a pause this would spin until a descriptor is free.
                    usleep(100_000)
                    return
                default: return
                }
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            if case .enqueued = continuation.yield(descriptor) { continue }
            close(descriptor)
        }
    }

    private func serve(_ descriptor: Int32, _ body: @escaping Body) async {
        guard let connection = try? FrameConnection(descriptor) else { return }
        defer { connection.hangUp() }
        guard connection.peer.user == geteuid() else {
            _ = try? connection.send(.refused("Sotto's data belongs to user \(geteuid()); run the command as that user"))
            return
        }
        let count = guests.withLock { count in
            count += 1
            return count
        }
        defer { guests.withLock { $0 -= 1 } }
        guard count <= Self.maximumGuests else {
            _ = try? connection.send(.refused("\(Self.maximumGuests) commands are being served already; try again when some have ended"))
            return
        }
        await converse(connection, Guest(connection: connection), body)
    }

    private func converse(_ connection: FrameConnection, _ guest: Guest, _ body: @escaping Body) async {
        var dialogue = OwnerDialogue(own: own)
        // Unstructured: a frame from the guest must be able to cancel the command alone.
        var work: Task<Void, Never>?
        // A guest that never says what it wants holds nothing for long.
        let greeting = Task { [greetingTime = Self.greetingTime] in
            try await Task.sleep(for: greetingTime)
            connection.hangUp()
        }
        // Signs of life come from Swift's pool, so that an owner whose pool hangs is found out too.
        var pulse: Task<Void, any Error>?
        conversation: while let frame = try? await connection.next() {
            switch dialogue.receive(frame) {
            case .none: break
            case .reply(let reply): _ = try? connection.send(reply)
            case .refuse(let reason):
                _ = try? connection.send(reason)
                break conversation
            case .start(let command):
                greeting.cancel()
                pulse = Task { [beat = Self.beat] in
                    while true {
                        if connection.isBehind == false { try connection.send(.alive) }
                        try await Task.sleep(for: beat)
                    }
                }
                work = Task {
                    let status = await body(command, guest)
                    _ = try? connection.send(.exit(status))
                    connection.hangUp()
                }
            case .input(let bytes): if guest.receiveInput(bytes) == false { break conversation }
            case .inputEnd: guest.endInput()
            case .cancel: work?.cancel()
            case .hangUp: break conversation
            }
        }
        // The guest has gone, or we are told to stop.
        greeting.cancel()
        work?.cancel()
        guest.endInput()
        await work?.value
        pulse?.cancel()
    }
}
