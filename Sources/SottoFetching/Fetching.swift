/// Gets what stands at an address of the web, within bounds.
///
/// ```swift
/// let response = try await fetcher.fetch(FetchRequest("https://example.com/guide", purpose: .page))
/// try response.requireSuccess()
/// ```
public protocol Fetching: Sendable {
    /// Asks once, follows redirects, and reads the answer up to the bounds of its purpose.
    ///
    /// Whatever the status, an answer is returned; ``FetchResponse/requireSuccess()`` turns the bad ones into errors. Cancelling the task closes the
    /// connection at once.
    ///
    /// - Throws: ``FetchError``; `CancellationError`.
    func fetch(_ request: FetchRequest) async throws -> FetchResponse
}
