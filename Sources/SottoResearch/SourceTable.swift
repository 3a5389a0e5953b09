import SottoDocument
public import SottoPassageIndex

/// Gives every passage that was shown its place among numbered sources.
public struct SourceTable: Sendable {
    private let shown: [PassageHit]
    private let earlier: [ResearchResult.Source]
    private let pages: [String: WebPage]
    private let unread: [WebPage]

    /// - Parameters:
    ///   - shown: The passages in the order in which the model saw them, numbered from 1.
    ///   - earlier: The sources of the result that is followed up; they keep their numbers.
    ///   - pages: The pages of the web that were met; those that gave nothing are listed behind the sources.
    public init(shown: [PassageHit], earlier: [ResearchResult.Source] = [], pages: [WebPage] = []) {
        self.pages = Dictionary(pages.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        unread = pages.filter { $0.level == .failed }
        self.shown = shown
        self.earlier = earlier
    }

    /// The number of the source that a passage belongs to.
    func sourceNumber(of passage: Int, in sources: [ResearchResult.Source]) -> Int? {
        guard shown.indices.contains(passage - 1) else { return nil }
        return sources.first { $0.location == shown[passage - 1].location }?.id
    }

    /// Sources in order of first citation, then in order of rank; passage numbers become source numbers and passage ids.
    ///
    /// - Parameter citations: For each claim, the numbers of the passages that state it.
    public func number(citations: [[Int]]) -> (sources: [ResearchResult.Source], claimSources: [[Int]], claimPassages: [[String]]) {
        var order = earlier.map(\.location)
        for number in citations.joined() + Array(shown.indices.map { $0 + 1 }) {
            let location = shown[number - 1].location
            if order.contains(location) == false { order.append(location) }
        }
        let citedLocations = Set(citations.joined().map { shown[$0 - 1].location })
        var passageIDs: [Int: String] = [:]
        var sources = order.enumerated().map { index, location in
            let members = shown.indices.filter { shown[$0].location == location }
            if members.isEmpty, index < earlier.count {
                var source = earlier[index]
                source.cited = false
                return source
            }
            let passages = members.enumerated().map { place, member in
                let id = "\(index + 1).\(place + 1)"
                passageIDs[member + 1] = id
                let passage = shown[member].passage
                return ResearchResult.SourcePassage(
                    id: id, text: passage.text, heading: passage.headings.joined(separator: " › "), offset: passage.offset)
            }
            // An earlier source that is a page of the web keeps what was known of it.
            let known = index < earlier.count ? earlier[index] : nil
            let page = pages[location]
            return ResearchResult.Source(
                id: index + 1, title: shown[members[0]].title, location: location, level: page?.level ?? known?.level ?? .partial,
                reason: page?.reason ?? known?.reason ?? (passages.count == 1 ? "one passage was read" : "\(passages.count) passages were read"),
                passages: passages, cited: citedLocations.contains(location), published: page?.published ?? known?.published)
        }
        for page in unread where order.contains(page.address) == false {
            sources.append(
                ResearchResult.Source(
                    id: sources.count + 1, title: page.title, location: page.address, level: .failed, reason: page.reason, passages: [], cited: false,
                    published: page.published))
        }
        let claimSources = citations.map { numbers in
            var ids: [Int] = []
            for number in numbers {
                guard let place = order.firstIndex(of: shown[number - 1].location), ids.contains(place + 1) == false else { continue }
                ids.append(place + 1)
            }
            return ids
        }
        return (sources, claimSources, citations.map { $0.compactMap { passageIDs[$0] } })
    }
}
