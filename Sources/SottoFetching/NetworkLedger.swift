/// Keeps one row for each request that left the machine, or was refused before it could.
public protocol NetworkLedger: Sendable {
    /// Enters a request before anything is opened for it.
    ///
    /// - Returns: The row's number.
    /// - Throws: When the row cannot be kept; the request is then not made.
    func begin(_ row: NetworkLedgerRow) async throws -> Int64

    /// Enters how a request ended.
    func finish(_ id: Int64, _ ending: NetworkLedgerEnding) async throws

    /// The latest rows, the newest first.
    ///
    /// - Parameters:
    ///   - limit: At least 1.
    ///   - job: Rows of one job only.
    func latest(_ limit: Int, job: Int64?) async throws -> [NetworkLedgerRow]
}
