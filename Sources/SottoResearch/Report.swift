import SottoPassageIndex

/// Puts what the steps left together into a result; also when some of them are missing.
struct Report {
    var task: ResearchTask
    var queries: [String]
    var reading: ResearchStep.Reading
    var model: String
    var claims: [ResearchStep.CheckedClaim] = []
    var conflicts: [ResearchStep.Conflict] = []
    var gaps: [String] = []
    var summary: String?

    init(task: ResearchTask, queries: [String], reading: ResearchStep.Reading, model: String) {
        self.task = task
        self.queries = queries
        self.reading = reading
        self.model = model
    }

    func result(_ status: ResearchResult.Status, timings: ResearchResult.Timings) -> ResearchResult {
        let supported = claims.filter(\.isSupported)
        let table = SourceTable(shown: reading.passages, earlier: task.previous?.sources ?? [])
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
        return ResearchResult(
            question: task.question, status: status, language: task.language, model: model, queries: queries, sources: sources,
            claims: shownClaims, conflicts: shownConflicts, gaps: gaps, leftOut: reading.leftOut, screened: reading.screened,
            findings: Findings.markdown(
                status: status, claims: shownClaims, conflicts: shownConflicts, gaps: gaps, sources: sources, screened: reading.screened,
                language: task.language),
            summary: (summary ?? SpokenSummary.composed(status: status, claims: supported.map(\.text), gaps: gaps, language: task.language))
                + (shownConflicts.isEmpty ? "" : " " + Phrasebook(task.language).spokenDisagreement),
            timings: timings)
    }
}
