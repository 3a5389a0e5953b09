import Foundation
import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines

@testable import SottoSherpaHost

/// What the tests of this module share.
enum Setting {
    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures").path
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    static let library = root + "/.runtime/lib/sherpa"

    /// The program that lies beside the running tests.
    static let program: String = {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let places = [CommandLine.arguments.first { $0.hasSuffix(".xctest") }, running].compactMap { $0 }
        let folders = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return folders.map { $0 + "/sotto-sherpa-host" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "sotto-sherpa-host not built"
    }()

    static var hasLibrary: Bool { FileManager.default.fileExists(atPath: library + "/libsherpa-onnx-c-api.so") }

    static let real = SherpaConfiguration(program: program, arguments: [library])

    static func scripted(_ mode: String, marker: String? = nil, step: Duration = .seconds(60), grace: Duration = .seconds(20)) -> SherpaConfiguration
    {
        SherpaConfiguration(
            program: "/usr/bin/python3", arguments: [fixtures + "/child.py", mode] + (marker.map { [$0] } ?? []), stepDeadline: step,
            cancelGrace: grace)
    }

    static func model(_ folder: String) throws -> SherpaModelFiles {
        let path = fixtures + "/" + folder
        return try SherpaModelFiles(folder: path, names: FileManager.default.contentsOfDirectory(atPath: path), metadata: ONNXMetadata.read)
    }

    static func recognizer(_ model: SherpaModelFiles, _ configuration: SherpaConfiguration) throws -> SherpaRecognizer {
        try SherpaRecognizer(model: model, voiceActivity: LoudnessDetector(), budget: ComputeBudget(threads: 2), configuration: configuration)
    }

    static func temporaryPath() -> String { FileManager.default.temporaryDirectory.appendingPathComponent("sotto-sherpa-\(UUID().uuidString)").path }

    /// A sine of a moderate level at 16 kHz.
    static func tone(_ hertz: Double, _ seconds: Double) -> [Float] {
        (0..<Int(seconds * 16_000)).map { Float(0.3 * sin(2 * .pi * hertz * Double($0) / 16_000)) }
    }

    static func silence(_ seconds: Double) -> [Float] { [Float](repeating: 0, count: Int(seconds * 16_000)) }
}

/// Takes what is loud for speech.
struct LoudnessDetector: VoiceActivityDetector {
    let sampleRate = 16_000
    let frameLength = 512

    func makeSession() async throws -> any VoiceActivitySession { Session() }

    private actor Session: VoiceActivitySession {
        private var rest: [Float] = []

        func accept(_ samples: [Float]) async throws -> [Float] {
            rest += samples
            var probabilities: [Float] = []
            while rest.count >= 512 {
                probabilities.append(rest.prefix(512).reduce(0) { max($0, abs($1)) } > 0.02 ? 1 : 0)
                rest.removeFirst(512)
            }
            return probabilities
        }
    }
}
