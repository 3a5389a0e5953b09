/// A program that stays alive and answers requests on its standard output, one at a time.
///
/// Answers have no length of their own, so the caller says when one is whole.
public final class Coprocess: Sendable {
    private let child: ChildProcess
    private let program: String

    /// Starts the program; ``Subprocess/Request/deadline`` bounds its whole life.
    ///
    /// - Throws: ``SubprocessError`` `.notFound` or `.notStarted`.
    public init(_ request: Subprocess.Request) throws(SubprocessError) {
        child = try ChildProcess(request, keepsInputOpen: true)
        program = request.program
    }

    deinit { child.kill() }

    /// The child's process number, for reports and tests.
    public var processID: Int32 { child.processID }

    /// Writes a request and reads until the answer is whole. One exchange at a time: the caller serializes.
    ///
    /// After any error, cancellation included, the child is gone: an answer cut short would be taken for the next one's.
    /// - Parameters:
    ///   - limit: The most bytes of one answer.
    ///   - deadline: How long the answer may take.
    ///   - isComplete: Looks at everything read so far.
    /// - Throws: ``SubprocessError`` `.ended`, `.outputTooLarge` or `.deadlineExceeded`; `CancellationError`.
    public func exchange(
        _ request: [UInt8], limit: Int = 1 << 20, deadline: Duration, until isComplete: ([UInt8]) -> Bool
    ) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            child.setDeadline(ContinuousClock.now + deadline)
            child.write(request)
            var answer: [UInt8] = []
            while isComplete(answer) == false {
                guard let chunk = await child.nextChunk() else {
                    try Task.checkCancellation()
                    let ending = await child.ending()
                    if ending.reachedDeadline {
                        throw SubprocessError(.deadlineExceeded, "\(program) did not answer within \(deadline); it was stopped")
                    }
                    let cause = SubprocessError.failure(of: program, status: ending.status, errorOutput: ending.errorOutput)
                    throw SubprocessError(.ended, "\(program) ended before it answered", cause: cause)
                }
                answer += chunk
                if answer.count > limit {
                    child.kill()
                    throw SubprocessError(.outputTooLarge, "\(program) answered with more than \(limit) bytes; it was stopped")
                }
            }
            child.setDeadline(nil)
            return answer
        } onCancel: {
            child.kill()
        }
    }

    // MARK: In pieces, for protocols whose messages say where they end

    /// Adds bytes to what the child reads. What a child that is gone does not read is dropped.
    public func write(_ bytes: [UInt8]) { child.write(bytes) }

    /// What the child has written since the last call, waiting for some. One reader only.
    ///
    /// Waiting is not ended by a cancellation: who cancels says so to the child, and gives it a time with ``setDeadline(_:)``.
    /// - Throws: ``SubprocessError`` `.deadlineExceeded` or `.ended`, whose cause names the status and the last line of standard error.
    public func read() async throws(SubprocessError) -> [UInt8] {
        if let piece = await child.nextChunk() { return piece }
        let ending = await child.ending()
        let cause = SubprocessError.failure(of: program, status: ending.status, errorOutput: ending.errorOutput)
        if ending.reachedDeadline { throw SubprocessError(.deadlineExceeded, "\(program) did not answer in time; it was stopped", cause: cause) }
        throw SubprocessError(.ended, "\(program) ended before it answered", cause: cause)
    }

    /// Kills the child after a time from now, or lifts that.
    public func setDeadline(_ time: Duration?) { child.setDeadline(time.map { ContinuousClock.now + $0 }) }

    /// Kills the child and all that it started, at once.
    public func kill() { child.kill() }

    /// Waits until the child is gone and reaped.
    public func waitForEnd() async { _ = await child.ending() }
}
