/// Writes findings from checked claims. References come from the source table and nowhere else.
public enum Findings {
    /// Markdown: the supported claims with `[n]`, what was not found, what failed the check, and the sources.
    public static func markdown(
        status: ResearchResult.Status, claims: [ResearchResult.Claim], gaps: [String], sources: [ResearchResult.Source]
    ) -> String {
        var parts: [String] = []
        let supported = claims.filter { $0.verdict == .supported }
        switch status {
        case .nothingFound: parts.append("No source matches this question.")
        case .notAnswered: parts.append("The sources do not answer this question.")
        case .digest:
            parts.append("**Extractive digest.** No language model is installed, so these are sentences copied from the sources, not an answer.")
        case .answered: break
        }
        if supported.isEmpty == false {
            parts.append(supported.map { ($0.sources.isEmpty || status != .digest ? "" : "- ") + cited($0) }.joined(separator: status == .digest ? "\n" : "\n\n"))
        }
        if gaps.isEmpty == false {
            parts.append("Not found in the sources:\n\n" + gaps.map { "- " + $0 }.joined(separator: "\n"))
        }
        let dropped = claims.count - supported.count
        if dropped > 0 {
            parts.append("\(dropped) of \(claims.count) drafted \(claims.count == 1 ? "claim was" : "claims were") left out: not found in the source.")
        }
        if sources.isEmpty == false {
            let cited = sources.filter(\.cited)
            let others = sources.filter { $0.cited == false }
            if cited.isEmpty == false { parts.append("## Sources\n\n" + cited.map(line).joined(separator: "\n")) }
            if others.isEmpty == false { parts.append("## Also read\n\n" + others.map(line).joined(separator: "\n")) }
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func cited(_ claim: ResearchResult.Claim) -> String {
        claim.text + " " + claim.sources.map { "[\($0)]" }.joined()
    }

    private static func line(_ source: ResearchResult.Source) -> String {
        let headings = source.passages.map(\.heading).filter { $0.isEmpty == false }
        let place = headings.first.map { ", “\($0)”" } ?? ""
        return "\(source.id). \(source.title)\(place) — \(source.location)"
    }
}
