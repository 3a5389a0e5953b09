internal import Foundation
public import SottoFetching

/// The network ledger in SQLite, in the same file as the jobs.
///
/// A row is on the disk before anything is opened for it. Rows leave after their time, whenever one is entered.
public struct SQLiteNetworkLedger: NetworkLedger {
    private let database: SQLiteDatabase
    private let retention: Duration

    /// Times are whole microseconds since 1970. AUTOINCREMENT: no number comes twice. No reference to the jobs, for a row outlives its job.
    static let schema = """
        CREATE TABLE network_requests (
            id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, job INTEGER, purpose TEXT NOT NULL, origin TEXT NOT NULL, method TEXT NOT NULL,
            url TEXT NOT NULL, host TEXT NOT NULL, port INTEGER NOT NULL, sentBytes INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT,
            address TEXT NOT NULL, isPinned INTEGER NOT NULL, status INTEGER NOT NULL, receivedBytes INTEGER NOT NULL) STRICT;
        CREATE INDEX network_requests_by_time ON network_requests (time);
        CREATE INDEX network_requests_by_job ON network_requests (job, id) WHERE job IS NOT NULL;
        """

    /// How long rows are kept unless the user sets it.
    public static let usualRetention = Duration.seconds(90 * 86_400)

    /// - Parameters:
    ///   - database: Opened with ``StoreSchema/migrations``.
    ///   - retention: Rows older than this leave.
    public init(database: SQLiteDatabase, retention: Duration = usualRetention) {
        self.database = database
        self.retention = retention
    }

    /// Opens a database of its own connection.
    ///
    /// - Throws: ``SQLiteError``: `.busy` names the process that writes.
    public init(path: String, role: SQLiteDatabase.Role, retention: Duration = usualRetention) throws {
        database = try SQLiteDatabase(path: path, role: role, migrations: StoreSchema.migrations, needs: StoreSchema.ledgerVersion)
        self.retention = retention
    }

    public func begin(_ row: NetworkLedgerRow) async throws -> Int64 {
        try await database.write { connection in
            let oldest = Self.microseconds(row.time) - Int64(retention / .microseconds(1))
            try connection.execute("DELETE FROM network_requests WHERE time < ?", [SQLiteValue(oldest)])
            try connection.execute(
                """
                INSERT INTO network_requests (
                    time, job, purpose, origin, method, url, host, port, sentBytes, outcome, reason, address, isPinned, status, receivedBytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(Self.microseconds(row.time)), row.job.map { SQLiteValue($0) } ?? .null, SQLiteValue(row.purpose.rawValue),
                    SQLiteValue(row.origin),
                    SQLiteValue(row.method.rawValue), SQLiteValue(row.url), SQLiteValue(row.host), SQLiteValue(row.port), SQLiteValue(row.sentBytes),
                ] + Self.values(row.ending))
            return connection.lastInsertedRow
        }
    }

    public func finish(_ id: Int64, _ ending: NetworkLedgerEnding) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE network_requests SET outcome = ?, reason = ?, address = ?, isPinned = ?, status = ?, receivedBytes = ? WHERE id = ?",
                Self.values(ending) + [SQLiteValue(id)])
        }
    }

    public func totals() async throws -> NetworkLedgerTotals {
        try await database.read { connection in
            try connection.first("SELECT count(*), coalesce(sum(sentBytes), 0), coalesce(sum(receivedBytes), 0) FROM network_requests") { row in
                NetworkLedgerTotals(requests: Int(row.integer(0)), sentBytes: row.integer(1), receivedBytes: row.integer(2))
            } ?? NetworkLedgerTotals()
        }
    }

    public func latest(_ limit: Int, before id: Int64?, job: Int64?) async throws -> [NetworkLedgerRow] {
        let columns =
            "id, time, job, purpose, origin, method, url, host, port, sentBytes, outcome, reason, address, isPinned, status, receivedBytes"
        return try await database.read { connection in
            let conditions = (job == nil ? [] : ["job = ?"]) + (id == nil ? [] : ["id < ?"])
            let place = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
            return try connection.query(
                "SELECT \(columns) FROM network_requests\(place) ORDER BY id DESC LIMIT ?",
                [job, id].compactMap { $0.map { SQLiteValue($0) } } + [SQLiteValue(max(1, limit))], Self.row)
        }
    }

    private static func microseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1_000_000).rounded()) }

    private static func values(_ ending: NetworkLedgerEnding) -> [SQLiteValue] {
        [
            SQLiteValue(ending.outcome.rawValue), SQLiteValue(ending.reason?.rawValue), SQLiteValue(ending.address),
            SQLiteValue(ending.isPinned ? 1 : 0),
            SQLiteValue(ending.status), SQLiteValue(ending.receivedBytes),
        ]
    }

    @Sendable private static func row(_ row: SQLiteRow) throws -> NetworkLedgerRow {
        guard let purpose = FetchRequest.Purpose(rawValue: row.text(3)), let method = FetchRequest.Method(rawValue: row.text(5)),
            let outcome = NetworkLedgerEnding.Outcome(rawValue: row.text(10))
        else { throw SQLiteError(.newerSchema, "the network ledger holds rows of a newer version of Sotto; update Sotto") }
        var result = NetworkLedgerRow(
            time: Date(timeIntervalSince1970: Double(row.integer(1)) / 1_000_000), job: row.isNull(2) ? nil : row.integer(2), purpose: purpose,
            origin: row.text(4),
            method: method, url: row.text(6), host: row.text(7), port: Int(row.integer(8)), sentBytes: row.integer(9),
            ending: NetworkLedgerEnding(
                outcome, reason: row.isNull(11) ? nil : FetchError.Code(rawValue: row.text(11)), address: row.text(12),
                isPinned: row.integer(13) != 0,
                status: Int(row.integer(14)), receivedBytes: row.integer(15)))
        result.id = row.integer(0)
        return result
    }
}
