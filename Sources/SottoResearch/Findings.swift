/// Writes findings from checked claims. References come from the source table and nowhere else.
public enum Findings {
    /// Markdown: the supported claims with `[n]`, what contradicts them, what was not found, what failed the check, and the sources.
    ///
    /// Nothing in a claim, a title or a gap can become markup or a link: see ``escaped(_:)``.
    /// - Parameter language: BCP 47 tag of the task. The fixed sentences are in it, or in English with a note that says so.
    public static func markdown(
        status: ResearchResult.Status, claims: [ResearchResult.Claim], conflicts: [ResearchResult.Conflict] = [], gaps: [String],
        sources: [ResearchResult.Source], screened: Int = 0, language: String = "en", web: ResearchResult.Web? = nil
    ) -> String {
        let words = Phrasebook(language)
        var parts: [String] = []
        let supported = claims.filter { $0.verdict == .supported }
        switch status {
        // While the web could not be searched, "no source matches" would say more than is known.
        case .nothingFound: if web?.couldNotSearch != true { parts.append(words.nothingFound) }
        case .notAnswered: parts.append(words.notAnswered)
        case .digest: parts.append(words.digest)
        case .stopped: parts.append(words.stopped)
        case .answered: break
        }
        if supported.isEmpty == false {
            parts.append(supported.map { ($0.sources.isEmpty || status != .digest ? "" : "- ") + cited($0) }.joined(separator: status == .digest ? "\n" : "\n\n"))
        }
        if conflicts.isEmpty == false {
            let lines = conflicts.map { "- [\($0.source)] \(words.otherwise) “\(escaped($0.text))”" }
            parts.append("**\(words.disagreement)**\n\n" + lines.joined(separator: "\n"))
        }
        if let web, web.couldNotSearch {
            parts.append(words.web.unsearched + "\n\n" + web.problems.map { "- " + escaped($0) }.joined(separator: "\n"))
        }
        if gaps.isEmpty == false {
            parts.append(words.gaps + "\n\n" + gaps.map { "- " + escaped($0) }.joined(separator: "\n"))
        }
        let dropped = claims.count - supported.count
        if dropped > 0 { parts.append(words.leftOut(dropped, claims.count)) }
        if screened > 0 { parts.append(words.screened(screened)) }
        if sources.isEmpty == false {
            let cited = sources.filter(\.cited)
            let others = sources.filter { $0.cited == false && $0.level != .failed }
            let unread = sources.filter { $0.level == .failed }
            if web != nil, cited.isEmpty == false, cited.allSatisfy({ $0.level == .snippet }) { parts.append(words.web.onlySnippets) }
            if cited.isEmpty == false { parts.append("## \(words.sources)\n\n" + cited.map { line($0, words) }.joined(separator: "\n")) }
            if others.isEmpty == false { parts.append("## \(words.alsoRead)\n\n" + others.map { line($0, words) }.joined(separator: "\n")) }
            if unread.isEmpty == false { parts.append("## \(words.web.unread)\n\n" + unread.map(unreadLine).joined(separator: "\n")) }
        }
        if let note = words.note { parts.append(note) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func cited(_ claim: ResearchResult.Claim) -> String {
        escaped(claim.text) + " " + claim.sources.map { "[\($0)]" }.joined()
    }

    private static func line(_ source: ResearchResult.Source, _ words: Phrasebook) -> String {
        let headings = source.passages.map(\.heading).filter { $0.isEmpty == false }
        let place = headings.first.map { ", “\(escaped($0))”" } ?? ""
        let date = source.published.map { " (\(escaped(String($0.prefix(10)))))" } ?? ""
        let note =
            switch source.level {
            case .snippet: " — \(words.web.snippet)"
            case .partial where isAddress(source.location): " — \(words.web.beginning)"
            default: ""
            }
        return "\(source.id). \(escaped(source.title))\(place)\(date) — \(shown(source.location))\(note)"
    }

    private static func unreadLine(_ source: ResearchResult.Source) -> String {
        "- \(escaped(source.title)) — \(shown(source.location)): \(escaped(source.reason))"
    }

    /// An address or a path that can become no markup: what an address may hold only in its encoded form is encoded.
    private static func shown(_ location: String) -> String {
        guard isAddress(location) else { return escaped(location) }
        return location.reduce(into: "") { text, character in
            switch character {
            case "[": text += "%5B"
            case "]": text += "%5D"
            case "<": text += "%3C"
            case ">": text += "%3E"
            case "`": text += "%60"
            case _ where character.isWhitespace: text += "%20"
            default: text.append(character)
            }
        }
    }

    private static func isAddress(_ location: String) -> Bool { location.hasPrefix("http://") || location.hasPrefix("https://") }

    /// Text that Markdown shows as it is: no tag, no image and no link can come of it.
    public static func escaped(_ text: String) -> String {
        var escaped = ""
        var previous: Character = " "
        var isCode = false
        for character in text {
            if character == "`" { isCode.toggle() }
            switch character {
            case "<" where isCode == false: escaped += "\\<"
            case "[" where isCode == false && previous == "!": escaped += "\\["
            case "(" where isCode == false && previous == "]": escaped += "\\("
            case ":" where isCode == false && previous == "]": escaped += "\\:"
            case "\n", "\r": escaped += " "
            default: escaped.append(character)
            }
            previous = character
        }
        // An odd backtick would make the rest of the findings code.
        return isCode ? escaped.replacing("`", with: "'") : escaped
    }
}
