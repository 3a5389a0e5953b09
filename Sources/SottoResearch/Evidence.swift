import SottoDocument
public import SottoPassageIndex

/// Somewhere that passages can be found.
public protocol EvidenceSource: Sendable {
    /// Passages that match one query, best first.
    func passages(matching query: String, task: ResearchTask, limit: Int) async throws -> [PassageHit]
}

/// The user's own documents.
public struct LibraryEvidence: EvidenceSource {
    private let index: any PassageIndex

    public init(index: any PassageIndex) { self.index = index }

    public func passages(matching query: String, task: ResearchTask, limit: Int) async throws -> [PassageHit] {
        try await index.search(PassageQuery(text: query, language: task.language, limit: limit, roots: task.libraryRoots))
    }
}

/// Puts the results of several queries into one list.
public enum Interleaving {
    /// Takes the first of every list, then the second of every list, and leaves out what came before: the same passage,
    /// or one whose words are nearly all the same.
    public static func merge(_ lists: [[PassageHit]]) -> [PassageHit] {
        var merged: [PassageHit] = []
        var seen: Set<String> = []
        var signatures: [Set<String>] = []
        for rank in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where rank < list.count {
                let hit = list[rank]
                guard seen.insert("\(hit.location)\u{0}\(hit.passage.ordinal)").inserted else { continue }
                let words = Set(hit.passage.text.lowercased().split(whereSeparator: { $0.isLetter == false && $0.isNumber == false }).map(String.init))
                let repeats = signatures.contains { other in
                    let shared = other.intersection(words).count
                    return shared * 10 > 9 * max(1, other.union(words).count)
                }
                guard repeats == false else { continue }
                signatures.append(words)
                merged.append(hit)
            }
        }
        return merged
    }
}
