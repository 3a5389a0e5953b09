internal import Foundation
import SottoSherpaProtocol

/// What came and was not worked on yet, and which requests are to stop.
///
/// Filled by the thread that reads, emptied by the one that works. When the reader is far ahead it waits, and with it the parent.
final class RequestQueue: @unchecked Sendable {  // Every access to the state holds the condition's lock.
    private static let longest = 16

    private let condition = NSCondition()
    private var frames: [SherpaFrame] = []
    private var current: UInt32?
    private var isCancelled = false

    /// Adds a request, waiting while too many are there.
    func put(_ frame: SherpaFrame) {
        condition.withLock {
            while frames.count >= Self.longest { condition.wait() }
            frames.append(frame)
            condition.broadcast()
        }
    }

    /// Stops a request, the current one or one that waits.
    func cancel(_ request: UInt32) {
        condition.withLock {
            if current == request { isCancelled = true }
        }
    }

    /// The next request.
    func next() -> SherpaFrame {
        condition.withLock {
            current = nil
            while frames.isEmpty { condition.wait() }
            let frame = frames.removeFirst()
            current = frame.request
            isCancelled = false
            condition.broadcast()
            return frame
        }
    }

    /// Whether the current request is to stop.
    var isStopped: Bool { condition.withLock { isCancelled } }
}
