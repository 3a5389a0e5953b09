import Foundation
import SottoFetching
import SottoModelStore

extension Command {
    private static let ledgerSpec = ArgumentSpec(
        """
        usage: sotto ledger [--limit N] [--job ID] [--json]

          shows what left this machine, the newest first: each request for the web is entered before it is made, those refused too;
          each download of a model once it ended

          --limit N   rows, 1 to 100000 (50)
          --job ID    of one job only
        """,
        ["json": .flag, "limit": .value("a number"), "job": .value("a job's id")])

    static let ledger = Command(
        name: "ledger", summary: "show every request that left this machine", spec: ledgerSpec,
        run: { arguments, context in
            guard arguments.positional.isEmpty else { throw UsageError("no words are taken", usage: ledgerSpec.usage) }
            guard let limit = Int(arguments.value("limit") ?? "50"), (1...100_000).contains(limit) else {
                throw UsageError("--limit is a number from 1 to 100000", usage: ledgerSpec.usage)
            }
            var job: Int64?
            if let text = arguments.value("job") {
                guard let number = Int64(text) else { throw UsageError("--job is a number", usage: ledgerSpec.usage) }
                job = number
            }
            var rows = try await context.engines.ledger(writing: false)?.latest(limit, job: job).map(LedgerReport.Row.init) ?? []
            if job == nil { rows += modelRows(context) }
            rows = Array(rows.sorted { $0.time > $1.time }.prefix(limit))
            if arguments.has("json") {
                try context.printJSON(LedgerReport(requests: rows))
            } else if rows.isEmpty {
                context.console.note("Nothing has left this machine")
            } else {
                context.console.result(rows.map(line).joined(separator: "\n"))
            }
        })

    /// The downloads of models, which have a file of their own; a line that is damaged is left out.
    static func modelRows(_ context: Context) -> [LedgerReport.Row] {
        guard let data = FileManager.default.contents(atPath: context.places.data + "/ledger.jsonl") else { return [] }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(ModelLedgerRow.self, from: Data($0)) }.map(
            LedgerReport.Row.init)
    }

    private static func line(_ row: LedgerReport.Row) -> String {
        var result = row.outcome
        if let status = row.status { result += " \(status)" }
        if let reason = row.reason { result += ": \(reason)" }
        let place = row.address.map { "\(row.host) (\($0)\(row.pinned ? "" : ", not pinned"))" } ?? row.host
        let text = [
            row.time, row.job.map { "job \($0)" } ?? "-", row.purpose, result, place, "\(row.receivedBytes) bytes", row.url,
        ].joined(separator: "\t")
        // What a page or a server wrote must not steer a terminal.
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0 == "\t" || [.control, .format].contains($0.properties.generalCategory) == false }))
    }
}

struct LedgerReport: Encodable {
    struct Row: Encodable {
        var id: Int64?
        var time: String
        var job: Int64?
        var purpose: String
        var origin: String
        var method: String
        var url: String
        var host: String
        var port: Int?
        var address: String?
        var pinned: Bool
        var status: Int?
        var sentBytes: Int64
        var receivedBytes: Int64
        var outcome: String
        var reason: String?
    }

    var schemaVersion = 1
    var requests: [Row]
}

extension LedgerReport.Row {
    init(_ row: NetworkLedgerRow) {
        self.init(
            id: row.id, time: row.time.reportText, job: row.job, purpose: row.purpose.rawValue, origin: row.origin, method: row.method.rawValue,
            url: row.url, host: row.host, port: row.port > 0 ? row.port : nil, address: row.ending.address.isEmpty ? nil : row.ending.address,
            pinned: row.ending.isPinned, status: row.ending.status > 0 ? row.ending.status : nil, sentBytes: row.sentBytes,
            receivedBytes: row.ending.receivedBytes, outcome: row.ending.outcome.rawValue, reason: row.ending.reason?.rawValue)
    }

    /// A model's addresses are those of the manifest; no page can name one, so they are not pinned.
    fileprivate init(_ row: ModelLedgerRow) {
        let outcome: NetworkLedgerEnding.Outcome =
            switch row.outcome {
            case .done: .answered
            case .failed: .failed
            case .cancelled: .cancelled
            }
        self.init(
            time: row.time.reportText, purpose: row.kind, origin: row.model, method: "GET", url: row.source,
            host: URL(string: row.source)?.host() ?? "",
            pinned: false, sentBytes: 0, receivedBytes: row.bytes, outcome: outcome.rawValue, reason: row.reason)
    }
}
