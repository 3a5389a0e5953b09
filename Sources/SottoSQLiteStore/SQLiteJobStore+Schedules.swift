internal import Foundation
public import SottoJobStore

extension SQLiteJobStore {
    private static let scheduleColumns = "id, kind, title, payload, rule, zone, maximumAttempts, createdAt, nextRun, lastCheck, lastRun, missed"

    private static func schedule(_ row: SQLiteRow) -> Schedule {
        Schedule(
            id: ScheduleID(row.integer(0)), kind: row.text(1), title: row.text(2), payload: row.text(3), rule: row.text(4), zone: row.text(5),
            maximumAttempts: Int(row.integer(6)), createdAt: Date(microseconds: row.integer(7)), nextRun: JobRows.date(row, 8),
            lastCheck: JobRows.date(row, 9), lastRun: JobRows.date(row, 10), missed: Int(row.integer(11)))
    }

    public func add(_ schedule: Schedule) async throws -> Schedule {
        try await write { connection in
            let added = try connection.query(
                """
                INSERT INTO job_schedules (kind, title, payload, rule, zone, maximumAttempts, createdAt, nextRun, lastCheck, lastRun, missed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING \(Self.scheduleColumns)
                """,
                [
                    .text(schedule.kind), .text(schedule.title), .text(schedule.payload), .text(schedule.rule), .text(schedule.zone),
                    SQLiteValue(schedule.maximumAttempts), JobRows.value(schedule.createdAt), JobRows.value(schedule.nextRun),
                    JobRows.value(schedule.lastCheck), JobRows.value(schedule.lastRun), SQLiteValue(schedule.missed),
                ], Self.schedule)
            guard let schedule = added.first else { throw JobStoreError(.failed, "the new schedule was not kept") }
            return schedule
        }
    }

    public func schedules() async throws -> [Schedule] {
        try await read { connection in
            try connection.query("SELECT \(Self.scheduleColumns) FROM job_schedules ORDER BY id", [], Self.schedule)
        }
    }

    @discardableResult
    public func update(_ schedule: Schedule) async throws -> Schedule {
        try await write { connection in
            let changed = try connection.query(
                """
                UPDATE job_schedules SET kind = ?, title = ?, payload = ?, rule = ?, zone = ?, maximumAttempts = ?, nextRun = ? WHERE id = ?
                RETURNING \(Self.scheduleColumns)
                """,
                [
                    .text(schedule.kind), .text(schedule.title), .text(schedule.payload), .text(schedule.rule), .text(schedule.zone),
                    SQLiteValue(schedule.maximumAttempts), JobRows.value(schedule.nextRun), SQLiteValue(schedule.id.rawValue),
                ], Self.schedule)
            guard let kept = changed.first else { throw JobText.noSchedule(schedule.id) }
            return kept
        }
    }

    public func remove(_ id: ScheduleID) async throws {
        try await write { connection in
            guard try connection.execute("DELETE FROM job_schedules WHERE id = ?", [SQLiteValue(id.rawValue)]) > 0 else { throw JobText.noSchedule(id) }
        }
    }

    public func fire(_ firing: ScheduleFiring, at now: JobInstant) async throws -> Job? {
        try await write { connection in
            let moved = try connection.query(
                """
                UPDATE job_schedules SET nextRun = ?1, lastCheck = ?2, lastRun = ?2, missed = missed + ?3 WHERE id = ?4 AND nextRun = ?5
                RETURNING \(Self.scheduleColumns)
                """,
                [
                    JobRows.value(firing.next), JobRows.value(now.date), SQLiteValue(firing.missed), SQLiteValue(firing.schedule.rawValue),
                    JobRows.value(firing.due),
                ], Self.schedule)
            guard let schedule = moved.first else { return nil }
            let new = NewJob(
                kind: schedule.kind, title: schedule.title, payload: schedule.payload, dueAt: firing.scheduledFor,
                maximumAttempts: schedule.maximumAttempts)
            return try JobRows.insert(new, schedule: schedule.id, scheduledFor: firing.scheduledFor, at: now, connection)
        }
    }

    public func checkedSchedules(at now: JobInstant) async throws {
        try await write { connection in
            _ = try connection.execute("UPDATE job_schedules SET lastCheck = ?", [JobRows.value(now.date)])
        }
    }
}
