import SottoPassageIndex

/// Puts what the steps left together into a result; also when some of them are missing.
struct Report {
    var task: ResearchTask
    /// Times that was searched and read.
    var rounds = 1
    var reading: ResearchStep.Reading
    var model: String
    var claims: [ResearchStep.CheckedClaim] = []
    var conflicts: [ResearchStep.Conflict] = []
    var gaps: [String] = []
    var summary: String?

    init(task: ResearchTask, reading: ResearchStep.Reading, model: String) {
        self.task = task
        self.reading = reading
        self.model = model
    }

    func result(_ status: ResearchResult.Status, timings: ResearchResult.Timings) -> ResearchResult {
        let supported = claims.filter(\.isSupported)
        let table = SourceTable(shown: reading.passages, earlier: task.previous?.sources ?? [], pages: reading.pages)
        let (sources, sourceNumbers, passageIDs) = table.number(citations: supported.map(\.passages))
        var place = 0
        let shownClaims = claims.map { claim in
            defer { if claim.isSupported { place += 1 } }
            return ResearchResult.Claim(
                text: claim.text, sources: claim.isSupported ? sourceNumbers[place] : [], passages: claim.isSupported ? passageIDs[place] : [],
                verdict: claim.isSupported ? .supported : .notFound, reason: claim.reason, relevance: claim.relevance)
        }
        let shownConflicts = conflicts.compactMap { conflict -> ResearchResult.Conflict? in
            guard let source = table.sourceNumber(of: conflict.passage, in: sources) else { return nil }
            return ResearchResult.Conflict(claim: conflict.claim, source: source, text: conflict.sentence)
        }
        let web = web
        return ResearchResult(
            question: task.question, status: status, language: task.language, model: model, queries: reading.queries, sources: sources,
            claims: shownClaims, conflicts: shownConflicts, gaps: gaps, leftOut: reading.leftOut, screened: reading.screened,
            findings: Findings.markdown(
                status: status, claims: shownClaims, conflicts: shownConflicts, gaps: gaps, sources: sources, screened: reading.screened,
                language: task.language, web: web),
            summary: spoken(status, supported: supported.map(\.text), disagree: shownConflicts.isEmpty == false, unsearched: web?.couldNotSearch == true),
            timings: timings, web: web)
    }

    private func spoken(_ status: ResearchResult.Status, supported: [String], disagree: Bool, unsearched: Bool) -> String {
        let words = Phrasebook(task.language)
        var parts = [summary ?? SpokenSummary.composed(status: status, claims: supported, gaps: gaps, language: task.language)]
        if disagree { parts.append(words.spokenDisagreement) }
        if unsearched { parts.append(words.web.spokenUnsearched) }
        return parts.joined(separator: " ")
    }

    private var web: ResearchResult.Web? {
        guard reading.searched.isEmpty == false else { return nil }
        return ResearchResult.Web(
            searches: reading.searched, read: reading.pages.count(where: \.isRead), snippets: reading.pages.count { $0.level == .snippet },
            failed: reading.pages.count { $0.level == .failed }, rounds: rounds)
    }
}
