internal import Synchronization

/// One command's exchange with the owner, from its sending to its status.
final class Conversation: Sendable {
    private let connection: FrameConnection
    private let own: Greeting
    private let patience: OwnerClient.Patience
    private let cancelled = Mutex<ContinuousClock.Instant?>(nil)

    init(connection: FrameConnection, own: Greeting, patience: OwnerClient.Patience) {
        self.connection = connection
        self.own = own
        self.patience = patience
    }

    func cancel() {
        cancelled.withLock { if $0 == nil { $0 = .now } }
        _ = try? connection.send(.cancel)
    }

    func run(input: @escaping @Sendable () async throws -> [UInt8]?, show: @escaping @Sendable (OwnerEvent) -> Void) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { try await self.receive(input: input, show: show) }
            group.addTask {
                try await self.watch(show)
                return nil
            }
            defer { group.cancelAll() }
            while let status = try await group.next() {
                if let status { return status }
            }
            throw CancellationError()
        }
    }

    private func receive(
        input: @escaping @Sendable () async throws -> [UInt8]?, show: @escaping @Sendable (OwnerEvent) -> Void
    ) async throws -> Int32 {
        var dialogue = GuestDialogue(own: own, state: .running)
        // Unstructured: it ends with the conversation, even while it waits for a terminal.
        var pump: Task<Void, any Error>?
        defer { pump?.cancel() }
        while let frame = try await connection.next() {
            switch try dialogue.receive(frame) {
            case .none, .welcomed: break
            case .show(let event): show(event)
            case .sendInput:
                guard pump == nil else { break }
                pump = Task { [connection] in
                    while let bytes = try await input() {
                        var rest = bytes[...]
                        while rest.isEmpty == false {
                            guard try connection.send(.input(Array(rest.prefix(1 << 18)))) else { return }
                            rest = rest.dropFirst(1 << 18)
                            await connection.drained()
                        }
                    }
                    try connection.send(.inputEnd)
                }
            case .finish(let status): return status
            }
        }
        throw OwnershipError(
            .ownerEnded,
            "process \(connection.peer.process), which did the work, has ended; whether the command was done is not known, "
                + "so look before you try it again")
    }

    /// Watches the owner's signs of life.
    private func watch(_ show: @Sendable (OwnerEvent) -> Void) async throws {
        var hasNoted = false
        var heard = connection.lastHeard
        var silence = Duration.zero
        var last = ContinuousClock.now
        while true {
            try await Task.sleep(for: .milliseconds(100))
            let now = ContinuousClock.now
            if let since = cancelled.withLock({ $0 }), now - since > patience.cancellation { throw CancellationError() }
            // Only time in which we were awake counts: after sleep of the machine, or Ctrl-Z, the owner's silence is our own.
            silence = connection.lastHeard == heard ? silence + min(now - last, .milliseconds(500)) : .zero
            heard = connection.lastHeard
            last = now
            if silence > patience.command { throw OwnerClient.silence(connection.peer.process) }
            if silence > patience.note, hasNoted == false {
                hasNoted = true
                show(.note("waiting: " + OwnerClient.silence(connection.peer.process).message))
            } else if silence < patience.note {
                hasNoted = false
            }
        }
    }
}
