import Foundation
import SottoDocument
import SottoPassageIndex
import SottoSQLiteStore
import Testing

@Suite struct SQLitePassageIndexTests {
    private let folder = NSTemporaryDirectory() + "sotto-index-" + UUID().uuidString
    private var path: String { folder + "/library.sqlite" }

    private func entry(_ location: String, _ texts: [String], language: String = "en", title: String = "T") -> IndexEntry {
        IndexEntry(
            location: location, fingerprint: FileFingerprint(size: 1, modified: 2.5, digest: "d"), title: title, language: language,
            passages: texts.enumerated().map { Passage(text: $1, headings: ["A", "B"], offset: $0 * 10, ordinal: $0) })
    }

    private func withIndex(_ body: (SQLitePassageIndex) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(SQLitePassageIndex(path: path, role: .writer))
    }

    @Test("what was stored comes back, is replaced and is removed")
    func roundTrip() async throws {
        try await withIndex { index in
            try await index.replace([entry("/a/x.html", ["The quota system limits disk space.", "Use edquota to edit."]), entry("/ab/y.html", ["Other text."])])
            #expect(try await index.fingerprint(of: "/a/x.html") == FileFingerprint(size: 1, modified: 2.5, digest: "d"))
            #expect(try await index.locations(under: "/a") == ["/a/x.html"])
            let hit = try #require(try await index.search(PassageQuery(text: "Which command edits quotas?", language: "en")).first)
            #expect(hit.passage == Passage(text: "Use edquota to edit.", headings: ["A", "B"], offset: 10, ordinal: 1) || hit.passage.ordinal == 0)
            #expect(try await index.passages(of: "/a/x.html", ordinals: 0...5).map(\.passage.ordinal) == [0, 1])
            try await index.replace([entry("/a/x.html", ["Entirely new words."])])
            #expect(try await index.search(PassageQuery(text: "edquota", language: "en")).isEmpty)
            #expect(try await index.search(PassageQuery(text: "entirely", language: "en")).count == 1)
            try await index.remove(["/a/x.html"])
            #expect(try await index.search(PassageQuery(text: "entirely", language: "en")).isEmpty)
        }
    }

    @Test("other languages come after the task's own, however well they match")
    func languages() async throws {
        try await withIndex { index in
            try await index.replace([
                entry("/de/a", ["apt apt apt apt quota"], language: "de"), entry("/en/a", ["A long English text in which quota occurs once."], language: "en"),
            ])
            let hits = try await index.search(PassageQuery(text: "apt quota", language: "en-US"))
            #expect(hits.map(\.language) == ["en", "de"])
            #expect(hits[0].score > hits[1].score)
        }
    }

    @Test("Chinese, Japanese, Korean and Thai words are found inside sentences", arguments: [
        ("ja", "東京都の図書館は月曜日に休みです。", "図書館"), ("zh", "软件包管理器用于安装程序。", "安装"), ("ko", "패키지를 설치하려면 명령을 실행하십시오.", "명령"), ("th", "การติดตั้งซอฟต์แวร์บนเครื่อง", "ซอฟต์แวร์"),
        ("de", "Die Größe der Straße ändert sich.", "grosse strasse änderung größe"), ("fr", "L’élève a réussi l'épreuve.", "eleve epreuve"), ("tr", "İstanbul'da yağmur var.", "yagmur"),
    ])
    func scripts(language: String, text: String, query: String) async throws {
        try await withIndex { index in
            try await index.replace([entry("/x", [text], language: language), entry("/y", ["nothing of it 無関係 다른"], language: language)])
            #expect(try await index.search(PassageQuery(text: query, language: language)).first?.location == "/x")
        }
    }

    @Test("a query may hold anything", arguments: ["\"", "AND OR NOT", "a* NEAR(b)", "'; DROP TABLE documents; --", "()", "{title}: x", "", "???", String(repeating: "word ", count: 5_000), "\u{0}", "the of and"])
    func oddQueries(query: String) async throws {
        try await withIndex { index in
            try await index.replace([entry("/x", ["the words of a text"])])
            _ = try await index.search(PassageQuery(text: query, language: "en"))
            #expect(try await index.locations(under: "/") == ["/x"])
        }
    }

