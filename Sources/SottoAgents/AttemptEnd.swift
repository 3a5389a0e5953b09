internal import Foundation
internal import SottoJobStore

/// Why an attempt was told to stop.
enum StopReason: Sendable, Equatable { case cancelled, leaseLost, shutdown }

/// What is to be written when an attempt is over.
enum AttemptEnd: Sendable, Equatable {
    case complete(JobResult)
    /// - retryAt: `nil` when another attempt would end the same.
    case fail(String, retryAt: Date?)
    case cancelled
    case release
    /// Nothing: somebody else has the job.
    case drop

    /// - Parameters:
    ///   - outcome: What the handler came to; `nil` when it did not end in time after being told to stop.
    ///   - failures: Attempts in a row without a finished step, this one included.
    ///   - chance: In [0, 1).
    init(_ outcome: Result<JobResult, any Error>?, stop: StopReason?, failures: Int, policy: RetryPolicy, chance: Double, at now: Date) {
        switch (outcome, stop) {
        case (_, .leaseLost): self = .drop
        case (.success(let result), _): self = .complete(result)
        case (.failure(let error as JobStoreError), _) where error.code == .leaseLost: self = .drop
        case (_, .cancelled): self = .cancelled
        case (_, .shutdown): self = .release
        case (.failure(let error), nil):
            let isPassing = (error as? JobFailure)?.isPassing ?? true
            let delay = policy.delay(afterFailures: failures, chance: chance)
            self = .fail(AttemptEnd.text(error), retryAt: isPassing ? now.addingTimeInterval(delay / .seconds(1)) : nil)
        // Only a stop ends the wait for the handler.
        case (nil, nil): self = .fail("the attempt ended without a word", retryAt: now)
        }
    }

    /// One line of cause for people.
    static func text(_ error: any Error) -> String {
        if error is CancellationError { return "it stopped by itself before it was done" }
        let text = String(describing: error)
        return text.isEmpty ? "failed without saying why" : text
    }
}
