internal import Foundation
internal import Glibc
internal import Synchronization

/// One socket, and the thread that attends to it.
///
/// All blocking happens in `poll` on that thread, so a slow or stopped peer never holds a thread of Swift's pool. A peer that breaks the
/// form of messages is hung up on.
final class FrameConnection: Sendable {
    private struct State {
        var inbox: [(frame: Frame, size: Int)] = []
        var inboxSize = 0
        var outbox: [UInt8] = []
        var outboxStart = 0
        var isClosing = false
        var closingDeadline: ContinuousClock.Instant?
        var hasEnded = false
        var failure: OwnershipError?
        var lastHeard = ContinuousClock.now
        /// Where a byte wakes the thread; -1 once it has gone.
        var wake: Int32 = -1
        var reader: CheckedContinuation<Void, Never>?
        var drainers: [CheckedContinuation<Void, Never>] = []
    }

    /// Nothing more is read while this much waits for our reader.
    private static let inboxLimit = 1 << 20
    /// ``drained()`` waits while more than this is on its way.
    private static let outboxGoal = 1 << 18
    /// A peer that lets more than this pile up is hung up on.
    private static let outboxLimit = 64 << 20
    /// How long a peer has to take the last bytes once the connection is being closed.
    private static let closingTime = Duration.seconds(5)
    /// How long it then has to hang up too.
    private static let lingerTime = Duration.seconds(1)

    private let state = Mutex(State())
    /// The kernel's word on who is at the other end.
    let peer: (process: Int32, user: UInt32)

    /// Takes over a connected socket that does not block.
    init(_ descriptor: Int32) throws(OwnershipError) {
        guard let peer = SocketAddress.peer(of: descriptor) else {
            Glibc.close(descriptor)
            throw OwnershipError(.unreachable, "the other side has gone")
        }
        self.peer = peer
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw OwnershipError(.failed, "no pipe could be made: \(systemMessage(number))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let (wakeReader, wakeWriter) = (ends[0], ends[1])
        state.withLock { $0.wake = wakeWriter }
        // A thread of our own: it lives as long as the connection and blocks in poll.
        Thread.detachNewThread { [self] in attend(descriptor, wakeReader) }
    }

    /// Hands over one frame; never waits.
    ///
    /// - Returns: `false` when the connection has ended or is ending, and the frame was dropped.
    /// - Throws: ``OwnershipError`` `.badMessage` when the frame is too long.
    @discardableResult
    func send(_ frame: Frame) throws(OwnershipError) -> Bool {
        let bytes = try frame.encoded()
        return state.withLock { state in
            guard state.hasEnded == false, state.isClosing == false else { return false }
            state.outbox += bytes
            if state.outbox.count - state.outboxStart > Self.outboxLimit {
                state.failure = OwnershipError(.failed, "process \(peer.process) does not read what it asked for")
                state.outbox = []
                state.outboxStart = 0
                state.isClosing = true
            }
            wake(state)
            return true
        }
    }

    /// Whether so much is on its way that what is merely nice to have should not be sent.
    var isBehind: Bool { state.withLock { $0.outbox.count - $0.outboxStart > Self.outboxGoal } }

    /// When the peer last sent anything.
    var lastHeard: ContinuousClock.Instant { state.withLock { $0.lastHeard } }

    /// Sends what is on its way, for at most five seconds, and hangs up.
    func hangUp() {
        state.withLock { state in
            state.isClosing = true
            if state.closingDeadline == nil { state.closingDeadline = .now + Self.closingTime }
            wake(state)
        }
    }

    /// The peer's next frame; `nil` once it has hung up. One reader only.
    ///
    /// - Throws: ``OwnershipError`` `.badMessage`; `CancellationError`.
    func next() async throws -> Frame? {
        while true {
            try Task.checkCancellation()
            let (frame, ended, failure): (Frame?, Bool, OwnershipError?) = state.withLock { state in
                guard state.inbox.isEmpty == false else { return (nil, state.hasEnded, state.failure) }
                let (frame, size) = state.inbox.removeFirst()
                if state.inboxSize >= Self.inboxLimit { wake(state) }
                state.inboxSize -= size
                return (frame, false, nil)
            }
            if let frame { return frame }
            if ended {
                if let failure { throw failure }
                return nil
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let runNow = state.withLock { state in
                        if state.inbox.isEmpty == false || state.hasEnded || Task.isCancelled { return true }
                        state.reader = continuation
                        return false
                    }
                    if runNow { continuation.resume() }
                }
            } onCancel: {
                takeReader()?.resume()
            }
        }
    }

    /// Waits until little is on its way, or the connection has ended.
    func drained() async {
        await withCheckedContinuation { continuation in
            let runNow = state.withLock { state in
                if state.hasEnded || state.outbox.count - state.outboxStart <= Self.outboxGoal { return true }
                state.drainers.append(continuation)
                return false
            }
            if runNow { continuation.resume() }
        }
    }

