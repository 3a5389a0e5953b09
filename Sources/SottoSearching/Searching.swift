/// Searches wherever the user allows, and says honestly how it went.
public protocol Searching: Sendable {
    /// - Throws: `CancellationError`, and nothing else; what fails is in the report.
    func search(_ query: SearchQuery, origin: SearchOrigin) async throws(CancellationError) -> SearchReport
}
