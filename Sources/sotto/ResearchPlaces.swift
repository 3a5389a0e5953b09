import SottoFetching
import SottoPassageIndex
import SottoResearch

/// Where one research may look: the library when it holds anything, and the web when it is wanted and allowed.
struct ResearchPlaces: Sendable {
    var sources: [any EvidenceSource] = []
    var web: WebEvidence?

    /// - Parameters:
    ///   - web: Whether the web is wanted.
    ///   - job: In whose name its requests are entered into the ledger.
    /// - Throws: ``CommandError`` when there is nowhere to look.
    init(_ engines: Engines, web wantsWeb: Bool, job: Int64?) async throws {
        if let index = try await engines.index(writing: false), try await index.roots().contains(where: { $0.documents > 0 }) {
            sources = [LibraryEvidence(index: index)]
        }
        let refusal = wantsWeb ? engines.webRefusal() : nil
        if wantsWeb, refusal == nil { web = try engines.webEvidence(job: job) }
        guard sources.isEmpty, web == nil else { return }
        let advice = "the library is empty; add documents with: sotto library add DIR"
        throw CommandError(refusal.map { "\(advice) (\($0.message))" } ?? advice)
    }
}

extension ResearchResult.Web {
    /// What was done on the web, in one line for people.
    var line: String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        var parts = [count(searches.count, "search", "searches") + " of the web", count(read, "page", "pages") + " read"]
        if snippets > 0 { parts.append(count(snippets, "page", "pages") + " known by its snippet only") }
        if failed > 0 { parts.append("\(failed) could not be read") }
        if rounds > 1 { parts.append("\(rounds) rounds") }
        return parts.joined(separator: ", ") + " (what left this machine: sotto ledger)"
    }
}
