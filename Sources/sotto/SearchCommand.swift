import Foundation
import SottoObservability
import SottoSearchCascade
import SottoSearching

extension Command {
    private static let searchSpec = ArgumentSpec(
        """
        usage: sotto search "WORDS" [--provider NAME]… [--limit N] [--language TAG] [--region XX] [--fresh day|week|month|year] [--json]
               sotto search --check [--provider NAME]… [--json]

          --provider   ask this one only: \(SearchProviders.all.map(\.rawValue).joined(separator: ", "))
          --fresh      pages of the last day, week, month or year
          --check      asks every provider once and says what is wrong with it
        """,
        [
            "provider": .repeated("a provider"), "json": .flag, "limit": .value("a number"), "language": .value("a language tag"),
            "region": .value("two letters"),
            "fresh": .value("day, week, month or year"), "check": .flag,
        ])

    static let search = Command(
        name: "search", summary: "search the web and your archives", spec: searchSpec,
        // Only the owner may ask the web, for the ledger is written first.
        place: { _ in .owner },
        run: { arguments, context in
            let usage = searchSpec.usage
            let only = try (arguments.values["provider"] ?? []).flatMap { try SearchProviders.order($0) }
            let isCheck = arguments.has("check")
            let words = arguments.positional.joined(separator: " ")
            let query = try query(isCheck ? probe : words, arguments, context)
            guard isCheck == words.isEmpty else {
                throw UsageError(isCheck ? "--check takes no words" : "words to search for are needed", usage: usage)
            }
            guard query.text.isEmpty == false else { throw UsageError("words to search for are needed", usage: usage) }
            if isCheck { try await check(query, only, arguments, context) } else { try await find(query, only, arguments, context) }
        })

    /// A word on which every provider of the web has pages.
    private static let probe = "Wikipedia"

    private static func query(_ words: String, _ arguments: Arguments, _ context: Context) throws -> SearchQuery {
        let usage = searchSpec.usage
        var limit = 10
        if let text = arguments.value("limit") {
            guard let number = Int(text), (1...50).contains(number) else {
                throw UsageError("--limit is a number from 1 to 50, not \"\(text)\"", usage: usage)
            }
            limit = number
        }
        var freshness: SearchQuery.Freshness?
        if let text = arguments.value("fresh") {
            guard let found = SearchQuery.Freshness(rawValue: text) else {
                throw UsageError("--fresh is day, week, month or year, not \"\(text)\"", usage: usage)
            }
            freshness = found
        }
        let language = arguments.value("language") ?? (context.settings.language.isEmpty ? nil : context.settings.language)
        let region = arguments.value("region") ?? (context.settings.region.isEmpty ? nil : context.settings.region)
        let query = SearchQuery(words, language: language, region: region, freshness: freshness, limit: limit)
        if language != nil, query.language == nil { throw UsageError("--language is a tag as en or pt-BR, not \"\(language ?? "")\"", usage: usage) }
        if arguments.value("region") != nil, query.region == nil {
            throw UsageError("--region is two letters as DE, not \"\(region ?? "")\"", usage: usage)
        }
        return query
    }

    private static func find(_ query: SearchQuery, _ only: [ProviderID], _ arguments: Arguments, _ context: Context) async throws {
        context.console.show(Progress(phase: "Searching", item: query.text))
        let cascade = try context.engines.search(wanted: only)
        let report = try await cascade.search(query, origin: SearchOrigin("sotto search"), only: only.isEmpty ? nil : only)
        let attempts = report.attempts.map { SearchAttemptReport($0, page: keep($0, context)) }
        if arguments.has("json") {
            try context.printJSON(SearchListing(report, attempts))
        } else if report.hits.isEmpty == false {
            context.console.result(report.hits.enumerated().map { text(of: $1, number: $0 + 1) }.joined(separator: "\n\n"))
        }
        if report.verdict != .failed {
            for attempt in attempts where [.results, .empty].contains(attempt.outcome) == false { context.console.note(attempt.line(context)) }
        }
        switch report.verdict {
        case .found: break
        case .nothingFound: context.console.note("Nothing found for “\(query.text)”; try other or fewer words")
        case .failed:
            guard attempts.isEmpty == false else { throw CommandError("no search provider is configured; see: sotto settings --help") }
            for attempt in attempts { context.console.note(attempt.line(context)) }
            throw CommandError("no search provider could answer; what to do is written above")
        }
    }

    private static func check(_ query: SearchQuery, _ only: [ProviderID], _ arguments: Arguments, _ context: Context) async throws {
        context.console.show(Progress(phase: "Checking the search providers"))
        let cascade = try context.engines.search(wanted: only)
        let attempts = try await cascade.check(query, origin: SearchOrigin("sotto search --check"), only: only.isEmpty ? nil : only)
            .map { SearchAttemptReport($0, page: keep($0, context)) }
        if arguments.has("json") {
            try context.printJSON(SearchCheckReport(providers: attempts))
        } else {
            context.console.result(attempts.map { $0.line(context) }.joined(separator: "\n"))
            let missing = SearchProviders.all.filter { id in attempts.contains { $0.provider == id.rawValue } == false }
            if only.isEmpty, missing.isEmpty == false { context.console.note("not configured: " + missing.map(\.rawValue).joined(separator: ", ")) }
        }
        let failed = attempts.count { $0.isWorking == false }
        guard attempts.isEmpty == false else { throw CommandError("no search provider is configured; see: sotto settings --help") }
        if failed == attempts.count { throw CommandError("no search provider works; what to do is written above") }
    }

    static func keep(_ attempt: SearchAttempt, _ context: Context) -> String? {
        attempt.page.flatMap { UnrecognizedPages(folder: context.places.unrecognizedPages).keep($0, of: attempt.provider, at: context.now()) }
    }

    private static func text(of hit: SearchHit, number: Int) -> String {
        var lines = ["\(number). \(hit.title)", "   \(hit.address)"]
        if hit.snippet.isEmpty == false { lines.append("   \(hit.snippet)") }
        let finders = ([hit.provider] + hit.alsoFoundBy).map(\.rawValue).joined(separator: ", ")
        lines.append("   " + (hit.date.map { "\($0.ISO8601Format(.iso8601.year().month().day())), " } ?? "") + finders)
        return lines.joined(separator: "\n")
    }
}
