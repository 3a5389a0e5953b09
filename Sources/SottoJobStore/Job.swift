public import Foundation

/// The number of a job: given once and never used again, even after the job was removed.
public struct JobID: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    public var rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Int64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// Where a job stands.
public enum JobState: String, Sendable, Codable, CaseIterable {
    /// Waits for its time and for a worker.
    case queued
    /// A worker holds a lease on it.
    case running
    case completed, failed, cancelled

    /// Whether nothing will happen to it by itself any more.
    public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// How a completed job met what was asked of it.
public enum JobOutcome: Sendable, Equatable, Codable {
    case done
    /// Done, short of the request: what is missing, one sentence each.
    case short(gaps: [String])

    public var gaps: [String] {
        switch self {
        case .done: []
        case .short(let gaps): gaps
        }
    }
}

/// A job as the store knows it.
public struct Job: Sendable, Equatable, Codable, Identifiable {
    public var id: JobID
    /// Names the handler; stored in every row, so never renamed.
    public var kind: String
    /// One line for lists and notices.
    public var title: String
    /// The handler's own JSON.
    public var payload: String
    public var state: JobState
    public var createdAt: Date
    /// Not before this time.
    public var dueAt: Date
    /// When the first attempt began.
    public var startedAt: Date?
    public var finishedAt: Date?
    /// Attempts so far; the first is 1.
    public var attempt: Int
    /// Attempts since a step was last finished: what ``maximumAttempts`` bounds, so that a job that gets on is never given up.
    public var attemptsWithoutProgress: Int
    public var maximumAttempts: Int
    /// The current or the last lease.
    public var lease: JobLease?
    /// When its worker last gave a sign of life.
    public var lastHeard: Date?
    public var isCancelRequested: Bool
    public var outcome: JobOutcome?
    /// Why it failed or waits to be tried again, and what to do.
    public var error: String?
    /// The job that this one follows up.
    public var parent: JobID?
    public var schedule: ScheduleID?
    /// The time of the schedule that this run stands for.
    public var scheduledFor: Date?
    /// Rises with every change of the row, so that a stale reader can be told.
    public var revision: Int

    public init(
        id: JobID, kind: String, title: String, payload: String, state: JobState, createdAt: Date, dueAt: Date, startedAt: Date? = nil,
        finishedAt: Date? = nil, attempt: Int = 0, attemptsWithoutProgress: Int = 0, maximumAttempts: Int, lease: JobLease? = nil,
        lastHeard: Date? = nil, isCancelRequested: Bool = false, outcome: JobOutcome? = nil, error: String? = nil, parent: JobID? = nil,
        schedule: ScheduleID? = nil, scheduledFor: Date? = nil, revision: Int = 1
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.payload = payload
        self.state = state
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.attempt = attempt
        self.attemptsWithoutProgress = attemptsWithoutProgress
        self.maximumAttempts = maximumAttempts
        self.lease = lease
        self.lastHeard = lastHeard
        self.isCancelRequested = isCancelRequested
        self.outcome = outcome
        self.error = error
        self.parent = parent
        self.schedule = schedule
        self.scheduledFor = scheduledFor
        self.revision = revision
    }
}

/// A job to be added.
public struct NewJob: Sendable, Equatable {
    public var kind: String
    public var title: String
    public var payload: String
    /// At once when `nil`.
    public var dueAt: Date?
    /// Attempts without a finished step after which the job is parked as failed; at least 1.
    public var maximumAttempts: Int
    public var parent: JobID?

    public init(kind: String, title: String, payload: String, dueAt: Date? = nil, maximumAttempts: Int = 3, parent: JobID? = nil) {
        self.kind = kind
        self.title = title
        self.payload = payload
        self.dueAt = dueAt
        self.maximumAttempts = max(1, maximumAttempts)
        self.parent = parent
    }
}
