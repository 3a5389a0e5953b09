internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// One running child and the thread that attends to it.
///
/// All blocking happens in `poll` on that thread, so a child never holds a thread of Swift's pool. The thread wakes for
/// data, for the child's end (a pidfd), for the deadline, and for a byte on a pipe of its own.
final class ChildProcess: Sendable {
    struct Ending: Sendable {
        var status: Subprocess.ExitStatus
        var errorOutput: [UInt8]
        var reachedDeadline: Bool
    }

    private struct State {
        var output: [UInt8] = []
        var outputEnded = false
        var errorOutput: [UInt8] = []
        var input: [UInt8] = []
        var inputOffset = 0
        var keepsInputOpen = false
        /// Whether nothing more can be written: the child closed its input, or is gone.
        var inputEnded = false
        var writer: CheckedContinuation<Void, Never>?
        var wantsKill = false
        var deadline: ContinuousClock.Instant?
        var reachedDeadline = false
        var ending: Ending?
        /// Where a byte wakes the thread; -1 once it has gone.
        var wake: Int32 = -1
        var reader: CheckedContinuation<Void, Never>?
        var watchers: [CheckedContinuation<Ending, Never>] = []
    }

    /// Reading from the child stops while this much waits for our reader.
    private static let highWater = 1 << 18
    private let state = Mutex(State())
    private let errorLimit: Int
    let processID: pid_t

