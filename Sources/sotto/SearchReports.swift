import Foundation
import SottoSearching

/// `sotto search --json`
struct SearchListing: Encodable {
    var schemaVersion = 1
    var query: String
    var language: String?
    var region: String?
    var fresh: String?
    var verdict: SearchReport.Verdict
    var fromCache: Bool
    var hits: [Hit]
    var attempts: [SearchAttemptReport]

    struct Hit: Encodable {
        var title: String
        var address: String
        var snippet: String
        var provider: String
        var rank: Int
        var date: String?
        var alsoFoundBy: [String]
    }

    init(_ report: SearchReport, _ attempts: [SearchAttemptReport]) {
        query = report.query.text
        language = report.query.language
        region = report.query.region
        fresh = report.query.freshness?.rawValue
        verdict = report.verdict
        fromCache = report.isFromCache
        hits = report.hits.map {
            Hit(
                title: $0.title, address: $0.address, snippet: $0.snippet, provider: $0.provider.rawValue, rank: $0.rank,
                date: $0.date?.ISO8601Format(),
                alsoFoundBy: $0.alsoFoundBy.map(\.rawValue))
        }
        self.attempts = attempts
    }
}

/// `sotto search --check --json`
struct SearchCheckReport: Encodable {
    var schemaVersion = 1
    var providers: [SearchAttemptReport]
}

/// What one provider said.
struct SearchAttemptReport: Encodable {
    var provider: String
    var outcome: SearchOutcome.Kind
    var cause: String
    var advice: String
    var hits: Int
    var asked: Bool
    var restsUntil: String?
    var seconds: Double
    /// Where the page is kept that was not understood.
    var page: String?
    private let until: Date?

    private enum CodingKeys: CodingKey { case provider, outcome, cause, advice, hits, asked, restsUntil, seconds, page }

    init(_ attempt: SearchAttempt, page: String?) {
        provider = attempt.provider.rawValue
        outcome = attempt.outcome
        cause = attempt.cause
        advice = attempt.advice
        hits = attempt.hits
        asked = attempt.wasAsked
        restsUntil = attempt.restsUntil?.ISO8601Format()
        seconds = (attempt.duration / .seconds(1) * 1_000).rounded() / 1_000
        self.page = page
        until = attempt.restsUntil
    }

    var isWorking: Bool { outcome == .results || outcome == .empty }

    /// `duckduckgo: blocked: … → what to do`
    func line(_ context: Context) -> String {
        var text = "\(provider): \(isWorking ? "ok, \(cause)" : "\(outcome.rawValue): \(cause)")"
        if let until, outcome != .unreachable {
            var style = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: context.zone)
            style = style.hour().minute()
            text += "; not asked again before \(until.formatted(style))"
        }
        if let page { text += "; the page is kept at \(page)" }
        return isWorking || advice.isEmpty ? text : text + "\n    → " + advice
    }
}
