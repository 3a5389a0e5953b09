import Foundation
import SottoDocument
import SottoDocumentReading
import SottoLibrary
import SottoObservability
import SottoPages
import SottoPassageIndex
import SottoSQLiteStore
import Synchronization
import Testing

@Suite struct LibraryTests {
    private func library(_ folder: TemporaryFolder) throws -> Library {
        Library(index: try SQLitePassageIndex(path: folder.path + "/index/library.sqlite", role: .writer), reader: PageReader())
    }

    @Test("adds what is new, skips what is the same, replaces what changed, drops what is gone")
    func incremental() async throws {
        let folder = try TemporaryFolder()
        let docs = folder.path + "/docs"
        try folder.write("docs/a.md", "# Alpha\n\nThe walrus sleeps.\n")
        try folder.write("docs/sub/b.html", "<h1>Beta</h1><p>The penguin swims.</p>")
        try folder.write("docs/sub/c.txt", "The heron stands in the water.")
        try folder.write("docs/.hidden/d.txt", "The hidden one.")
        try folder.write("docs/picture.png", Data([0x89, 0x50, 0x4E, 0x47]))
        let library = try library(folder)
        let first = try await library.add(docs)
        #expect((first.indexed, first.unchanged, first.removed, first.failed) == (3, 0, 0, 0))
        let second = try await library.add(docs)
        #expect((second.indexed, second.unchanged, second.removed) == (0, 3, 0))
        try folder.write("docs/a.md", "# Alpha\n\nThe zebra runs fast.\n")
        try FileManager.default.moveItem(atPath: docs + "/sub/c.txt", toPath: docs + "/renamed.txt")
        try FileManager.default.removeItem(atPath: docs + "/sub/b.html")
        let third = try await library.add(docs)
        #expect((third.indexed, third.unchanged, third.removed) == (2, 0, 2))
        #expect(try await library.search(PassageQuery(text: "walrus", language: "en")).isEmpty)
        #expect(try await library.search(PassageQuery(text: "heron", language: "en")).first?.location.hasSuffix("/renamed.txt") == true)
        #expect(try await library.list().map(\.documents) == [2])
        #expect(try await library.remove(docs) == 2)
        #expect(try await library.list().isEmpty)
        await #expect(throws: LibraryError.self) { try await library.remove(docs) }
    }

    @Test("what an earlier version of the reader has read is read again")
    func readingVersion() async throws {
        let folder = try TemporaryFolder()
        try folder.write("docs/a.md", "# Alpha\n\nThe walrus sleeps.\n")
        let index = try SQLitePassageIndex(path: folder.path + "/index/library.sqlite", role: .writer)
        var configuration = Library.Configuration()
        configuration.readingVersion = 7
        _ = try await Library(index: index, reader: PageReader(), configuration: configuration).add(folder.path + "/docs")
        configuration.readingVersion = 8
        let newer = Library(index: index, reader: PageReader(), configuration: configuration)
        #expect(try await newer.add(folder.path + "/docs").indexed == 1)
        #expect(try await newer.add(folder.path + "/docs").unchanged == 1)
    }

    @Test("bad files are reported and do not stop the run; links do not loop")
    func badFiles() async throws {
        let folder = try TemporaryFolder()
        let docs = folder.path + "/docs"
        try folder.write("docs/good.txt", "A good file with words.")
        try folder.write("docs/empty.html", "")
        try folder.write("docs/binary.txt", Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        try folder.write("docs/broken.pdf", "%PDF-1.7 nothing")
        try FileManager.default.createSymbolicLink(atPath: docs + "/loop", withDestinationPath: docs)
        try FileManager.default.createSymbolicLink(atPath: docs + "/up", withDestinationPath: "/")
        try FileManager.default.createSymbolicLink(atPath: docs + "/dangling.txt", withDestinationPath: docs + "/nowhere.txt")
        let made = unsafe mkfifo(docs + "/pipe.txt", 0o600)
        #expect(made == 0)
        let report = try await library(folder).add(docs)
        #expect(report.indexed == 1)
        #expect(Set(report.failures.map { ($0.path as NSString).lastPathComponent }) == ["empty.html", "binary.txt", "broken.pdf"])
        #expect(report.failures.allSatisfy { $0.reason.isEmpty == false })
    }

    @Test("a folder that vanishes or comes back empty keeps its documents")
    func vanished() async throws {
        let folder = try TemporaryFolder()
        let docs = folder.path + "/docs"
        for number in 0..<5 { try folder.write("docs/\(number).txt", "Text number \(number) of these documents.") }
        let library = try library(folder)
        _ = try await library.add(docs)
        try FileManager.default.removeItem(atPath: docs)
        await #expect(throws: LibraryError.self) { try await library.add(docs) }
        try FileManager.default.createDirectory(atPath: docs, withIntermediateDirectories: true)
        await #expect(throws: LibraryError.self) { try await library.add(docs) }
        #expect(try await library.search(PassageQuery(text: "documents", language: "en")).isEmpty == false)
        #expect(try await library.list().map(\.documents) == [5])
    }

    @Test("a folder that vanishes while it is read is an error, and nothing is forgotten")
    func vanishesMeanwhile() async throws {
        let folder = try TemporaryFolder()
        let docs = folder.path + "/docs"
        for number in 0..<60 { try folder.write("docs/\(number).txt", "Text number \(number) of these documents.") }
        let library = try library(folder)
        _ = try await library.add(docs)
        let hasMoved = Mutex(false)
        await #expect(throws: LibraryError.self) {
            try await library.add(docs) { progress in
                guard progress.completed > 5 else { return }
                hasMoved.withLock { moved in
                    if moved == false { moved = unsafe rename(docs, folder.path + "/elsewhere") == 0 }
                }
            }
        }
        #expect(try await library.list().map(\.documents) == [60])
    }

