package import SottoSQLiteStore

/// What is done on a database while the power may go off.
package protocol DiskWorkload: Sendable {
    /// Does one thing after another, and calls `acknowledge` after each that was reported as kept.
    func run(on database: SQLiteDatabase, acknowledge: () async throws -> Void) async throws

    /// Uses a database that was found after a power cut: reads what is there, and adds one thing more.
    func goOn(with database: SQLiteDatabase) async throws
}
