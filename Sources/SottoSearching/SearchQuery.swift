/// One search, as every provider understands it.
public struct SearchQuery: Sendable, Hashable, Codable {
    /// How old a page may be.
    public enum Freshness: String, Sendable, Hashable, Codable, CaseIterable { case day, week, month, year }

    /// The longest text that is sent, in characters: the shortest limit among the providers (Brave's 400).
    public static let maximumLength = 400
    /// The most words that are sent: the shortest limit among the providers (Brave's 50).
    public static let maximumWords = 50

    /// What to search for: one line without control characters, at most ``maximumLength`` characters and ``maximumWords`` words.
    public let text: String
    /// BCP 47 tag of the pages wanted, as `en` or `zh-Hant`; `nil` for any.
    public let language: String?
    /// ISO 3166-1 code of the region whose results are wanted, in capitals, as `DE`; `nil` for any.
    public let region: String?
    public let freshness: Freshness?
    /// The most hits that are wanted, 1 to 50.
    public let limit: Int

    /// Cleans the text and brings the limit into its range.
    public init(_ text: String, language: String? = nil, region: String? = nil, freshness: Freshness? = nil, limit: Int = 10) {
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // Format characters hide text and reorder it; the joiners that scripts need are among them and no search needs them.
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate, .unassigned: cleaned.append(" ")
            default: cleaned.append(scalar)
            }
        }
        var line = ""
        for word in String(cleaned).split(whereSeparator: \.isWhitespace).prefix(Self.maximumWords) {
            let longer = line.isEmpty ? String(word) : line + " " + word
            guard longer.count <= Self.maximumLength else { break }
            line = longer
        }
        // One endless word is cut rather than dropped.
        if line.isEmpty { line = String(String(cleaned).split(whereSeparator: \.isWhitespace).first?.prefix(Self.maximumLength) ?? "") }
        self.text = line
        self.language = Self.tag(language)
        self.region = Self.regionCode(region) ?? Self.regionCode(ofLanguage: language)
        self.freshness = freshness
        self.limit = min(max(limit, 1), 50)
    }

    /// The language without script and region, in lower case: `pt` of `pt-BR`.
    public var primaryLanguage: String? { language?.split(separator: "-").first.map { $0.lowercased() } }

    private static func tag(_ language: String?) -> String? {
        guard let language, let first = language.split(separator: "-").first, (2...3).contains(first.count), isLetters(language) else { return nil }
        return language
    }

    private static func isLetters(_ text: String) -> Bool {
        text.count <= 35 && text.utf8.allSatisfy { (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }

    private static func regionCode(_ region: String?) -> String? {
        guard let region, region.utf8.count == 2, region.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) }) else { return nil }
        return region.uppercased() == "UK" ? "GB" : region.uppercased()
    }

    private static func regionCode(ofLanguage language: String?) -> String? {
        language?.split(separator: "-").dropFirst().lazy.compactMap { regionCode(String($0)) }.first
    }
}
