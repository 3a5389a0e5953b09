import SottoDocument
public import SottoPassageIndex

/// Gives every passage that was shown its place among numbered sources.
public struct SourceTable: Sendable {
    private let shown: [PassageHit]
    private let earlier: [ResearchResult.Source]

    /// - Parameters:
    ///   - shown: The passages in the order in which the model saw them, numbered from 1.
    ///   - earlier: The sources of the result that is followed up; they keep their numbers.
    public init(shown: [PassageHit], earlier: [ResearchResult.Source] = []) {
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
        let sources = order.enumerated().map { index, location in
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
            return ResearchResult.Source(
                id: index + 1, title: shown[members[0]].title, location: location, level: .partial,
                reason: passages.count == 1 ? "one passage was read" : "\(passages.count) passages were read", passages: passages,
                cited: citedLocations.contains(location))
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