    private func takeReader() -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
    }

    private func wake(_ state: borrowing State) {
        guard state.wake >= 0 else { return }
        var byte: UInt8 = 0
        // A full pipe already wakes the thread.
        _ = unsafe Glibc.write(state.wake, &byte, 1)
    }

    /// Reads and writes until one side hangs up; runs on the thread of its own.
    private func attend(_ descriptor: Int32, _ wakeReader: Int32) {
        var decoder = FrameDecoder()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var failure: OwnershipError?
        while true {
            let (wantsInput, wantsOutput, isClosing, deadline) = state.withLock { state in
                (state.inboxSize < Self.inboxLimit, state.outbox.count > state.outboxStart, state.isClosing, state.closingDeadline)
            }
            if isClosing, wantsOutput == false || (deadline.map { ContinuousClock.now >= $0 } ?? false) { break }
            let timeout: Int32 = isClosing ? 100 : -1
            var events = wantsInput && isClosing == false ? Int16(POLLIN) : 0
            if wantsOutput { events |= Int16(POLLOUT) }
            var polls = [
                pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: events, revents: 0),
            ]
            let ready = unsafe poll(&polls, 2, timeout)
            if ready < 0 {
                if errno == EINTR { continue }
                break
            }
            if polls[0].revents != 0 { _ = unsafe Glibc.read(wakeReader, &chunk, chunk.count) }
            let found = Int32(polls[1].revents)
            if found & POLLOUT != 0, write(descriptor) == false { break }
            guard found & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 else { continue }
            // Read even when enough waits: a peer that has hung up sends no more than what the socket holds.
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { break }
            decoder.append(chunk[..<count])
            do throws(OwnershipError) {
                try deliver(&decoder)
            } catch {
                failure = error
                break
            }
        }
        finish(failure)
        linger(descriptor, &chunk)
        Glibc.close(descriptor)
        Glibc.close(wakeReader)
    }

    /// Reads what the peer still sends, to throw it away: to close a socket with unread bytes would take from the peer what we sent last.
    private func linger(_ descriptor: Int32, _ chunk: inout [UInt8]) {
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = ContinuousClock.now + Self.lingerTime
        while ContinuousClock.now < deadline {
            var polls = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            let ready = unsafe poll(&polls, 1, 100)
            if ready < 0, errno != EINTR { return }
            guard ready > 0 else { continue }
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return }
        }
    }

    private func deliver(_ decoder: inout FrameDecoder) throws(OwnershipError) {
        var frames: [Frame] = []
        var failure: OwnershipError?
        do throws(OwnershipError) {
            while let frame = try decoder.next() { frames.append(frame) }
        } catch {
            failure = error
        }
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.lastHeard = .now
            for frame in frames {
                let size = frame.weight
                state.inbox.append((frame, size))
                state.inboxSize += size
            }
            guard frames.isEmpty == false else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
        if let failure { throw failure }
    }

    /// - Returns: `false` when the peer takes no more.
    private func write(_ descriptor: Int32) -> Bool {
        let slice = state.withLock { state in Array(state.outbox[state.outboxStart...].prefix(1 << 16)) }
        guard slice.isEmpty == false else { return true }
        // A peer that has gone must not end us.
        let count = unsafe slice.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        let drainers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.outboxStart += count
            if state.outboxStart >= state.outbox.count {
                (state.outbox, state.outboxStart) = ([], 0)
            } else if state.outboxStart > 1 << 20 {
                state.outbox.removeFirst(state.outboxStart)
                state.outboxStart = 0
            }
            guard state.outbox.count - state.outboxStart <= Self.outboxGoal else { return [] }
            defer { state.drainers = [] }
            return state.drainers
        }
        for drainer in drainers { drainer.resume() }
        return true
    }

    private func finish(_ failure: OwnershipError?) {
        let (reader, drainers, wakeWriter) = state.withLock { state in
            state.hasEnded = true
            state.outbox = []
            state.outboxStart = 0
            if state.failure == nil { state.failure = failure }
            let wakeWriter = state.wake
            state.wake = -1
            defer { (state.reader, state.drainers) = (nil, []) }
            return (state.reader, state.drainers, wakeWriter)
        }
        Glibc.close(wakeWriter)
        reader?.resume()
        for drainer in drainers { drainer.resume() }
    }
}

extension Frame {
    /// About how much memory it holds; never zero, so that a flood of empty frames is bounded too.
    fileprivate var weight: Int {
        switch self {
        case .input(let bytes), .output(let bytes): bytes.count + 64
        case .refused(let text), .note(let text), .problem(let text): text.utf8.count + 64
        default: 256
        }
    }
}