    @Test("cancelling keeps the index whole, and adding again goes on")
    func cancellation() async throws {
        let folder = try TemporaryFolder()
        let docs = folder.path + "/docs"
        for number in 0..<400 { try folder.write("docs/\(number).txt", "Text number \(number) of these documents.") }
        let path = folder.path + "/index/library.sqlite"
        do {
            let index = try SQLitePassageIndex(path: path, role: .writer)
            let library = Library(index: index, reader: PageReader())
            let box = Mutex<Task<LibraryReport, any Error>?>(nil)
            let gate = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in gate.stream { break }
                return try await library.add(docs) { progress in
                    if progress.completed > 250 { box.withLock { $0?.cancel() } }
                }
            }
            box.withLock { $0 = task }
            gate.continuation.yield()
            await #expect(throws: CancellationError.self) { try await task.value }
            let kept = try await index.locations(under: docs).count
            #expect(kept == 200)
            let rest = try await library.add(docs)
            #expect((rest.indexed, rest.unchanged) == (200, 200))
        }
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
        #expect(try await database.withoutTransaction { try $0.first("PRAGMA integrity_check") { $0.text(0) } } == "ok")
        #expect(try await database.withoutTransaction { try $0.query("INSERT INTO words_en (words_en) VALUES ('integrity-check')") { _ in 0 } }.isEmpty)
    }

    @Test("a single file is added whatever it is called")
    func singleFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("notes.weird", "The otter builds a dam.")
        let library = try library(folder)
        #expect(try await library.add(folder.path + "/notes.weird").indexed == 1)
        #expect(try await library.search(PassageQuery(text: "otter", language: "en")).count == 1)
        await #expect(throws: LibraryError.self) { try await library.add(folder.path + "/missing.txt") }
    }

    /// `SOTTO_LIBRARY_FILES=10000` prints the speed; 500 otherwise.
    @Test("many files are added at a steady memory")
    func manyFiles() async throws {
        let count = Int(ProcessInfo.processInfo.environment["SOTTO_LIBRARY_FILES"] ?? "") ?? 500
        let folder = try TemporaryFolder()
        let words = "system package file kernel network server user disk command option service install update mail backup security".split(separator: " ")
        var state: UInt64 = 42
        func word() -> Substring {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 33) % words.count]
        }
        for number in 0..<count {
            let paragraphs = (0..<8).map { _ in "<p>" + (0..<60).map { _ in String(word()) }.joined(separator: " ") + ".</p>" }.joined()
            try folder.write("docs/d\(number / 200)/f\(number).html", "<html lang=en><title>Page \(number)</title><body><h1>Page \(number)</h1>\(paragraphs)</body></html>")
        }
        let library = try library(folder)
        let clock = ContinuousClock()
        let start = clock.now
        let report = try await library.add(folder.path + "/docs")
        let time = clock.now - start
        let again = clock.now
        let second = try await library.add(folder.path + "/docs")
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let peak = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        print("\(count) files: \(time), \(Int(Double(count) / seconds)) files/s, again \(clock.now - again); peak \(peak)")
        #expect(report.indexed == count)
        #expect(second.unchanged == count)
    }
}
