import Foundation
import SottoDocument
import SottoFetching
import SottoJobStore
import SottoPassageIndex
import Testing

@testable import SottoSQLiteStore

@Suite struct StorePartsTests {
    private let folder = NSTemporaryDirectory() + "sotto-parts-" + UUID().uuidString
    private var path: String { folder + "/sotto.sqlite" }
    private let now = JobInstant(date: Date(timeIntervalSince1970: 1_767_225_600), uptime: .seconds(50), boot: "b")
    private let canary = "quetzalcoatlus"

    /// A database with something in every part.
    private func filled() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
        let jobs = SQLiteJobStore(database: database)
        for number in 0..<50 {
            _ = try await jobs.add(NewJob(kind: "k", title: "\(canary) \(number)", payload: String(repeating: "\(canary) ", count: 100)), at: now)
        }
        let passages = (0..<40).map { Passage(text: "The \(canary) flew, time \($0).", headings: [], offset: $0 * 10, ordinal: $0) }
        for (name, language) in [("a", "en"), ("b", "de")] {
            try await SQLitePassageIndex(database: database).replace([
                IndexEntry(
                    location: "/\(name)", fingerprint: FileFingerprint(size: 1, modified: 2, digest: "d"), title: canary, language: language,
                    passages: passages)
            ])
        }
        try await SQLitePassageIndex(database: database).recordRoot("/\(canary)", when: 3)
        let row = NetworkLedgerRow(
            time: now.date, job: nil, purpose: .search, origin: canary, method: .get, url: "https://\(canary).example/", host: "\(canary).example",
            port: 443, sentBytes: 1)
        for _ in 0..<50 { _ = try await SQLiteNetworkLedger(database: database).begin(row) }
        return database
    }

    /// Files of the database with the word in them.
    private func holders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            FileManager.default.contents(atPath: folder + "/" + $0)?.range(of: Data(canary.utf8)) != nil
        }.sorted()
    }

    @Test("every table is of a part, and the parts together are the file but for SQLite's own tables")
    func sizes() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        let (tables, pages, own) = try await database.withoutTransaction { connection in
            (
                try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) },
                try connection.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") { $0.integer(0) } ?? 0,
                try connection.first("SELECT sum(pgsize) FROM dbstat WHERE name IN ('sqlite_schema', 'sqlite_sequence')") { $0.integer(0) } ?? 0
            )
        }
        #expect(tables.filter { StorePart(table: $0) == nil } == ["sqlite_sequence"])
        let sizes = try await StoreParts(database: database).sizes()
        #expect(sizes.mapValues(\.items) == [.jobs: 50, .library: 2, .ledger: 50])
        #expect(sizes.values.reduce(0) { $0 + $1.bytes } + own == pages)
        // Fifty payloads of 1 500 bytes.
        #expect((75_000...150_000).contains(sizes[.jobs]?.bytes ?? 0))
        // Another process reads the same.
        #expect(try await StoreParts(readingFrom: path).sizes() == sizes)
    }

    @Test("parts go for themselves, and what is left is whole", arguments: StorePart.allCases)
    func one(part: StorePart) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        let before = try await StoreParts(database: database).sizes()
        try await StoreParts(database: database).erase([part])
        let after = try await StoreParts(database: database).sizes()
        for other in StorePart.allCases { #expect(after[other]?.items == (other == part ? 0 : before[other]?.items)) }
        let check = try await database.read { connection in try connection.first("PRAGMA integrity_check") { $0.text(0) } }
        #expect(check == "ok")
        let hits = try await SQLitePassageIndex(database: database).search(PassageQuery(text: canary, language: "en"))
        #expect(hits.isEmpty == (part == .library))
        // And it can be filled again.
        try await SQLitePassageIndex(database: database).replace([
            IndexEntry(
                location: "/c", fingerprint: FileFingerprint(size: 1, modified: 2, digest: "d"), title: "New", language: "en",
                passages: [Passage(text: "A pelican landed.", headings: [], offset: 0, ordinal: 0)])
        ])
        #expect(try await SQLitePassageIndex(database: database).search(PassageQuery(text: "pelican", language: "en")).count == 1)
        #expect(try await SQLiteJobStore(database: database).add(NewJob(kind: "k", title: "t", payload: ""), at: now).id == JobID(51))
    }

    @Test("after erasing all, no file of the living database has the words, its log neither")
    func nothingLeft() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        #expect(try holders().contains("sotto.sqlite-wal"), "the log holds what was written, or this test proves nothing")
        try await StoreParts(database: database).erase(Set(StorePart.allCases))
        #expect(try holders() == [])
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test("a job that runs is not erased under its worker's hands, and nothing else either")
    func running() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        let claimed = try #require(try await SQLiteJobStore(database: database).claim(worker: "w", kinds: ["k"], lease: .seconds(60), at: now))
        let error = try await #require(throws: SQLiteError.self) { try await StoreParts(database: database).erase([.ledger, .jobs, .library]) }
        #expect(error.code == .busy && error.message.contains("job \(claimed.job.id)"))
        #expect(try await StoreParts(database: database).sizes().mapValues(\.items) == [.jobs: 50, .library: 2, .ledger: 50])
    }

    @Test("a reader that holds the log is an error that says so; erasing again when it has gone empties it")
    func reader() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        let reader = try SQLiteDatabase(path: path, role: .reader, migrations: StoreSchema.migrations)
        _ = try await reader.withoutTransaction { connection in
            try connection.execute("BEGIN")
            return try connection.first("SELECT count(*) FROM jobs") { $0.integer(0) }
        }
        let error = try await #require(throws: SQLiteError.self) { try await StoreParts(database: database).erase(Set(StorePart.allCases)) }
        #expect(error.code == .busy && error.message.contains("erase again"))
        #expect(try holders().isEmpty == false)
        _ = try await reader.withoutTransaction { connection in try connection.execute("COMMIT") }
        try await StoreParts(database: database).erase(Set(StorePart.allCases))
        #expect(try holders() == [])
    }

    @Test("a copy is whole, one file, for its owner alone, and never replaces anything")
    func copies() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        let copy = folder + "/copy.sqlite"
        try await StoreParts(database: database).copy(to: copy)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        #expect(try await StoreParts(readingFrom: copy).sizes().mapValues(\.items) == [.jobs: 50, .library: 2, .ledger: 50])
        await #expect(throws: SQLiteError.self) { try await StoreParts(database: database).copy(to: copy) }
        // A connection for reading can write none, and leaves nothing of one.
        await #expect(throws: SQLiteError.self) { try await StoreParts(readingFrom: path).copy(to: folder + "/second.sqlite") }
        #expect(FileManager.default.fileExists(atPath: folder + "/second.sqlite") == false)
    }

    @Test("old requests go, those of the very moment stay")
    func requests() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await filled()
        #expect(try await StoreParts(database: database).removeRequests(before: now.date) == 0)
        #expect(try await StoreParts(database: database).removeRequests(before: now.date.addingTimeInterval(0.001)) == 50)
    }
}
