/// Names a search provider in settings, reports and hits, for example `duckduckgo`.
public struct ProviderID: RawRepresentable, ExpressibleByStringLiteral, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ name: String) { rawValue = name }

    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }

    public static func < (left: ProviderID, right: ProviderID) -> Bool { left.rawValue < right.rawValue }

    public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
