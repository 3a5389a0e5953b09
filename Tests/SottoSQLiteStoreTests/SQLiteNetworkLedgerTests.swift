import Foundation
import SottoFetching
import SottoSQLiteStore
import Testing

@Suite struct SQLiteNetworkLedgerTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)").path
    private var path: String { folder + "/sotto.sqlite" }

    private func row(_ number: Int, day: Double = 0, job: Int64? = nil) -> NetworkLedgerRow {
        NetworkLedgerRow(
            time: Date(timeIntervalSince1970: 1_767_225_600.123_456 + day * 86_400), job: job, purpose: .search, origin: "query \(number): \"ü\"",
            method: .post,
            url: "https://search.example/?q=\(number)", host: "search.example", port: 443, sentBytes: 12)
    }

    @Test("a row comes back as it was entered, before and after its end, in another process's connection too")
    func roundTrip() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ledger = try SQLiteNetworkLedger(path: path, role: .writer)
        var expected = row(1, job: 7)
        expected.id = try await ledger.begin(expected)
        let reader = try SQLiteNetworkLedger(path: path, role: .reader)
        #expect(try await reader.latest(10, job: nil) == [expected])
        expected.ending = NetworkLedgerEnding(
            .failed, reason: .deadlineExceeded, address: "93.184.215.14", isPinned: false, status: 200, receivedBytes: 1 << 33)
        try await ledger.finish(expected.id, expected.ending)
        #expect(try await reader.latest(10, job: nil) == [expected])
        var second = row(2)
        second.ending = NetworkLedgerEnding(.refused, reason: .forbiddenAddress)
        second.id = try await ledger.begin(second)
        #expect(try await reader.latest(10, job: nil) == [second, expected], "the newest first")
        #expect(try await reader.latest(1, job: nil) == [second])
        #expect(try await reader.latest(10, job: 7) == [expected])
        #expect(try await reader.latest(10, job: 8) == [])
        #expect(try await reader.latest(10, before: second.id, job: nil) == [expected], "the next page")
        #expect(try await reader.latest(10, before: expected.id, job: nil) == [])
        let totals = try await reader.totals()
        #expect(totals == NetworkLedgerTotals(requests: 2, sentBytes: expected.sentBytes + second.sentBytes, receivedBytes: 1 << 33))
    }

    @Test("every code, outcome, purpose and method is kept")
    func words() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ledger = try SQLiteNetworkLedger(path: path, role: .writer)
        for code in FetchError.Code.allCases {
            for outcome in NetworkLedgerEnding.Outcome.allCases {
                var entry = row(0)
                entry.purpose = FetchRequest.Purpose.allCases[(try await ledger.latest(1, job: nil)).count % 3]
                entry.ending = NetworkLedgerEnding(outcome, reason: code)
                entry.id = try await ledger.begin(entry)
                #expect(try await ledger.latest(1, job: nil) == [entry])
            }
        }
    }

    @Test("rows leave after 90 days, or as the user sets it; numbers do not come twice")
    func retention() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
        let ledger = SQLiteNetworkLedger(database: database)
        let first = try await ledger.begin(row(1))
        _ = try await ledger.begin(row(2, day: 89.9))
        #expect(try await ledger.latest(9, job: nil).count == 2)
        _ = try await ledger.begin(row(3, day: 90.1))
        #expect(try await ledger.latest(9, job: nil).map(\.url) == ["https://search.example/?q=3", "https://search.example/?q=2"])
        let short = SQLiteNetworkLedger(database: database, retention: .seconds(86_400))
        let last = try await short.begin(row(4, day: 99))
        #expect(try await short.latest(9, job: nil).map(\.id) == [last])
        #expect(last > first + 2)
    }
}
