internal import Foundation
internal import SottoJobStore

/// Reads and writes the rows of jobs and their logs. Inside a transaction only.
enum JobRows {
    static let columns = """
        id, kind, title, payload, state, createdAt, dueAt, startedAt, finishedAt, attempt, attemptsWithoutProgress, maximumAttempts, leaseWorker, \
        leaseToken, leaseBoot, leaseExpires, lastHeard, isCancelRequested, outcome, error, parent, schedule, scheduledFor, revision
        """

    /// What a worker's write must find; ?1 is the job, ?2 the token.
    static let isHeld = "id = ?1 AND state = 'running' AND leaseToken = ?2"

    static func job(_ row: SQLiteRow) throws -> Job {
        guard let state = JobState(rawValue: row.text(4)) else {
            throw JobStoreError(.corrupt, "job \(row.integer(0)) is in a state that this version does not know; update Sotto")
        }
        let lease: JobLease? = row.isNull(13)
            ? nil : JobLease(worker: row.text(12), token: row.integer(13), boot: row.text(14), expires: row.integer(15))
        return Job(
            id: JobID(row.integer(0)), kind: row.text(1), title: row.text(2), payload: row.text(3), state: state,
            createdAt: Date(microseconds: row.integer(5)), dueAt: Date(microseconds: row.integer(6)), startedAt: date(row, 7), finishedAt: date(row, 8),
            attempt: Int(row.integer(9)), attemptsWithoutProgress: Int(row.integer(10)), maximumAttempts: Int(row.integer(11)), lease: lease,
            lastHeard: date(row, 16), isCancelRequested: row.integer(17) != 0, outcome: row.isNull(18) ? nil : try outcome(row.text(18)),
            error: row.isNull(19) ? nil : row.text(19), parent: row.isNull(20) ? nil : JobID(row.integer(20)),
            schedule: row.isNull(21) ? nil : ScheduleID(row.integer(21)), scheduledFor: date(row, 22), revision: Int(row.integer(23)))
    }

    static func find(_ id: JobID, _ connection: SQLiteConnection) throws -> Job? {
        try connection.first("SELECT \(columns) FROM jobs WHERE id = ?", [SQLiteValue(id.rawValue)], job)
    }

    static func existing(_ id: JobID, _ connection: SQLiteConnection) throws -> Job {
        guard let job = try find(id, connection) else { throw JobText.notFound(id) }
        return job
    }

    /// Changes the jobs for which `condition` holds, counts the revision up, and tells each new state in the log.
    ///
    /// - Returns: The changed jobs, by number.
    @discardableResult
    static func change(
        _ assignments: String, where condition: String, _ values: [SQLiteValue], at now: JobInstant, _ connection: SQLiteConnection
    ) throws -> [Job] {
        let sql = "UPDATE jobs SET \(assignments), revision = revision + 1 WHERE \(condition) RETURNING \(columns)"
        let changed = try connection.query(sql, values, job).sorted { $0.id < $1.id }
        for job in changed { try tell(.state, JobText.state(job), job, at: now, connection) }
        return changed
    }

    /// As ``change(_:where:_:at:_:)`` for the one job that `claim` holds; `values` begin at ?3.
    @discardableResult
    static func change(
        _ claim: JobClaim, _ assignments: String, _ values: [SQLiteValue], at now: JobInstant, _ connection: SQLiteConnection
    ) throws -> Job {
        let held: [SQLiteValue] = [SQLiteValue(claim.id.rawValue), SQLiteValue(claim.token)]
        guard let job = try change(assignments, where: isHeld, held + values, at: now, connection).first else { throw JobText.leaseLost(claim) }
        return job
    }

    static func tell(
        _ kind: JobEvent.Kind, step: String = "", _ text: String, _ job: Job, at now: JobInstant, _ connection: SQLiteConnection
    ) throws {
        try connection.execute(
            "INSERT INTO job_events (job, date, attempt, kind, step, text) VALUES (?, ?, ?, ?, ?, ?)",
            [SQLiteValue(job.id.rawValue), value(now.date), SQLiteValue(job.attempt), .text(kind.rawValue), .text(step), .text(text)])
    }

    static func insert(_ new: NewJob, schedule: ScheduleID?, scheduledFor: Date?, at now: JobInstant, _ connection: SQLiteConnection) throws -> Job {
        let inserted = try connection.query(
            """
            INSERT INTO jobs (kind, title, payload, state, createdAt, dueAt, maximumAttempts, parent, schedule, scheduledFor)
            VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?) RETURNING \(columns)
            """,
            [
                .text(new.kind), .text(new.title), .text(new.payload), value(now.date), value(new.dueAt ?? now.date),
                SQLiteValue(max(1, new.maximumAttempts)), new.parent.map { SQLiteValue($0.rawValue) } ?? .null,
                schedule.map { SQLiteValue($0.rawValue) } ?? .null, value(scheduledFor),
            ], job)
        guard let job = inserted.first else { throw JobStoreError(.failed, "the new job was not kept") }
        try tell(.state, JobText.state(job), job, at: now, connection)
        return job
    }

    /// Writes a job's one result; a second one breaks the primary key.
    static func insert(_ result: JobResult, of id: JobID, _ connection: SQLiteConnection) throws {
        try connection.execute(
            "INSERT INTO job_results (job, body, findings, summary, outcome) VALUES (?, ?, ?, ?, ?)",
            [SQLiteValue(id.rawValue), .text(result.body), .text(result.findings), .text(result.summary), .text(try text(result.outcome))])
    }

    static func value(_ date: Date?) -> SQLiteValue { date.map { SQLiteValue($0.microseconds) } ?? .null }
    static func date(_ row: SQLiteRow, _ column: Int) -> Date? { row.isNull(column) ? nil : Date(microseconds: row.integer(column)) }

    static func text(_ outcome: JobOutcome) throws -> String { String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self) }
    static func outcome(_ text: String) throws -> JobOutcome {
        do { return try JSONDecoder().decode(JobOutcome.self, from: Data(text.utf8)) } catch {
            throw JobStoreError(.corrupt, "a job's outcome cannot be read: \(text)")
        }
    }
}
