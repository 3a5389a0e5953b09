public import Foundation
public import SottoJobStore

extension SQLiteJobStore {
    public func job(_ id: JobID) async throws -> Job? {
        try await read { connection in try JobRows.find(id, connection) }
    }

    public func jobs(states: Set<JobState>, before id: JobID?, titled words: String, limit: Int) async throws -> [Job] {
        try await read { connection in
            let places = Array(repeating: "?", count: states.count).joined(separator: ", ")
            let words = words.split(whereSeparator: \.isWhitespace).map { SQLiteValue.text("%" + Self.escaped(String($0)) + "%") }
            let conditions = (id == nil ? [] : ["id < ?"]) + words.map { _ in "title LIKE ? ESCAPE '\\'" }
            return try connection.query(
                "SELECT \(JobRows.columns) FROM jobs WHERE \((["state IN (\(places))"] + conditions).joined(separator: " AND ")) ORDER BY id DESC LIMIT ?",
                states.map(\.rawValue).sorted().map(SQLiteValue.text) + (id.map { [SQLiteValue($0.rawValue)] } ?? []) + words + [SQLiteValue(max(0, limit))],
                JobRows.job)
        }
    }

    /// A text that stands for itself in `LIKE`.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "%" || scalar == "_" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }

    public func steps(of id: JobID) async throws -> [JobStep] {
        try await read { connection in try Self.steps(of: id, connection) }
    }

    static func steps(of id: JobID, _ connection: SQLiteConnection) throws -> [JobStep] {
        try connection.query(
            "SELECT name, attempt, startedAt, finishedAt, output FROM job_steps WHERE job = ? ORDER BY id", [SQLiteValue(id.rawValue)]
        ) { row in
            JobStep(
                name: row.text(0), attempt: Int(row.integer(1)), startedAt: Date(microseconds: row.integer(2)),
                finishedAt: Date(microseconds: row.integer(3)), output: row.text(4))
        }
    }

    public func result(of id: JobID) async throws -> JobResult? {
        try await read { connection in
            try connection.first("SELECT body, findings, summary, outcome FROM job_results WHERE job = ?", [SQLiteValue(id.rawValue)]) { row in
                JobResult(body: row.text(0), findings: row.text(1), summary: row.text(2), outcome: try JobRows.outcome(row.text(3)))
            }
        }
    }

    public func events(after id: Int64, job: JobID?, limit: Int) async throws -> [JobEvent] {
        try await read { connection in
            let columns = "id, job, date, attempt, kind, step, text"
            let sql = job == nil
                ? "SELECT \(columns) FROM job_events WHERE id > ? ORDER BY id LIMIT ?"
                : "SELECT \(columns) FROM job_events WHERE id > ? AND job = ?3 ORDER BY id LIMIT ?2"
            let values = [SQLiteValue(id), SQLiteValue(max(0, limit))] + (job.map { [SQLiteValue($0.rawValue)] } ?? [])
            return try connection.query(sql, values) { row in
                // A kind that a later version writes is shown as a note.
                JobEvent(
                    id: row.integer(0), job: JobID(row.integer(1)), date: Date(microseconds: row.integer(2)), attempt: Int(row.integer(3)),
                    kind: JobEvent.Kind(rawValue: row.text(4)) ?? .note, step: row.text(5), text: row.text(6))
            }
        }
    }

    public func nextDue(kinds: Set<String>) async throws -> Date? {
        try await read { connection in
            let places = Array(repeating: "?", count: kinds.count).joined(separator: ", ")
            return try connection.first(
                "SELECT dueAt FROM jobs WHERE state = 'queued' AND kind IN (\(places)) ORDER BY dueAt, id LIMIT 1", kinds.sorted().map(SQLiteValue.text)
            ) { row in Date(microseconds: row.integer(0)) }
        }
    }
}
