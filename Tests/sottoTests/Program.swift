import Foundation
import Glibc
import SottoSubprocess
import Synchronization

/// The built program, run as a user runs it, in folders of its own.
struct Program {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent(".build/debug/sotto").path
    static let models: String = {
        let environment = ProcessInfo.processInfo.environment
        return environment["SOTTO_MODELS"] ?? (environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "") + "/.cache") + "/sotto/models"
    }()

    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }
    static var hasModels: Bool {
        isBuilt
            && ["moonshine-tiny-en/encoder_model.ort", "kokoro-82m-int8/model.onnx", "silero-vad/silero_vad.onnx", "smollm2-135m-instruct-q4_1/model.gguf"]
                .allSatisfy { FileManager.default.fileExists(atPath: models + "/" + $0) }
    }

    let home: String

    /// - Parameter allowsWeb: Whether research may use the web; tests ask nothing of it unless they say so.
    init(allowsWeb: Bool = false) throws {
        home = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-program-\(UUID().uuidString)").path
        // Its own run-time folder too: an owner that the user runs has nothing to do with tests.
        try FileManager.default.createDirectory(atPath: home + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard allowsWeb == false else { return }
        _ = try file(".config/sotto/config.json", Data(#"{"research": false}"#.utf8))
    }

    func file(_ name: String, _ bytes: Data) throws -> String {
        let path = home + "/" + name
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    var environment: [String: String] {
        ["HOME": home, "PATH": "/usr/bin:/bin", "SOTTO_MODELS": Self.models, "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": home + "/run", "TZ": "Europe/Berlin"]
    }

    func run(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], folder: String = "/"
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await run(arguments, input: input, environment: environment, folder: folder)
    }

    func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], folder: String = "/"
    ) async throws -> (status: Int32, output: String, errors: String) {
        var request = Subprocess.Request(Self.path, arguments)
        request.input = .bytes(input)
        request.environment = self.environment.merging(environment) { $1 }
        request.workingDirectory = folder
        request.deadline = .seconds(300)
        let result = try await Subprocess.run(request)
        let status: Int32 =
            switch result.status {
            case .exited(let code): code
            default: -1
            }
        return (status, String(decoding: result.standardOutput, as: UTF8.self), String(decoding: result.standardError, as: UTF8.self))
    }

    func remove() { try? FileManager.default.removeItem(atPath: home) }
}

/// A program that runs beside the test, with what it has written so far.
final class Running: Sendable {
    private struct State {
        var text = ""
        var ended = false
        var waiters: [(String, CheckedContinuation<Bool, Never>)] = []
    }

    private let process: Process
    private let state = Mutex(State())
    var processID: Int32 { process.processIdentifier }

    init(_ program: Program, _ arguments: [String], folder: String = "/", environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = arguments
        process.environment = program.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let reader = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while case let data = reader.availableData, data.isEmpty == false { add(String(decoding: data, as: UTF8.self)) }
            process.waitUntilExit()
            end()
        }
    }

    var text: String { state.withLock { $0.text } }

    /// Waits until a text has been written; `false` when the program ended without it.
    func writes(_ text: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.text.contains(text) { return true }
                if state.ended { return false }
                state.waiters.append((text, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Its exit status, or minus the signal that ended it.
    func status() async -> Int32 {
        // No text holds this one, so it waits for the end.
        _ = await writes("\u{0}never\u{0}")
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    func signal(_ number: Int32) { _ = Glibc.kill(process.processIdentifier, number) }

    private func add(_ piece: String) {
        let found = state.withLock { state in
            state.text += piece
            let text = state.text
            let found = state.waiters.filter { text.contains($0.0) }
            state.waiters.removeAll { text.contains($0.0) }
            return found
        }
        for (_, continuation) in found { continuation.resume(returning: true) }
    }

    private func end() {
        let waiters = state.withLock { state in
            state.ended = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for (_, continuation) in waiters { continuation.resume(returning: false) }
    }
}