    @Test("a passage that several documents share is shown once, and survives the removal of one")
    func copies() async throws {
        try await withIndex { index in
            try await index.replace([entry("/hr-HR/p", ["Shared sentence about lintian."]), entry("/en-US/p", ["Shared sentence about lintian."])])
            let query = PassageQuery(text: "lintian", language: "en")
            #expect(try await index.search(query).map(\.location) == ["/en-US/p"])
            #expect(try await index.search(PassageQuery(text: "lintian", language: "en", roots: ["/hr-HR"])).map(\.location) == ["/hr-HR/p"])
            try await index.remove(["/hr-HR/p"])
            #expect(try await index.search(query).map(\.location) == ["/en-US/p"])
            try await index.remove(["/en-US/p"])
            #expect(try await index.search(query).isEmpty)
        }
    }

    @Test("a second writer is refused and told who writes; readers see what was committed; modes are private")
    func oneWriter() async throws {
        try await withIndex { index in
            try await index.replace([entry("/x", ["words"])])
            do {
                _ = try SQLitePassageIndex(path: path, role: .writer)
                Issue.record("two writers")
            } catch let error as PassageIndexError {
                #expect(error.code == .busy)
                #expect(error.message.contains("\(ProcessInfo.processInfo.processIdentifier)"))
            }
            let reader = try SQLitePassageIndex(path: path, role: .reader)
            #expect(try await reader.search(PassageQuery(text: "words", language: "en")).count == 1)
            await #expect(throws: PassageIndexError.self) { try await reader.remove(["/x"]) }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("a full disk is named, loses nothing, and the index opens again")
    func fullDisk() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
            let index = SQLitePassageIndex(database: database)
            try await index.replace([entry("/kept", ["kept words"])])
            _ = try await database.withoutTransaction { connection in try connection.query("PRAGMA max_page_count = 60") { _ in } }
            do {
                try await index.replace((0..<200).map { entry("/big\($0)", [(0..<200).map { "w\($0)" }.joined(separator: " ") + " \($0)"]) })
                Issue.record("there was room")
            } catch let error as PassageIndexError {
                #expect(error.code == .diskFull)
                #expect(error.message.contains("full"))
            }
            #expect(try await index.locations(under: "/") == ["/kept"])
        }
        let index = try SQLitePassageIndex(path: path, role: .writer)
        #expect(try await index.search(PassageQuery(text: "kept", language: "en")).count == 1)
    }

    @Test("damage, a newer schema and a missing file are told apart")
    func openErrors() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: PassageIndexError.self) { try SQLitePassageIndex(path: path, role: .reader) }
        try await SQLiteDatabase(path: path, role: .writer, migrations: []).withoutTransaction { try $0.run(script: "PRAGMA user_version = 99") }
        do { _ = try SQLitePassageIndex(path: path, role: .writer) } catch let error as PassageIndexError {
            #expect(error.code == .cannotOpen)
            #expect(error.message.contains("newer"))
        }
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: path))
        do {
            _ = try SQLitePassageIndex(path: path, role: .writer)
            Issue.record("opened garbage")
        } catch let error as PassageIndexError { #expect(error.code == .corrupt) }
    }

    @Test("a failed transaction leaves nothing behind, and cancelling stops a long query")
    func transactions() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: [.init(script: "CREATE TABLE t (x INTEGER UNIQUE)")])
        await #expect(throws: SQLiteError.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(try await database.read { try $0.first("SELECT count(*) FROM t") { $0.integer(0) } } == 0)
        let endless = Task {
            try await database.read { try $0.first("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n") { $0.integer(0) } }
        }
        endless.cancel()
        await #expect(throws: CancellationError.self) { try await endless.value }
        #expect(try await database.write { try $0.execute("INSERT INTO t VALUES (2)") } == 1)
    }
}
