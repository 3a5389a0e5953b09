import Foundation
import SottoFetching

extension Command {
    private static let ledgerSpec = ArgumentSpec(
        """
        usage: sotto ledger [--limit N] [--job ID] [--json]

          shows what was asked of the web, the newest first; each request is entered before it is made, those refused too

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
            let rows = try await context.engines.ledger(writing: false)?.latest(limit, job: job) ?? []
            if arguments.has("json") {
                try context.printJSON(LedgerReport(rows))
            } else if rows.isEmpty {
                context.console.note("Nothing has been asked of the web")
            } else {
                context.console.result(rows.map(line).joined(separator: "\n"))
            }
        })

    private static func line(_ row: NetworkLedgerRow) -> String {
        let ending = row.ending
        var result = ending.outcome.rawValue
        if ending.status > 0 { result += " \(ending.status)" }
        if let reason = ending.reason { result += ": \(reason.rawValue)" }
        let place = ending.address.isEmpty ? row.host : "\(row.host) (\(ending.address)\(ending.isPinned ? "" : ", not pinned"))"
        // What a page or a server wrote must not steer a terminal.
        let url = String(
            String.UnicodeScalarView(
                row.url.unicodeScalars.filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }))
        return [
            row.time.reportText, row.job.map { "job \($0)" } ?? "-", row.purpose.rawValue, result, place, "\(ending.receivedBytes) bytes", url,
        ].joined(separator: "\t")
    }
}

private struct LedgerReport: Encodable {
    struct Row: Encodable {
        var id: Int64
        var time: String
        var job: Int64?
        var purpose: String
        var origin: String
        var method: String
        var url: String
        var host: String
        var port: Int
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

    init(_ rows: [NetworkLedgerRow]) {
        requests = rows.map { row in
            Row(
                id: row.id, time: row.time.reportText, job: row.job, purpose: row.purpose.rawValue, origin: row.origin, method: row.method.rawValue,
                url: row.url,
                host: row.host, port: row.port, address: row.ending.address.isEmpty ? nil : row.ending.address, pinned: row.ending.isPinned,
                status: row.ending.status > 0 ? row.ending.status : nil, sentBytes: row.sentBytes, receivedBytes: row.ending.receivedBytes,
                outcome: row.ending.outcome.rawValue, reason: row.ending.reason?.rawValue)
        }
    }
}
