import SottoAudioDevices
import SottoFetching
import SottoPulseAudio
import SottoSearchCascade
import SottoSearching
import SottoServing

extension App {
    var healthRoutes: [Route] {
        [
            read("/api/doctor") { _ in try .json(["checks": await Doctor(context: self.context).quick()]) },
            read("/api/ledger") { try await self.ledger($0) },
            change(.post, "/api/search/check") { _ in try await self.checkSearch() },
            read("/api/microphones") { _ in
                struct Microphone: Encodable { var id: String, name: String, isDefault: Bool, isMuted: Bool }
                struct Listing: Encodable { var schemaVersion = 1, microphones: [Microphone], selected: String }
                let found = (try? await PulseAudioCapture(server: self.context.environment["PULSE_SERVER"]).devices()) ?? []
                return try .json(
                    Listing(
                        microphones: found.filter { $0.isMonitor == false }.map {
                            .init(id: $0.id, name: $0.name, isDefault: $0.isDefault, isMuted: $0.isMuted)
                        },
                        selected: self.context.settings.microphone))
            },
        ]
    }

    private struct LedgerPage: Encodable {
        var schemaVersion = 1
        var requests: [LedgerReport.Row]
        var next: Int64?
        var total: NetworkLedgerTotals
    }

    private func ledger(_ request: HTTPRequest) async throws -> HTTPResponse {
        let limit = try request.number("limit", default: 100, in: 1...1_000)
        let before = request.text("before") == nil ? nil : Int64(try request.number("before", default: 0, in: 0...Int.max))
        let job = request.text("job") == nil ? nil : Int64(try request.number("job", default: 0, in: 0...Int.max))
        let ledger = try engines.ledger(writing: false)
        var rows = try await ledger?.latest(limit + 1, before: before, job: job) ?? []
        let hasMore = rows.count > limit
        if hasMore { rows.removeLast() }
        var reports = rows.map(LedgerReport.Row.init)
        var total = try await ledger?.totals() ?? NetworkLedgerTotals()
        if job == nil {
            // Downloads of models have a file of their own, and no numbers: each is shown on the page that its time falls into.
            let models = Command.modelRows(context)
            total.requests += models.count
            total.receivedBytes += models.map(\.receivedBytes).reduce(0, +)
            let newest = before == nil ? nil : rows.first?.time.reportText
            let oldest = hasMore ? rows.last?.time.reportText : nil
            reports += models.filter { row in (newest.map { row.time <= $0 } ?? (before == nil)) && (oldest.map { row.time > $0 } ?? true) }
            reports.sort { $0.time > $1.time }
        }
        return try .json(LedgerPage(requests: reports, next: hasMore ? rows.last?.id : nil, total: total))
    }

    private func checkSearch() async throws -> HTTPResponse {
        do { try Settings.networkPermission(at: context.places.settings).requireResearch() } catch {
            throw Problem(409, "research-off", error.message)
        }
        let cascade = try engines.search()
        let attempts = try await cascade.check(SearchQuery("weather"), origin: SearchOrigin("settings: check of the search providers"), only: nil)
        return try .json(SearchCheckReport(providers: attempts.map { SearchAttemptReport($0, page: Command.keep($0, context)) }))
    }
}
