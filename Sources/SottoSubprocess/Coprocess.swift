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
}
