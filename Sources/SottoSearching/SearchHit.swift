public import struct Foundation.Date

/// One result of a search. All its text was written by strangers.
public struct SearchHit: Sendable, Hashable, Codable {
    /// One line of plain text, never empty.
    public var title: String
    /// Absolute http or https address, redirects of the provider unwrapped; tracking keys are still in it.
    public var address: String
    /// One line of plain text out of the hit's own block; may be empty.
    public var snippet: String
    public var provider: ProviderID
    /// Place in the provider's list, from 1; advertisements have none and are not counted.
    public var rank: Int
    /// The page's date where the provider tells one.
    public var date: Date?
    /// Other providers that found the same page; the first one is `provider`.
    public var alsoFoundBy: [ProviderID]

    public init(
        title: String, address: String, snippet: String, provider: ProviderID, rank: Int, date: Date? = nil, alsoFoundBy: [ProviderID] = []
    ) {
        self.title = title
        self.address = address
        self.snippet = snippet
        self.provider = provider
        self.rank = rank
        self.date = date
        self.alsoFoundBy = alsoFoundBy
    }
}