    /// Starts the program.
    ///
    /// - Parameter keepsInputOpen: Whether more may be written later; else the input ends after the request's bytes.
    init(_ request: Subprocess.Request, keepsInputOpen: Bool) throws(SubprocessError) {
        var program = try Subprocess.locate(request.program, package: request.package)
        var arguments = [request.program] + request.arguments
        if request.memoryLimit != nil || request.processorTimeLimit != nil {
            let limiter = try Subprocess.locate("prlimit", package: "util-linux")
            var limits = [limiter]
            if let bytes = request.memoryLimit { limits.append("--as=\(bytes)") }
            if let seconds = request.processorTimeLimit { limits.append("--cpu=\(seconds)") }
            arguments = limits + [program] + request.arguments
            program = limiter
        }
        var environment = ["PATH": Subprocess.searchPath.joined(separator: ":"), "LANG": "C.UTF-8"]
        if request.needsHome { environment["HOME"] = NSHomeDirectory() }
        environment.merge(request.environment) { _, given in given }

        var ours: [Int32] = []
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        func fail(_ message: String) -> SubprocessError {
            for descriptor in ours { close(descriptor) }
            return SubprocessError(.notStarted, message)
        }
        func openPipe() throws(SubprocessError) -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw fail("no pipe to \(request.program): \(systemMessage(errno))") }
            return (ends[0], ends[1])
        }

        let output = try openPipe()
        (ours, theirs) = ([output.read], [output.write])
        let errors = try openPipe()
        ours.append(errors.read)
        theirs.append(errors.write)
        let waking = try openPipe()
        ours += [waking.read, waking.write]
        var inputWriter: Int32 = -1
        let inputReader: Int32
        switch request.input {
        case .file(let path):
            inputReader = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard inputReader >= 0 else { throw fail("cannot read \(path): \(systemMessage(errno))") }
        case .none where keepsInputOpen == false:
            inputReader = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard inputReader >= 0 else { throw fail("cannot read /dev/null: \(systemMessage(errno))") }
        case .none, .bytes:
            let input = try openPipe()
            (inputReader, inputWriter) = (input.read, input.write)
            ours.append(input.write)
        }
        theirs.append(inputReader)
        for descriptor in ours { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

        let outcome = spawn(
            program, arguments, environment: environment.map { "\($0.key)=\($0.value)" }, workingDirectory: request.workingDirectory,
            descriptors: [inputReader, output.write, errors.write])
        guard case .success(let processID) = outcome else {
            if case .failure(let error) = outcome { throw fail("cannot start \(request.program): \(systemMessage(error.number))") }
            throw fail("cannot start \(request.program)")
        }
        self.processID = processID
        errorLimit = request.maximumErrorOutput
        let exit = pidfd_open(processID, 0)
        guard exit >= 0 else {
            let number = errno
            _ = Glibc.kill(-processID, SIGKILL)
            _ = waitpid(processID, nil, 0)
            throw fail("cannot watch \(request.program): \(systemMessage(number))")
        }
        state.withLock { state in
            if case .bytes(let bytes) = request.input { state.input = bytes }
            state.keepsInputOpen = keepsInputOpen
            state.deadline = request.deadline.map { ContinuousClock.now + $0 }
            state.wake = waking.write
        }
        let descriptors = Descriptors(output: output.read, errors: errors.read, input: inputWriter, wake: waking.read, exit: exit)
        // A thread of our own: it lives as long as the child and blocks in poll.
        Thread.detachNewThread { [self] in attend(descriptors) }
    }

    /// Kills the process group. Safe to call at any time, from any thread, and more than once.
    func kill() {
        state.withLock { state in
            state.wantsKill = true
            wake(state)
        }
    }

    /// Adds bytes to what the child reads.
    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            state.input += bytes
            wake(state)
        }
    }

    /// Adds bytes to what the child reads, waiting while it is far behind.
    ///
    /// - Returns: `false` when the child takes nothing more.
    func feed(_ bytes: [UInt8]) async -> Bool {
        let isTaken = state.withLock { state in
            guard state.inputEnded == false else { return false }
            state.input += bytes
            wake(state)
            return true
        }
        guard isTaken else { return false }
        await withCheckedContinuation { continuation in
            let runNow = state.withLock { state in
                if state.inputEnded || state.input.count - state.inputOffset < Self.highWater { return true }
                state.writer = continuation
                return false
            }
            if runNow { continuation.resume() }
        }
        return state.withLock { $0.inputEnded == false }
    }

    /// Ends what the child reads, once it has read all that was written.
    func endInput() {
        state.withLock { state in
            state.keepsInputOpen = false
            wake(state)
        }
    }

    /// Sets or lifts the moment at which the child is killed.
    func setDeadline(_ deadline: ContinuousClock.Instant?) {
        state.withLock { state in
            state.deadline = deadline
            wake(state)
        }
    }

    /// What the child has written since the last call, waiting for some; `nil` at the end. One reader only.
    func nextChunk() async -> [UInt8]? {
        while true {
            let (chunk, ended): ([UInt8], Bool) = state.withLock { state in
                defer { state.output = [] }
                if state.output.count >= Self.highWater { wake(state) }
                return (state.output, state.outputEnded)
            }
            if chunk.isEmpty == false { return chunk }
            if ended { return nil }
            await withCheckedContinuation { continuation in
                let runNow = state.withLock { state in
                    if state.output.isEmpty == false || state.outputEnded { return true }
                    state.reader = continuation
                    return false
                }
                if runNow { continuation.resume() }
            }
        }
    }

    /// How it ended, once it has been reaped.
    func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending: Ending? = state.withLock { state in
                if state.ending == nil { state.watchers.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    private func wake(_ state: borrowing State) {
        guard state.wake >= 0 else { return }
        var byte: UInt8 = 0
        // A full pipe already wakes the thread.
        _ = unsafe Glibc.write(state.wake, &byte, 1)
    }

    private struct Descriptors: Sendable {
        var output, errors, input, wake, exit: Int32
    }

    /// Reads, writes and waits until the child is gone; runs on the thread of its own.
    private func attend(_ descriptors: Descriptors) {
        // A child that closes its input must not end us: here the signal is blocked, and the write fails with EPIPE.
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)

        var open = descriptors
        var status: Subprocess.ExitStatus?
        var wasKilled = false
        while status == nil || open.output >= 0 || open.errors >= 0 {
            var (wantsOutput, wantsInput, timeout): (Bool, Bool, Int32) = state.withLock { state in
                let milliseconds = state.deadline.map { deadline -> Int32 in
                    let left = max(.zero, deadline - ContinuousClock.now).components
                    return Int32(min(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 60_000))
                }
                return (state.output.count < Self.highWater, state.inputOffset < state.input.count, milliseconds ?? -1)
            }
            if state.withLock({ $0.keepsInputOpen }) == false, wantsInput == false, open.input >= 0 {
                close(open.input)
                open.input = -1
            }
            wantsInput = wantsInput && open.input >= 0
            wantsOutput = wantsOutput && open.output >= 0
            if wasKilled { timeout = -1 }
            var polls = [
                pollfd(fd: open.wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: status == nil ? open.exit : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wantsOutput ? open.output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: open.errors, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wantsInput ? open.input : -1, events: Int16(POLLOUT), revents: 0),
            ]
            // Once the child is gone, only what is already in the pipes is awaited.
            let isDraining = status != nil && wantsOutput
            let ready = unsafe poll(&polls, nfds_t(polls.count), isDraining ? 0 : timeout)
            if ready < 0, errno != EINTR { break }
            if polls[0].revents != 0 { _ = read(open.wake, limit: 512) }

            let isLate = state.withLock { state in
                guard status == nil, let deadline = state.deadline, ContinuousClock.now >= deadline else { return false }
                state.reachedDeadline = true
                return true
            }
            if status == nil, wasKilled == false, isLate || state.withLock({ $0.wantsKill }) {
                wasKilled = true
                _ = Glibc.kill(-processID, SIGKILL)
            }
            if polls[1].revents != 0 {
                // Descendants in the group first, while the unreaped child still keeps its number from being used again.
                _ = Glibc.kill(-processID, SIGKILL)
                status = reap()
            }
            if wantsInput, polls[4].revents != 0 { writeInput(&open.input) }
            if polls[3].revents != 0 || (status != nil && open.errors >= 0) { readErrors(&open.errors, isGone: status != nil) }
            if wantsOutput, polls[2].revents != 0 || status != nil { readOutput(&open.output, isGone: status != nil) }
            if wasKilled, status != nil, open.output >= 0 {
                close(open.output)
                open.output = -1
                endOutput()
            }
        }
        finish(open, status: status ?? reap())
    }

    private func reap() -> Subprocess.ExitStatus {
        var raw: Int32 = 0
        while unsafe waitpid(processID, &raw, 0) < 0, errno == EINTR {}
        let signal = raw & 0x7F
        return signal == 0 ? .exited((raw >> 8) & 0xFF) : .signaled(signal)
    }

    private func read(_ descriptor: Int32, limit: Int) -> (bytes: [UInt8], count: Int) {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = unsafe Glibc.read(descriptor, buffer.baseAddress, limit)
            filled = max(0, count)
        }
        return (bytes, count)
    }

    private func readOutput(_ descriptor: inout Int32, isGone: Bool) {
        let (bytes, count) = read(descriptor, limit: 1 << 16)
        if count > 0 {
            let reader = state.withLock { state in
                state.output += bytes
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume()
        } else if count == 0 || (errno != EINTR && (errno != EAGAIN || isGone)) {
            close(descriptor)
            descriptor = -1
            endOutput()
        }
    }

    private func endOutput() {
        let reader = state.withLock { state in
            state.outputEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    private func readErrors(_ descriptor: inout Int32, isGone: Bool) {
        let (bytes, count) = read(descriptor, limit: 1 << 14)
        if count > 0 {
            state.withLock { state in state.errorOutput += bytes.prefix(max(0, errorLimit - state.errorOutput.count)) }
        } else if count == 0 || (errno != EINTR && (errno != EAGAIN || isGone)) {
            close(descriptor)
            descriptor = -1
        }
    }

    private func writeInput(_ descriptor: inout Int32) {
        let slice = state.withLock { state in Array(state.input[state.inputOffset...].prefix(1 << 16)) }
        var writer: CheckedContinuation<Void, Never>?
        defer { writer?.resume() }
        let count = unsafe slice.withUnsafeBytes { bytes in unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
        if count >= 0 {
            state.withLock { state in
                state.inputOffset += count
                if state.inputOffset == state.input.count { (state.input, state.inputOffset) = ([], 0) }
                if state.input.count - state.inputOffset < Self.highWater { swap(&writer, &state.writer) }
            }
        } else if errno != EAGAIN, errno != EINTR {
            // The child has closed its input: a program may know enough before the end.
            close(descriptor)
            descriptor = -1
            state.withLock { state in
                state.inputEnded = true
                (state.input, state.inputOffset) = ([], 0)
                swap(&writer, &state.writer)
            }
        }
    }

    private func finish(_ open: Descriptors, status: Subprocess.ExitStatus) {
        let (reader, writer, watchers, ending, wake) = state.withLock { state in
            let ending = Ending(status: status, errorOutput: state.errorOutput, reachedDeadline: state.reachedDeadline)
            state.ending = ending
            state.outputEnded = true
            let wake = state.wake
            state.wake = -1
            state.inputEnded = true
            defer { (state.reader, state.writer, state.watchers) = (nil, nil, []) }
            return (state.reader, state.writer, state.watchers, ending, wake)
        }
        for descriptor in [open.output, open.errors, open.input, open.wake, open.exit, wake] where descriptor >= 0 { close(descriptor) }
        reader?.resume()
        writer?.resume()
        for watcher in watchers { watcher.resume(returning: ending) }
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private struct SystemError: Error { var number: Int32 }

/// Starts a program in a new process group with exactly three descriptors, default signals and an empty signal mask.
private func spawn(
    _ program: String, _ arguments: [String], environment: [String], workingDirectory: String, descriptors: [Int32]
) -> Result<pid_t, SystemError> {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (target, descriptor) in descriptors.enumerated() {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
    }
    // Descriptors that C libraries opened without O_CLOEXEC stay ours.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, Int32(descriptors.count))
    unsafe posix_spawn_file_actions_addchdir_np(&actions, workingDirectory)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var argumentPointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var environmentPointers = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { for unsafe pointer in unsafe argumentPointers + environmentPointers { unsafe free(pointer) } }
    var processID: pid_t = 0
    let result = unsafe posix_spawn(&processID, program, &actions, &attributes, &argumentPointers, &environmentPointers)
    return result == 0 ? .success(processID) : .failure(SystemError(number: result))
}
