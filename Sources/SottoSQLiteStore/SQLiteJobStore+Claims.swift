public import Foundation
public import SottoJobStore

// What workers call. Every write but the claim itself names the claim.
extension SQLiteJobStore {
    public func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) async throws -> ClaimedJob? {
        try await write { connection in
            try Self.endLeases(of: try Self.expired(at: now, connection), at: now, connection)
            let places = (0..<kinds.count).map { "?\($0 + 6)" }.joined(separator: ", ")
            let end = JobLease(worker: worker, token: 0, from: now, lasting: lease)
            let claimed = try JobRows.change(
                """
                state = 'running', attempt = attempt + 1, attemptsWithoutProgress = attemptsWithoutProgress + 1,
                startedAt = coalesce(startedAt, ?1), lastHeard = ?1, error = NULL, leaseWorker = ?2, leaseBoot = ?3, leaseExpires = ?4,
                leaseToken = (SELECT last + 1 FROM job_tokens)
                """,
                where: """
                    id = (SELECT id FROM jobs WHERE state = 'queued' AND dueAt <= ?5 AND kind IN (\(places)) ORDER BY dueAt, id LIMIT 1)
                    """,
                [JobRows.value(now.date), .text(worker), .text(now.boot), SQLiteValue(end.expires), JobRows.value(now.date)]
                    + kinds.sorted().map(SQLiteValue.text), at: now, connection)
            guard let job = claimed.first, let token = job.lease?.token else { return nil }
            try connection.execute("UPDATE job_tokens SET last = ?", [SQLiteValue(token)])
            return ClaimedJob(job: job, claim: JobClaim(id: job.id, token: token), steps: try Self.steps(of: job.id, connection))
        }
    }

    public func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) async throws -> HeartbeatAnswer {
        try await write { connection in
            let answers = try connection.query(
                "UPDATE jobs SET leaseExpires = ?3, lastHeard = ?4, revision = revision + 1 WHERE \(JobRows.isHeld) RETURNING isCancelRequested",
                [
                    SQLiteValue(claim.id.rawValue), SQLiteValue(claim.token), SQLiteValue((now.uptime + lease).nanoseconds), JobRows.value(now.date),
                ]) { $0.integer(0) != 0 }
            guard let isCancelRequested = answers.first else { throw JobText.leaseLost(claim) }
            return isCancelRequested ? .cancel : .goOn
        }
    }

    public func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) async throws {
        try await write { connection in
            let held = try connection.query(
                "UPDATE jobs SET attemptsWithoutProgress = 0, revision = revision + 1 WHERE \(JobRows.isHeld) RETURNING \(JobRows.columns)",
                [SQLiteValue(claim.id.rawValue), SQLiteValue(claim.token)], JobRows.job)
            guard let job = held.first else { throw JobText.leaseLost(claim) }
            let isNew = try connection.execute(
                "INSERT INTO job_steps (job, name, attempt, startedAt, finishedAt, output) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (job, name) DO NOTHING",
                [
                    SQLiteValue(claim.id.rawValue), .text(step.name), SQLiteValue(step.attempt), JobRows.value(step.startedAt),
                    JobRows.value(step.finishedAt), .text(step.output),
                ]) > 0
            guard isNew else { throw JobText.stepKept(step, claim) }
            try JobRows.tell(.stepFinished, step: step.name, JobText.finished(step), job, at: now, connection)
        }
    }

    public func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) async throws {
        try await write { connection in
            let told = try connection.execute(
                """
                INSERT INTO job_events (job, date, attempt, kind, step, text)
                SELECT id, ?3, attempt, ?4, ?5, ?6 FROM jobs WHERE \(JobRows.isHeld)
                """,
                [
                    SQLiteValue(claim.id.rawValue), SQLiteValue(claim.token), JobRows.value(now.date), .text(kind.rawValue), .text(step), .text(text),
                ])
            guard told > 0 else { throw JobText.leaseLost(claim) }
        }
    }

    public func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) async throws {
        try await write { connection in
            try JobRows.change(
                claim, "state = 'completed', finishedAt = ?3, outcome = ?4", [JobRows.value(now.date), .text(try JobRows.text(result.outcome))],
                at: now, connection)
            try JobRows.insert(result, of: claim.id, connection)
        }
    }

    public func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) async throws {
        try await write { connection in
            let job = try Self.end(claim, because: error, retryAt: retryAt, at: now, connection)
            if job.state != .queued, let partial { try JobRows.insert(partial, of: claim.id, connection) }
        }
    }

    public func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) async throws {
        try await write { connection in
            try JobRows.change(claim, "state = 'cancelled', finishedAt = ?3", [JobRows.value(now.date)], at: now, connection)
            if let partial { try JobRows.insert(partial, of: claim.id, connection) }
        }
    }

    public func release(_ claim: JobClaim, at now: JobInstant) async throws {
        try await write { connection in
            _ = try JobRows.change(
                claim,
                """
                attempt = attempt - 1, attemptsWithoutProgress = max(0, attemptsWithoutProgress - 1),
                state = CASE isCancelRequested WHEN 0 THEN 'queued' ELSE 'cancelled' END,
                finishedAt = CASE isCancelRequested WHEN 0 THEN NULL ELSE ?3 END
                """, [JobRows.value(now.date)], at: now, connection)
        }
    }

    @discardableResult
    public func endExpiredLeases(at now: JobInstant) async throws -> [Job] {
        try await write { connection in try Self.endLeases(of: try Self.expired(at: now, connection), at: now, connection) }
    }

    @discardableResult
    public func endForeignLeases(keeping worker: String, at now: JobInstant) async throws -> [Job] {
        try await write { connection in
            let foreign = try connection.query(
                "SELECT \(JobRows.columns) FROM jobs WHERE state = 'running' AND leaseWorker <> ? ORDER BY id", [.text(worker)], JobRows.job)
            return try Self.endLeases(of: foreign, at: now, connection)
        }
    }

    private static func expired(at now: JobInstant, _ connection: SQLiteConnection) throws -> [Job] {
        try connection.query(
            "SELECT \(JobRows.columns) FROM jobs WHERE state = 'running' AND (leaseBoot <> ? OR leaseExpires <= ?) ORDER BY id",
            [.text(now.boot), SQLiteValue(now.uptime.nanoseconds)], JobRows.job)
    }

    @discardableResult
    private static func endLeases(of jobs: [Job], at now: JobInstant, _ connection: SQLiteConnection) throws -> [Job] {
        try jobs.compactMap { job in
            guard let token = job.lease?.token else { return nil }
            return try end(
                JobClaim(id: job.id, token: token), because: JobText.lostWorker(job), retryAt: min(job.dueAt, now.date), at: now, connection)
        }
    }

    /// Ends an attempt that came to nothing: cancelled when that was asked for, failed when it is final, or else queued again.
    private static func end(
        _ claim: JobClaim, because error: String, retryAt: Date?, at now: JobInstant, _ connection: SQLiteConnection
    ) throws -> Job {
        let isQueuedAgain = "isCancelRequested = 0 AND attemptsWithoutProgress < maximumAttempts AND ?5 IS NOT NULL"
        return try JobRows.change(
            claim,
            """
            error = ?3, state = CASE WHEN \(isQueuedAgain) THEN 'queued' WHEN isCancelRequested = 1 THEN 'cancelled' ELSE 'failed' END,
            dueAt = CASE WHEN \(isQueuedAgain) THEN ?5 ELSE dueAt END, finishedAt = CASE WHEN \(isQueuedAgain) THEN NULL ELSE ?4 END
            """, [.text(error), JobRows.value(now.date), JobRows.value(retryAt)], at: now, connection)
    }
}
