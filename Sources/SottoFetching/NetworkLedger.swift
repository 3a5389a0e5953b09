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
    ///   - id: Rows with smaller numbers only: the last of a page, for the next page.
    ///   - job: Rows of one job only.
    func latest(_ limit: Int, before id: Int64?, job: Int64?) async throws -> [NetworkLedgerRow]

    /// What all rows that are kept come to.
    func totals() async throws -> NetworkLedgerTotals
}

extension NetworkLedger {
    /// The latest rows, the newest first.
    public func latest(_ limit: Int, job: Int64?) async throws -> [NetworkLedgerRow] { try await latest(limit, before: nil, job: job) }
}

/// What the rows of a ledger come to.
public struct NetworkLedgerTotals: Sendable, Equatable, Codable {
    public var requests = 0
    /// Of the bodies, as they crossed the network.
    public var sentBytes: Int64 = 0
    public var receivedBytes: Int64 = 0

    public init(requests: Int = 0, sentBytes: Int64 = 0, receivedBytes: Int64 = 0) {
        self.requests = requests
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
    }
}
