public import SottoPassageIndex

/// A page of the web that a research has met: read, or not and why.
public struct WebPage: Sendable, Equatable, Codable {
    /// The final address when it was read, else the one that the search gave.
    public var address: String
    /// The address that the search gave.
    public var foundAt: String
    public var title: String
    /// Who answers there, without `www.`; what tells independent pages apart starts from it.
    public var site: String
    public var language: String
    /// ISO 8601, as the page or the search provider says; `nil` when neither does.
    public var published: String?
    public var level: ResearchResult.Level
    /// Why the level is not `full`.
    public var reason: String
    /// The address that the page calls its own, for telling copies apart.
    public var canonical: String?
    /// Its place among the hits of the search that found it, from 0.
    public var rank: Int
    /// Its best passages, in reading order; the snippet alone when that is all there is; none when it failed.
    public var passages: [PassageHit]
    /// All passages that it has.
    public var passageCount: Int

    public init(
        address: String, foundAt: String, title: String, site: String, language: String = "", published: String? = nil, level: ResearchResult.Level, reason: String = "",
        canonical: String? = nil, rank: Int, passages: [PassageHit] = [], passageCount: Int = 0
    ) {
        self.address = address
        self.foundAt = foundAt
        self.title = title
        self.site = site
        self.language = language
        self.published = published
        self.level = level
        self.reason = reason
        self.canonical = canonical
        self.rank = rank
        self.passages = passages
        self.passageCount = passageCount
    }

    /// Whether the page itself was read, not only what a search provider says of it.
    var isRead: Bool { level == .full || level == .partial }
}
