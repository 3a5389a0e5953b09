public import SottoSecrets

/// Secrets from the environment: `brave-api-key` is `SOTTO_BRAVE_API_KEY`.
public struct EnvironmentSecrets: Secrets {
    private let environment: [String: String]

    public init(_ environment: [String: String]) { self.environment = environment }

    public func secret(_ name: String) throws(SecretError) -> String? {
        let value = environment[Self.variable(for: name)] ?? ""
        return value.isEmpty ? nil : value
    }

    public static func variable(for name: String) -> String { "SOTTO_" + name.uppercased().split(separator: "-").joined(separator: "_") }
}
