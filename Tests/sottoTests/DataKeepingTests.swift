import Foundation
import Glibc
import SottoFetching
import SottoObservability
import SottoSQLiteStore
import SottoTakes
import Testing

@testable import sotto

@Suite struct DataKeepingTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func keeping(_ home: String, settings: String) throws -> DataKeeping {
        let environment = ["HOME": home, "SOTTO_MODELS": home + "/models"]
        let places = try Places(environment: environment)
        #expect(PrivateFile.write(Data(settings.utf8), to: places.settings))
        let engines = Engines(
            places: places, settings: SettingsFile(path: places.settings), environment: environment, log: Log(minimum: .warning) { _, _ in },
            sharesDatabase: true)
        return DataKeeping(engines: engines)
    }

    private func days(ago days: Double) -> Date { Self.now.addingTimeInterval(-days * 86_400) }

    @Test("what has passed its days goes, what has not stays, as the settings say")
    func sweep() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-keeping-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let keeping = try keeping(home, settings: #"{"takeDays": 3, "pageCacheDays": 10, "ledgerDays": 20}"#)
        let places = keeping.places
        for age in [2.9, 3.1] { _ = try TakeStore(folder: places.takes).begin(now: days(ago: age)).finish(text: "x", recognizer: "r") }
        for age in [9.9, 10.1] {
            let path = places.pages + "/\(age)"
            #expect(PrivateFile.write(Data("page".utf8), to: path))
            try FileManager.default.setAttributes([.modificationDate: days(ago: age)], ofItemAtPath: path)
        }
        let database = try #require(try keeping.engines.ownDatabase())
        // Entered as long ago as they say: entering one sweeps what is older than the newest by the retention.
        let ledger = SQLiteNetworkLedger(database: database, retention: .seconds(1_000 * 86_400))
        for age in [19.9, 20.1, 300] {
            _ = try await ledger.begin(
                NetworkLedgerRow(
                    time: days(ago: age), job: nil, purpose: .page, origin: "\(age)", method: .get, url: "https://a.example/", host: "a.example",
                    port: 443, sentBytes: 0))
        }
        func line(_ age: Double) -> String {
            "{\"time\": \"\(days(ago: age).ISO8601Format())\", \"kind\": \"model\", \"model\": \"m\(age)\", \"source\": \"s\", \"bytes\": 1, \"outcome\": \"done\"}\n"
        }
        let downloads = places.data + "/ledger.jsonl"
        #expect(PrivateFile.write(Data((line(20.1) + "damaged\n" + line(19.9)).utf8), to: downloads))
        try await keeping.sweep(now: Self.now)
        #expect(TakeStore(folder: places.takes).list().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: places.pages) == ["9.9"])
        #expect(try await ledger.latest(10, job: nil).map(\.origin) == ["19.9"])
        #expect(FileManager.default.contents(atPath: downloads) == Data(("damaged\n" + line(19.9)).utf8))
        // Nothing more goes, and what is kept is not written anew.
        let before = try FileManager.default.attributesOfItem(atPath: downloads)[.systemFileNumber] as? Int
        try await keeping.sweep(now: Self.now)
        #expect(try FileManager.default.attributesOfItem(atPath: downloads)[.systemFileNumber] as? Int == before)
    }

    @Test("links are counted as links and never followed, neither when shown nor when erased")
    func links() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-keeping-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let keeping = try keeping(home, settings: "{}")
        let precious = home + "/precious"
        #expect(PrivateFile.write(Data(count: 1_000_000), to: precious + "/file"))
        try FileManager.default.createDirectory(atPath: keeping.places.transcripts, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: keeping.places.transcripts + "/link", withDestinationPath: precious)
        let part = try #require(try await keeping.inventory().parts.first { $0.id == "transcripts" })
        #expect(part.items == 1 && part.bytes < 10_000)
        #expect(try await keeping.erase([.transcripts]) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: keeping.places.transcripts) == [])
        #expect(FileManager.default.fileExists(atPath: precious + "/file"))
    }

    @Test("a take that is being recorded stays, and is said to")
    func recording() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-keeping-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let keeping = try keeping(home, settings: "{}")
        let store = TakeStore(folder: keeping.places.takes)
        _ = try store.begin(now: days(ago: 1)).finish(text: "x", recognizer: "r")
        let recorder = try store.begin(now: Self.now)
        let left = try await keeping.erase([.takes])
        #expect(left.count == 1 && left[0].contains("being recorded"))
        #expect(store.list().map(\.state) == [.recording])
        _ = try recorder.finish(text: "y", recognizer: "r")
        #expect(try await keeping.erase([.takes]) == [])
        #expect(store.list().isEmpty)
    }
}
