import SottoSearching
import SottoText

/// The words that a later query of a research may hold.
///
/// Who proposes such a query has read pages and documents, so whatever stands in them could leave the machine with it: a secret of the library, or a word
/// that a page's author planted to see it come back. So a query keeps only words of the task and of earlier queries, and names that two independent
/// sites of the web have; of the library nothing. Words are compared by their stems, numbers and identifiers letter for letter.
public struct QueryVocabulary: Sendable, Equatable {
    /// The words of the task and of earlier queries.
    private var words: Set<String> = []
    /// Names with the sites on which they stand, until two have them.
    private var sites: [String: Set<String>] = [:]
    /// Queries that were run, as sets of stems.
    private var earlier: Set<Set<String>> = []

    /// - Parameters:
    ///   - task: What the user asked, in the user's own words.
    ///   - queries: Those that were run, written before anything was read.
    public init(task: String, queries: [String]) {
        words = Self.stems(task)
        for query in queries { add(query) }
    }

    /// Takes a query that was run.
    public mutating func add(_ query: String) {
        words.formUnion(Self.stems(query))
        earlier.insert(Self.key(query))
    }

    /// Takes the names of a page of the web; never call it with anything of the library.
    ///
    /// - Parameters:
    ///   - text: What was read of it.
    ///   - site: Its host. Hosts of one registered name are one site.
    public mutating func note(_ text: String, of site: String) {
        let site = Self.registered(site)
        guard site.isEmpty == false else { return }
        for name in Self.names(in: text) { sites[Terms.stem(name.lowercased()), default: []].insert(site) }
    }

    /// The query without the words that it may not hold.
    ///
    /// - Returns: `nil` when fewer than two words with meaning are left, or when it says what an earlier one said.
    public func admit(_ proposed: String) -> String? {
        let kept = Terms.spans(proposed).filter { span in
            let word = Self.plain(span)
            // A function word alone tells nothing; it keeps phrases readable.
            return Terms.stopWords.contains(word) || isAllowed(word)
        }
        let query = kept.map(String.init).joined(separator: " ")
        let key = Self.key(query)
        guard key.count >= 2, earlier.contains(key) == false else { return nil }
        return query
    }

    /// Names that two sites have and no query has named yet, the most widely held first.
    public var sharedNames: [String] {
        sites.filter { $0.value.count >= 2 && words.contains($0.key) == false }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.key)
    }

    private func isAllowed(_ word: String) -> Bool {
        let stem = Terms.stem(word)
        return words.contains(stem) || sites[stem].map { $0.count >= 2 } == true
    }

    private static func plain(_ span: Substring) -> String { span.lowercased().replacing("’", with: "'") }

    private static func stems(_ text: String) -> Set<String> { Set(Terms.tokens(text).map(Terms.stem)) }

    private static func key(_ query: String) -> Set<String> { Set(Terms.content(query).map(Terms.stem)) }

    /// Words with a capital that do not begin a sentence; letters only, for numbers and identifiers carry what names do not.
    private static func names(in text: String) -> Set<String> {
        var names: Set<String> = []
        var previousEnd = text.startIndex
        for span in Terms.spans(text) {
            let gap = text[previousEnd..<span.startIndex]
            let isFirst = previousEnd == text.startIndex || gap.contains { ".!?:\n•“\"".contains($0) }
            previousEnd = span.endIndex
            guard isFirst == false, span.count >= 3, span.count <= 30, span.first?.isUppercase == true,
                span.allSatisfy({ $0.isLetter || $0 == "-" || $0 == "'" || $0 == "’" })
            else { continue }
            let word = plain(span)
            if Terms.stopWords.contains(word) == false { names.insert(word) }
        }
        return names
    }

    /// The name that was registered: the last two labels, or three under a country's second level (`co.uk`, `com.au`).
    ///
    /// Without the public suffix list, sites of one hoster (`a.github.io`, `b.github.io`) count as one: too few sources, never too many.
    static func registered(_ host: String) -> String {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count > 2, let last = labels.last else { return labels.joined(separator: ".") }
        let isCountry = last.count == 2 && ["co", "com", "org", "net", "ac", "gov", "edu", "or", "ne", "go"].contains(labels[labels.count - 2])
        return labels.suffix(isCountry ? 3 : 2).joined(separator: ".")
    }
}
