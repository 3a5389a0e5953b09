internal import Foundation

/// The words of a job's log and causes, the same in every store.
package enum JobText {
    /// The text of a `.state` event.
    package static func state(_ job: Job) -> String {
        switch job.state {
        case .queued, .failed: [job.state.rawValue, job.error].compactMap { $0 }.joined(separator: ": ")
        case .running: "running: attempt \(job.attempt) by \(job.lease?.worker ?? "")"
        case .cancelled: "cancelled"
        case .completed:
            (job.outcome?.gaps ?? []).isEmpty
                ? "completed" : "completed, short of the request: " + (job.outcome?.gaps ?? []).joined(separator: " ")
        }
    }

    package static let cancelRequested = "asked to stop"

    package static func finished(_ step: JobStep) -> String {
        let milliseconds = Int((step.finishedAt.timeIntervalSince(step.startedAt) * 1_000).rounded())
        return "\(milliseconds) ms"
    }

    /// Why an attempt was ended from outside, and what becomes of it.
    package static func lostWorker(_ job: Job) -> String {
        let cause = "attempt \(job.attempt) broke off: its worker \(job.lease?.worker ?? "") crashed, was killed, or was silent for longer than its lease"
        guard job.attemptsWithoutProgress >= job.maximumAttempts else { return cause }
        return cause + "; given up after \(job.attemptsWithoutProgress) attempts in which no step was finished: read its log, then retry it"
    }

    package static func notFound(_ id: JobID) -> JobStoreError { JobStoreError(.notFound, "there is no job \(id); `sotto agents list` shows all") }

    package static func leaseLost(_ claim: JobClaim) -> JobStoreError {
        JobStoreError(.leaseLost, "job \(claim.id) has ended or is another worker's by now; what this one found was not kept")
    }

    package static func stepKept(_ step: JobStep, _ claim: JobClaim) -> JobStoreError {
        JobStoreError(.wrongState, "step \(step.name) of job \(claim.id) is kept already; give each step a name of its own")
    }

    package static func cannot(_ verb: String, _ job: Job, _ advice: String) -> JobStoreError {
        JobStoreError(.wrongState, "job \(job.id) is \(job.state.rawValue) and cannot be \(verb); \(advice)")
    }

    package static func cannotRetry(_ job: Job) -> JobStoreError { cannot("retried", job, "only failed and cancelled jobs can") }
    package static func cannotRemove(_ job: Job) -> JobStoreError { cannot("removed", job, "cancel it first") }
    package static func cannotKeep(_ job: Job) -> JobStoreError {
        cannot("given a partial result", job, "only failed and cancelled jobs can")
    }
    package static func noSchedule(_ id: ScheduleID) -> JobStoreError {
        JobStoreError(.notFound, "there is no schedule \(id); `sotto agents list` shows all")
    }
}
