import Foundation
import SottoJobStore

/// Jobs and schedules as `--json` prints them.
struct JobReport: Sendable, Encodable {
    var id: Int64
    var kind: String
    var title: String
    var state: String
    /// `done`, `short`, or nothing while it has not been completed.
    var outcome: String?
    var gaps: [String]
    var createdAt: String
    var dueAt: String
    var startedAt: String?
    var finishedAt: String?
    var lastHeard: String?
    var attempt: Int
    var maximumAttempts: Int
    var isCancelRequested: Bool
    var error: String?
    var parent: Int64?
    var schedule: Int64?
    var scheduledFor: String?

    init(_ job: Job) {
        id = job.id.rawValue
        kind = job.kind
        title = job.title
        state = job.state.rawValue
        outcome = job.outcome.map { $0.gaps.isEmpty ? "done" : "short" }
        gaps = job.outcome?.gaps ?? []
        createdAt = job.createdAt.reportText
        dueAt = job.dueAt.reportText
        startedAt = job.startedAt?.reportText
        finishedAt = job.finishedAt?.reportText
        lastHeard = job.lastHeard?.reportText
        attempt = job.attempt
        maximumAttempts = job.maximumAttempts
        isCancelRequested = job.isCancelRequested
        error = job.error
        parent = job.parent?.rawValue
        schedule = job.schedule?.rawValue
        scheduledFor = job.scheduledFor?.reportText
    }
}

struct ScheduleReport: Sendable, Encodable {
    var id: Int64
    var kind: String
    var title: String
    var rule: String
    var zone: String
    var createdAt: String
    var nextRun: String?
    var lastRun: String?
    var lastCheck: String?
    var missed: Int

    init(_ schedule: Schedule) {
        id = schedule.id.rawValue
        kind = schedule.kind
        title = schedule.title
        rule = schedule.rule
        zone = schedule.zone
        createdAt = schedule.createdAt.reportText
        nextRun = schedule.nextRun?.reportText
        lastRun = schedule.lastRun?.reportText
        lastCheck = schedule.lastCheck?.reportText
        missed = schedule.missed
    }
}

struct AgentsListReport: Sendable, Encodable {
    var schemaVersion = 1
    /// Whether a process works on the queue.
    var served: Bool
    var jobs: [JobReport]
    var schedules: [ScheduleReport]
}

struct AgentsAddReport: Sendable, Encodable {
    var schemaVersion = 1
    /// Of the job; absent for a schedule.
    var id: Int64?
    /// Of the schedule; absent for a job.
    var schedule: Int64?
    var dueAt: String?
    var nextRun: String?
}

struct AgentsChangeReport: Sendable, Encodable {
    var schemaVersion = 1
    var jobs: [JobReport]
}

struct AgentsShowReport: Sendable, Encodable {
    struct Event: Sendable, Encodable {
        var id: Int64
        var date: String
        var attempt: Int
        var kind: String
        var step: String
        var text: String

        init(_ event: JobEvent) {
            id = event.id
            date = event.date.reportText
            attempt = event.attempt
            kind = event.kind.rawValue
            step = event.step
            text = event.text
        }
    }
    struct Step: Sendable, Encodable {
        var name: String
        var attempt: Int
        var startedAt: String
        var finishedAt: String

        init(_ step: JobStep) {
            name = step.name
            attempt = step.attempt
            startedAt = step.startedAt.reportText
            finishedAt = step.finishedAt.reportText
        }
    }

    var schemaVersion = 1
    var job: JobReport
    /// What was asked.
    var request: JSONValue?
    var steps: [Step]
    var events: [Event]
    var findings: String?
    var summary: String?
    /// The handler's own report.
    var result: JSONValue?

    init(job: Job, steps: [JobStep], events: [JobEvent], result: JobResult?) {
        self.job = JobReport(job)
        request = JSONValue(parsing: job.payload)
        self.steps = steps.map(Step.init)
        self.events = events.map(Event.init)
        findings = result?.findings
        summary = result?.summary
        self.result = result.flatMap { JSONValue(parsing: $0.body) }
    }
}

extension JSONValue {
    init?(parsing text: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}

extension Date {
    /// ISO 8601 in UTC, to the millisecond.
    var reportText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
