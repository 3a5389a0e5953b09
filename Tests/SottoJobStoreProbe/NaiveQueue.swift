import Foundation
import SottoAgents
import SottoJobStore
import SottoSQLiteStore

/// The control: a table with a status column, as small projects write it. No lease, no steps, each write a transaction of its own.
///
/// It must fail the harness that the job store passes; if it does not, the harness shows nothing.
struct NaiveQueue {
    enum Recovery: String {
        /// A job whose process died stays "running".
        case none = "naive"
        /// At the start, all that is "running" is put back and begins anew.
        case reset = "naive-reset"
    }

    static let migrations = [
        SQLiteDatabase.Migration(script: "CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL DEFAULT 'queued')")
    ]
    let database: SQLiteDatabase

    init(path: String) throws { database = try SQLiteDatabase(path: path, role: .writer, migrations: Self.migrations) }

    func add() async throws -> Int64 {
        try await database.write { connection in
            try connection.execute("INSERT INTO jobs DEFAULT VALUES")
            return connection.lastInsertedRow
        }
    }

    func run(_ handler: CourseHandler, recovery: Recovery, phases: PhaseFile) async throws {
        if recovery == .reset { try await set("queued", where: "status = 'running'") }
        while let id = try await next() {
            phases.enter(Phase.claiming)
            try await set("running", where: "id = \(id)")
            phases.enter(Phase.between)
            let job = Job(
                id: JobID(id), kind: handler.kind, title: "", payload: "", state: .running, createdAt: .now, dueAt: .now, maximumAttempts: 1)
            _ = try await handler.run(job, steps: UnkeptSteps())
            phases.enter(Phase.completing)
            try await set("completed", where: "id = \(id)")
            phases.enter(Phase.between)
        }
    }

    func statuses() async throws -> [Int64: String] {
        let rows = try await database.read { connection in try connection.query("SELECT id, status FROM jobs") { ($0.integer(0), $0.text(1)) } }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private func next() async throws -> Int64? {
        try await database.read { connection in
            try connection.first("SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1") { $0.integer(0) }
        }
    }

    private func set(_ status: String, where condition: String) async throws {
        _ = try await database.write { connection in try connection.execute("UPDATE jobs SET status = '\(status)' WHERE \(condition)") }
    }
}

private struct UnkeptSteps: JobSteps {
    func step<Output: Codable & Sendable>(
        _ name: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        try await body()
    }

    func progress(_ text: String) async {}
    func result(of id: JobID) async throws -> JobResult? { nil }
}
