/// Has none.
public struct NoSecrets: Secrets {
    public init() {}
    public func secret(_ name: String) throws(SecretError) -> String? { nil }
}
