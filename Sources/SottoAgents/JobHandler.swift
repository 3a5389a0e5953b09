public import SottoJobStore

/// Does the work of one kind of job.
///
/// The runner calls it for every attempt. What it must not do twice belongs into steps, whose outputs are kept; everything between them may be
/// done again after a crash and must therefore change nothing outside.
public protocol JobHandler: Sendable {
    /// Stands in every row of the store; never renamed.
    var kind: String { get }

    /// Does the job, or what is left of it.
    ///
    /// - Throws: `CancellationError` within a second of a cancel; ``JobFailure`` to say whether trying again makes sense; any other error is
    ///   taken as passing.
    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult

    /// What can be shown of a job that was cancelled or has failed: made from its kept steps alone. `nil` when there is nothing to show.
    func partialResult(of job: Job, steps: [JobStep]) -> JobResult?
}

/// What a handler is given to keep its steps by.
public protocol JobSteps: Sendable {
    /// Runs a step unless an earlier attempt has finished it, and keeps its output.
    ///
    /// - Parameters:
    ///   - name: Unique within the job, and the same in every attempt.
    ///   - limit: After this time the step is cancelled and fails as timed out; the watchdog of work that hangs. A body that does not end
    ///     within a moment of being cancelled is left behind, and what it returns is dropped.
    ///   - body: Runs off the caller's actor. When it returns, its output is kept even if the job was cancelled meanwhile.
    /// - Throws: ``JobStoreError`` `.leaseLost` when another worker has the job by now; ``JobFailure`` when the time is up, or when what an earlier
    ///   attempt kept is not an `Output`.
    @discardableResult
    func step<Output: Codable & Sendable>(
        _ name: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output

    /// Tells how far a step has come; one row in the job's log, and at most a few a second.
    func progress(_ text: String) async

    /// The result of another job, such as the one that is followed up.
    func result(of id: JobID) async throws -> JobResult?
}

extension JobSteps {
    /// A step without an output; that it is done is kept as `true`.
    public func step(_ name: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await step(name, limit: limit) {
            try await body()
            return true
        }
    }
}

/// A failure that knows whether another attempt can help.
public struct JobFailure: Error, Sendable, CustomStringConvertible {
    /// What failed and what to do.
    public var message: String
    /// `false` for what will be the same next time: a bad request, a missing model.
    public var isPassing: Bool

    public init(_ message: String, isPassing: Bool) {
        self.message = message
        self.isPassing = isPassing
    }

    public var description: String { message }
}
