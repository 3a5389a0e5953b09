/// One place that can be searched.
public protocol SearchProvider: Sendable {
    var id: ProviderID { get }
    /// What it can be expected to know.
    var scope: SearchScope { get }
    /// How it may be asked; providers of one operator share its `group`.
    var pace: SearchPace { get }

    /// Asks once: no retries, no waiting for a turn, no cache.
    ///
    /// Everything that can go wrong is an outcome. Cancelling the task closes the connection.
    /// - Throws: `CancellationError`, and nothing else.
    func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchOutcome
}
