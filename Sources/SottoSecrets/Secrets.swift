/// Keys that must not be read by others: asked for by name when they are needed, never kept, never written to a log.
public protocol Secrets: Sendable {
    /// - Parameter name: Lower case with hyphens, for example `brave-api-key`.
    /// - Returns: `nil` when there is none by this name.
    func secret(_ name: String) throws(SecretError) -> String?
}
