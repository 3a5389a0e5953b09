import Foundation
import Glibc
import SottoArchive
import SottoSubprocess
import Testing

@Suite struct ArchiveWriterTests {
    private struct Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-archive-\(UUID().uuidString)").path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
            return path + "/" + name
        }

        var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test("what is written, Python's zipfile reads back, byte by byte, with its checksums")
    func readBack() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let noise = (0..<300_000).map { _ in UInt8.random(in: .min ... .max) }
        let text = Array(String(repeating: "the same words again and again\n", count: 10_000).utf8)
        let archive = folder.path + "/out.zip"
        try await ArchiveWriter().write(
            [
                ArchiveEntry(name: "deep/er/noise.bin", path: try folder.file("a", noise), isCompressed: false),
                ArchiveEntry(name: "größe 🎈.txt", path: try folder.file("b", text), isCompressed: true),
                ArchiveEntry(name: "empty", path: try folder.file("c", []), isCompressed: true),
            ], to: archive)
        let script = """
            import hashlib, json, sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as z:
                assert z.testzip() is None
                print(json.dumps([[i.filename, i.compress_type, i.external_attr >> 16, hashlib.sha256(z.read(i)).hexdigest()] for i in z.infolist()]))
            """
        let output = try await Subprocess.run(Subprocess.Request("python3", ["-c", script, archive])).checked()
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [[Any]])
        #expect(rows.map { $0[0] as? String } == ["deep/er/noise.bin", "größe 🎈.txt", "empty"])
        // Stored, deflated; a file that has nothing is stored.
        #expect(rows[0][1] as? Int == 0 && rows[1][1] as? Int == 8)
        #expect(rows.allSatisfy { $0[2] as? Int == 0o100600 })
        for (index, name) in ["a", "b", "c"].enumerated() {
            let sum = try await Subprocess.run(Subprocess.Request("sha256sum", [folder.path + "/" + name])).checked()
            #expect(String(decoding: sum, as: UTF8.self).hasPrefix(rows[index][3] as? String ?? "-"))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect((try FileManager.default.attributesOfItem(atPath: archive)[.size] as? Int ?? 0) < 320_000)
    }

    @Test("an archive that was there is replaced whole, or stays when the new one fails")
    func replacing() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let one = try folder.file("one", Array("one".utf8))
        let archive = try folder.file("out.zip", Array("old".utf8))
        let missing = try await #require(throws: ArchiveError.self) {
            try await ArchiveWriter().write(
                [
                    ArchiveEntry(name: "one", path: one, isCompressed: true),
                    ArchiveEntry(name: "gone", path: folder.path + "/gone", isCompressed: true),
                ], to: archive)
        }
        #expect(missing.code == .notReadable && missing.message.contains("gone"))
        #expect(FileManager.default.contents(atPath: archive) == Data("old".utf8))
        try await ArchiveWriter().write([ArchiveEntry(name: "one", path: one, isCompressed: true)], to: archive)
        #expect(FileManager.default.contents(atPath: archive)?.prefix(2) == Data("PK".utf8))
        #expect(folder.names == ["one", "out.zip"])
    }

    @Test("cancelling in the middle leaves nothing")
    func cancelled() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        // Enough that progress is told before the end.
        let big = try folder.file("big", (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
        let archive = folder.path + "/out.zip"
        let (begun, beginning) = AsyncStream.makeStream(of: Double.self)
        let task = Task {
            try await ArchiveWriter().write(
                (0..<20).map { ArchiveEntry(name: "big\($0)", path: big, isCompressed: true) }, to: archive, progress: { beginning.yield($0) })
        }
        for await fraction in begun where fraction > 0 { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(folder.names == ["big"])
    }

    @Test("a folder that is not there is said")
    func nowhere() async throws {
        let error = try await #require(throws: ArchiveError.self) {
            try await ArchiveWriter().write([ArchiveEntry(name: "x", path: "/etc/hostname", isCompressed: true)], to: "/nowhere/at/all.zip")
        }
        #expect(error.message.contains("/nowhere/at/all.zip"))
    }
}
