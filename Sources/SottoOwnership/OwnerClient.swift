internal import Glibc

/// A guest's connection to the serving owner.
public final class OwnerClient: Sendable {
    /// How long an owner may keep silent.
    public struct Patience: Sendable {
        /// For the greeting.
        public var greeting: Duration
        /// During a command, until a note says so.
        public var note: Duration
        /// During a command, until it is given up.
        public var command: Duration
        /// For the end of a command that was cancelled.
        public var cancellation: Duration

        public init(
            greeting: Duration = .seconds(5), note: Duration = .seconds(5), command: Duration = .seconds(30), cancellation: Duration = .seconds(5)
        ) {
            self.greeting = greeting
            self.note = note
            self.command = command
            self.cancellation = cancellation
        }
    }

    /// The owner's process number, by the kernel's word.
    public var process: Int32 { connection.peer.process }

    private let connection: FrameConnection
    private let own: Greeting
    private let patience: Patience

    private init(connection: FrameConnection, own: Greeting, patience: Patience) {
        self.connection = connection
        self.own = own
        self.patience = patience
    }

    deinit { connection.hangUp() }

    /// Connects and exchanges greetings.
    ///
    /// - Returns: `nil` when nobody serves: no socket, one that a dead owner left, or an owner that is just ending.
    /// - Throws: ``OwnershipError``: `.unreachable` names an owner that does not answer, `.otherVersion`, `.unsafeFolder`; `CancellationError`.
    public static func connect(_ folder: RuntimeFolder, version: String, patience: Patience = Patience()) async throws -> OwnerClient? {
        let deadline = ContinuousClock.now + patience.greeting
        guard let descriptor = try await socket(folder, until: deadline) else { return nil }
        guard let connection = try? FrameConnection(descriptor) else { return nil }
        let client = OwnerClient(connection: connection, own: Greeting(version: version, process: getpid()), patience: patience)
        guard connection.peer.user == geteuid() else {
            throw OwnershipError(.unsafeFolder, "\(folder.socket) is served by user \(connection.peer.user), not by you; remove it")
        }
        return try await client.greet(until: deadline) ? client : nil
    }

    private static func socket(_ folder: RuntimeFolder, until deadline: ContinuousClock.Instant) async throws -> Int32? {
        while true {
            let descriptor = try SocketAddress.make()
            var number: Int32 = 0
            let result = try unsafe SocketAddress.withAddress(folder, name: "socket") { address, length in
                let result = unsafe Glibc.connect(descriptor, address, length)
                number = errno
                return result
            }
            if result == 0 { return descriptor }
            close(descriptor)
            switch number {
            case ENOENT, ECONNREFUSED, ENOTSOCK: return nil
            case EAGAIN, EINTR:
                // Its queue of guests is full.
                guard ContinuousClock.now < deadline else { throw silence(OwnerLock.holder(folder)?.process) }
                try await Task.sleep(for: .milliseconds(50))
            default: throw OwnershipError(.failed, "cannot reach \(folder.socket): \(systemMessage(number))")
            }
        }
    }

    /// - Returns: `false` when the owner hung up without a word.
    private func greet(until deadline: ContinuousClock.Instant) async throws -> Bool {
        try connection.send(.hello(own))
        var dialogue = GuestDialogue(own: own)
        let frame = try await withThrowingTaskGroup(of: Frame?.self) { [connection] group in
            group.addTask { try await connection.next() }
            group.addTask {
                try await Task.sleep(until: deadline)
                throw Self.silence(connection.peer.process)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let frame else { return false }
        return try dialogue.receive(frame) == .welcomed
    }

    /// Has the owner run a command.
    ///
    /// Cancelling the task cancels the command in the owner and waits, for a bounded time, until it has ended.
    /// - Parameters:
    ///   - show: Receives what the command writes, in order.
    ///   - input: Asked for pieces of standard input once the command reads it; `nil` at the end.
    /// - Returns: The command's exit status.
    /// - Throws: ``OwnershipError`` `.ownerEnded`, `.unreachable`, `.badMessage`; `CancellationError` when a cancelled command does not end.
    public func run(
        _ command: GuestCommand, input: @escaping @Sendable () async throws -> [UInt8]?, show: @escaping @Sendable (OwnerEvent) -> Void
    ) async throws -> Int32 {
        try Task.checkCancellation()
        try connection.send(.command(command))
        let conversation = Conversation(connection: connection, own: own, patience: patience)
        // Unstructured: after a cancel it must go on, to hear how the command ended.
        let work = Task { try await conversation.run(input: input, show: show) }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            conversation.cancel()
        }
    }

    static func silence(_ process: Int32?) -> OwnershipError {
        guard let process else { return OwnershipError(.unreachable, "the process that owns Sotto's data does not answer; end it and try again") }
        return OwnershipError(
            .unreachable,
            "process \(process), which owns Sotto's data, does not answer. If it is stopped, let it go on: kill -CONT \(process). "
                + "If it hangs, end it and try again: kill -9 \(process) (nothing that was kept is lost)")
    }
}
