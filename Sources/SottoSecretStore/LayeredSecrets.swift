public import SottoSecrets

/// Asks one place after the other; the first that has the secret answers.
public struct LayeredSecrets: Secrets {
    private let layers: [any Secrets]

    public init(_ layers: [any Secrets]) { self.layers = layers }

    public func secret(_ name: String) throws(SecretError) -> String? {
        for layer in layers { if let found = try layer.secret(name) { return found } }
        return nil
    }
}
