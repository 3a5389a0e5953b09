/// Looks names up.
package protocol Resolving: Sendable {
    /// - Returns: All addresses of a host in the order in which they should be tried; at least one.
    /// - Throws: `FetchError` with `.nameNotFound`; `CancellationError`.
    func addresses(of host: String, within limit: Duration) async throws -> [IPAddress]
}
