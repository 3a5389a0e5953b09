internal import Synchronization

/// A guest as the owner sees it while its command runs: where output goes and input comes from.
public final class Guest: Sendable {
    /// Its process number, by the kernel's word.
    public let process: Int32

    private struct Input {
        var isWanted = false
        /// Bytes that have come and were not taken yet.
        var waiting = 0
    }

    /// A guest that sends more than this ahead of its command is hung up on.
    private static let inputLimit = 64 << 20
    private let connection: FrameConnection
    private let input = Mutex(Input())
    private let pieces: AsyncStream<[UInt8]>
    private let arrivals: AsyncStream<[UInt8]>.Continuation

    init(connection: FrameConnection) {
        self.connection = connection
        process = connection.peer.process
        (pieces, arrivals) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
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

    /// The next piece of the guest's standard input, which is asked for when this is first called; `nil` at its end. One reader only.
    ///
    /// - Throws: `CancellationError`.
    public func nextInput() async throws -> [UInt8]? {
        let isFirst = input.withLock { input in
            defer { input.isWanted = true }
            return input.isWanted == false
        }
        if isFirst { send(.wantInput) }
        var iterator = pieces.makeAsyncIterator()
        let piece = await iterator.next()
        // The end of a stream and the end of its reader look alike.
        try Task.checkCancellation()
        if let piece { input.withLock { $0.waiting -= piece.count } }
        return piece
    }

    /// Never waits, so that a cancel behind it is always seen.
    ///
    /// - Returns: `false` when it was not asked for, or is more than is kept.
    func receiveInput(_ bytes: [UInt8]) -> Bool {
        let isWelcome = input.withLock { input in
            input.waiting += bytes.count
            return input.isWanted && input.waiting <= Self.inputLimit
        }
        if isWelcome { arrivals.yield(bytes) }
        return isWelcome
    }

    func endInput() { arrivals.finish() }

    private func send(_ frame: Frame) {
        // Only a frame that is too long fails, and none of these can be.
        _ = try? connection.send(frame)
    }

    private static func bounded(_ text: String) -> String {
        text.utf8.count <= 1 << 18 ? text : String(text.prefix(1 << 16)) + "…"
    }
}
