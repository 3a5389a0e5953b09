import Dispatch
import Glibc
import Synchronization

/// The bytes that a command reads when it is given "-": this process's own standard input, or a guest's.
struct StandardInput: Sendable {
    /// The next piece; `nil` at the end.
    let next: @Sendable () async throws -> [UInt8]?

    /// The process's own. A read waits on a queue of its own; cancelling leaves it waiting there, for a terminal cannot be made to answer.
    static var own: StandardInput {
        let queue = DispatchQueue(label: "sotto.standard-input")
        return StandardInput {
            try Task.checkCancellation()
            let read = PendingRead()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    read.begin(continuation)
                    queue.async { read.end(with: Self.readOnce()) }
                }
            } onCancel: {
                read.end(with: .failure(CancellationError()))
            }
        }
    }

    private static func readOnce() -> Result<[UInt8]?, any Error> {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(CommandError("standard input could not be read: \(unsafe String(cString: strerror(errno)))")) }
            return .success(count == 0 ? nil : Array(chunk[..<count]))
        }
    }
}

/// Whoever is first, the read or the cancel, ends the wait.
private final class PendingRead: Sendable {
    private struct State {
        var continuation: CheckedContinuation<[UInt8]?, any Error>?
        var ended: Result<[UInt8]?, any Error>?
    }
    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<[UInt8]?, any Error>) {
        let ended = state.withLock { state in
            if state.ended == nil { state.continuation = continuation }
            return state.ended
        }
        if let ended { continuation.resume(with: ended) }
    }

    func end(with result: Result<[UInt8]?, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.ended == nil else { return nil }
            state.ended = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }
}
