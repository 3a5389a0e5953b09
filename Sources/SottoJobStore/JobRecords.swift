public import Foundation

/// What a worker shows with every write: the job and the fencing token of its lease.
public struct JobClaim: Sendable, Equatable {
    public var id: JobID
    public var token: Int64

    public init(id: JobID, token: Int64) {
        self.id = id
        self.token = token
    }
}

/// A job that was just claimed, with all that its earlier attempts left.
public struct ClaimedJob: Sendable, Equatable {
    public var job: Job
    public var claim: JobClaim
    /// Finished steps of earlier attempts, in order.
    public var steps: [JobStep]

    public init(job: Job, claim: JobClaim, steps: [JobStep]) {
        self.job = job
        self.claim = claim
        self.steps = steps
    }
}

/// A finished step: its output is kept, so that no later attempt does it again.
public struct JobStep: Sendable, Equatable, Codable {
    /// One of the handler's names, unique within the job.
    public var name: String
    /// The attempt that finished it.
    public var attempt: Int
    public var startedAt: Date
    public var finishedAt: Date
    /// The handler's own JSON.
    public var output: String

    public init(name: String, attempt: Int, startedAt: Date, finishedAt: Date, output: String) {
        self.name = name
        self.attempt = attempt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.output = output
    }
}

/// One line of what happened, numbered across all jobs so that a reader can go on where it stopped.
public struct JobEvent: Sendable, Equatable, Codable, Identifiable {
    public enum Kind: String, Sendable, Codable {
        /// The job's state changed; the text is the new state and why.
        case state
        case stepStarted, stepFinished, stepFailed
        /// Progress inside a step.
        case progress
        case note
    }

    /// Rises over all jobs; gaps are possible.
    public var id: Int64
    public var job: JobID
    public var date: Date
    public var attempt: Int
    public var kind: Kind
    /// The step that it belongs to; empty for none.
    public var step: String
    public var text: String

    public init(id: Int64, job: JobID, date: Date, attempt: Int, kind: Kind, step: String = "", text: String) {
        self.id = id
        self.job = job
        self.date = date
        self.attempt = attempt
        self.kind = kind
        self.step = step
        self.text = text
    }
}

/// What a job came to; written once.
public struct JobResult: Sendable, Equatable, Codable {
    /// The handler's own JSON, with everything that was found.
    public var body: String
    /// Markdown.
    public var findings: String
    /// A few plain sentences for the ear.
    public var summary: String
    public var outcome: JobOutcome

    public init(body: String, findings: String, summary: String, outcome: JobOutcome) {
        self.body = body
        self.findings = findings
        self.summary = summary
        self.outcome = outcome
    }
}

/// What a heartbeat is answered.
public enum HeartbeatAnswer: Sendable, Equatable { case goOn, cancel }

/// Why a store refused; the message says what to do.
public struct JobStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Somebody else holds the job now, or it has ended: what was to be written is not.
        case leaseLost
        case notFound
        /// The job is in a state in which this cannot be done.
        case wrongState
        case busy, diskFull, corrupt, failed
    }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
