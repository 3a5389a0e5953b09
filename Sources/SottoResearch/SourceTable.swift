import SottoDocument
public import SottoPassageIndex

/// Gives every passage that was shown its place among numbered sources.
public struct SourceTable: Sendable {
    private let shown: [PassageHit]

    /// - Parameter shown: The passages in the order in which the model saw them, numbered from 1.
    public init(shown: [PassageHit]) { self.shown = shown }

    /// Sources in order of first citation, then in order of rank; passage numbers become source numbers and passage ids.
    ///
    /// - Parameter citations: For each claim, the numbers of the passages that state it.
    public func number(citations: [[Int]]) -> (sources: [ResearchResult.Source], claimSources: [[Int]], claimPassages: [[String]]) {
        var order: [String] = []
        for number in citations.joined() + Array(shown.indices.map { $0 + 1 }) {
            let location = shown[number - 1].location
            if order.contains(location) == false { order.append(location) }
        }
        let citedLocations = Set(citations.joined().map { shown[$0 - 1].location })
        var passageIDs: [Int: String] = [:]
        let sources = order.enumerated().map { index, location in
            let members = shown.indices.filter { shown[$0].location == location }
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
