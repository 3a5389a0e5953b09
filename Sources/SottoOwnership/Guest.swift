internal import SottoStreams
internal import Synchronization

/// A guest as the owner sees it while its command runs: where output goes and input comes from.
public final class Guest: Sendable {
    /// Its process number, by the kernel's word.
    public let process: Int32

    private let connection: FrameConnection
    private let inputs = Channel<[UInt8]>(capacity: 4)
    private let hasAskedForInput = Mutex(false)

    init(connection: FrameConnection) {
        self.connection = connection
        process = connection.peer.process
    }

    /// Sends what the guest is to show; never waits. Progress is left out while the guest is behind.
    public func show(_ event: OwnerEvent) {
        switch event {
        case .output(let bytes):
            var rest = bytes[...]
            while rest.isEmpty == false {
                send(.output(Array(rest.prefix(1 << 18))))
                rest = rest.dropFirst(1 << 18)
            }
        case .note(let text): send(.note(Self.bounded(text)))
        case .problem(let text): send(.problem(Self.bounded(text)))
        case .progress(let progress): if connection.isBehind == false { send(.progress(progress)) }
        }
    }

    /// The next piece of the guest's standard input, which is asked for when this is first called; `nil` at its end.
    ///
    /// - Throws: `CancellationError`; ``OwnershipError`` `.ownerEnded` when the guest has gone.
    public func nextInput() async throws -> [UInt8]? {
        let isFirst = hasAskedForInput.withLock { asked in
            defer { asked = true }
            return asked == false
        }
        if isFirst { send(.wantInput) }
        return try await inputs.next()
    }

    func receiveInput(_ bytes: [UInt8]) async throws { _ = try await inputs.send(bytes) }
    func endInput() { inputs.finish() }
    func stopInput() { inputs.abandon() }

    private func send(_ frame: Frame) {
        // Only a frame that is too long fails, and none of these can be.
        _ = try? connection.send(frame)
    }

    private static func bounded(_ text: String) -> String {
        text.utf8.count <= 1 << 18 ? text : String(text.prefix(1 << 16)) + "…"
    }
}
