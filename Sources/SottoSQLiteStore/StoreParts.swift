public import Foundation
internal import Glibc

/// A part of the one database that a user can look at and erase for itself.
public enum StorePart: String, CaseIterable, Sendable {
    /// Jobs with their steps, logs and results, and schedules.
    case jobs
    /// What was read of the user's documents.
    case library
    /// Requests that left the machine.
    case ledger

    /// The part that a table belongs to.
    init?(table: String) {
        switch table {
        case "jobs", "job_steps", "job_events", "job_results", "job_tokens", "job_schedules": self = .jobs
        case "documents", "passages", "word_tables", "roots": self = .library
        case "network_requests": self = .ledger
        default:
            guard table.hasPrefix("words_") else { return nil }
            self = .library
        }
    }

    /// What is counted: jobs and schedules, documents, requests.
    fileprivate var count: String {
        switch self {
        case .jobs: "SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM job_schedules)"
        case .library: "SELECT count(*) FROM documents"
        case .ledger: "SELECT count(*) FROM network_requests"
        }
    }
}

/// The parts of the database: how large they are, and how to be rid of them.
public struct StoreParts: Sendable {
    public struct Size: Sendable, Equatable {
        /// Pages of the file that only this part uses; the log is not counted.
        public var bytes: Int64
        public var items: Int

        public init(bytes: Int64, items: Int) {
            self.bytes = bytes
            self.items = items
        }
    }

    private let database: SQLiteDatabase

    /// - Parameter database: Opened with ``StoreSchema/migrations``; for writing, if something is to be erased or copied.
    public init(database: SQLiteDatabase) { self.database = database }

    /// Opens the database of a path for reading.
    ///
    /// - Throws: ``SQLiteError``.
    public init(readingFrom path: String) throws {
        database = try SQLiteDatabase(path: path, role: .reader, migrations: StoreSchema.migrations)
    }

    /// Reads the whole file.
    ///
    /// - Throws: ``SQLiteError``; `CancellationError`.
    public func sizes() async throws -> [StorePart: Size] {
        try await database.read { connection in
            var sizes: [StorePart: Size] = [:]
            for part in StorePart.allCases { sizes[part] = Size(bytes: 0, items: try connection.first(part.count) { Int($0.integer(0)) } ?? 0) }
            let tables = try connection.query(
                "SELECT schema.tbl_name, sum(space.pgsize) FROM dbstat AS space JOIN sqlite_schema AS schema ON schema.name = space.name GROUP BY 1"
            ) { ($0.text(0), $0.integer(1)) }
            for (table, bytes) in tables { if let part = StorePart(table: table) { sizes[part]?.bytes += bytes } }
            return sizes
        }
    }

    /// Deletes parts so that nothing of them is left in the database's files: what is deleted is overwritten, the file is written anew without holes,
    /// and the
    /// log is emptied. Numbers of jobs are not given again. Old blocks of the disk under the files are the file system's.
    ///
    /// - Throws: ``SQLiteError``: `.busy` while a job runs, and when another process reads for so long that the log could not be emptied: then it
    ///   still holds what was
    ///   erased, and erasing again when that process has ended empties it. `CancellationError`.
    public func erase(_ parts: Set<StorePart>) async throws {
        guard parts.isEmpty == false else { return }
        _ = try await database.withoutTransaction { connection in try connection.query("PRAGMA secure_delete = ON") { _ in } }
        try await database.write { connection in
            for part in parts { try Self.delete(part, connection) }
        }
        try await compact()
    }

    /// Deletes requests that began before a moment; the ledger does so itself whenever one is entered, and nothing may be for long.
    ///
    /// - Returns: How many went.
    @discardableResult
    public func removeRequests(before moment: Date) async throws -> Int {
        let oldest = Int64((moment.timeIntervalSince1970 * 1_000_000).rounded())
        return try await database.write { connection in try connection.execute("DELETE FROM network_requests WHERE time < ?", [SQLiteValue(oldest)]) }
    }

    private func compact() async throws {
        try await database.withoutTransaction { connection in
            // What cannot be compacted, on a disk that is full, is at least overwritten and out of the log.
            let failure: (any Error)?
            do {
                try connection.execute("VACUUM")
                failure = nil
            } catch {
                failure = error
            }
            let isBusy = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 } ?? false
            if let failure { throw failure }
            guard isBusy == false else {
                throw SQLiteError(
                    .busy,
                    "erased from the database, but another process reads it, and its log still holds what was erased; "
                        + "erase again once that process has ended"
                )
            }
        }
    }

    private static func delete(_ part: StorePart, _ connection: SQLiteConnection) throws {
        switch part {
        case .jobs:
            let running = try connection.query("SELECT id FROM jobs WHERE state = 'running' ORDER BY id") { "\($0.integer(0))" }
            guard running.isEmpty else {
                throw SQLiteError(
                    .busy, "nothing was erased: job \(running.joined(separator: ", ")) is running; cancel it first, or wait for its end")
            }
            for table in ["job_results", "job_events", "job_steps", "jobs", "job_schedules"] { try connection.execute("DELETE FROM \(table)") }
        case .library:
            // The names of the tables come from our own code.
            for language in try connection.query("SELECT language FROM word_tables", [], { $0.text(0) }) {
                try connection.execute("DROP TABLE IF EXISTS words_\(language)")
            }
            for table in ["word_tables", "passages", "documents", "roots"] { try connection.execute("DELETE FROM \(table)") }
        case .ledger: try connection.execute("DELETE FROM network_requests")
        }
    }

    /// Writes a copy of the whole database as it is now, in one file that needs no log.
    ///
    /// - Parameter path: Of a file that is not there; it gets mode 0600.
    /// - Throws: ``SQLiteError``; `CancellationError`. What was written of it then is removed.
    public func copy(to path: String) async throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(.cannotOpen, "\(path) cannot be made: \(unsafe String(cString: strerror(errno)))") }
        close(descriptor)
        do {
            _ = try await database.withoutTransaction { connection in try connection.execute("VACUUM INTO ?", [.text(path)]) }
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
    }
}
