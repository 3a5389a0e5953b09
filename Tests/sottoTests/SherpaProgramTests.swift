import Foundation
import Testing

/// Models of sherpa-onnx as a user meets them: imported, listed, used, removed.
@Suite(
    .serialized, .enabled(if: Program.hasModels, "needs the set small"),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: URL(fileURLWithPath: Program.path).deletingLastPathComponent().path + "/sotto-sherpa-host"),
        "needs sotto-sherpa-host beside sotto"))
struct SherpaProgramTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("SottoSherpaHostTests/Fixtures").path

    private func program() throws -> (program: Program, environment: [String: String]) {
        let program = try Program()
        let models = program.home + "/models"
        try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: models + "/silero-vad", withDestinationPath: Program.models + "/silero-vad")
        return (program, ["SOTTO_MODELS": models])
    }

    /// Two seconds of a soft tone, 16 kHz, 16 bit.
    private func recording(_ program: Program) throws -> String {
        let samples = (0..<32_000).map { Int16(3000 * sin(Double($0) * 0.12)) }
        var bytes = Data("RIFF".utf8)
        func add(_ value: UInt32) { for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) } }
        add(UInt32(36 + samples.count * 2))
        bytes += Data("WAVEfmt ".utf8)
        add(16)
        add(0x0001_0001)
        add(16_000)
        add(32_000)
        add(0x0010_0002)
        bytes += Data("data".utf8)
        add(UInt32(samples.count * 2))
        for sample in samples { for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: sample >> Int16(shift))) } }
        return try program.file("tone.wav", bytes)
    }

    @Test("a model is imported, listed, heard with and removed")
    func journey() async throws {
        let (program, environment) = try program()
        defer { try? FileManager.default.removeItem(atPath: program.home) }
        let imported = try await program.run("models", "import", Self.fixtures + "/tones", environment: environment)
        #expect(imported.status == 0 && imported.errors.contains("sherpa:tones is installed: streaming transducer"), "\(imported.errors)")
        let list = try await program.run("models", "list", environment: environment)
        #expect(list.output.contains("sherpa:tones\trecognizer"))
        // A tone is no speech, so nothing that the model says of it is believed; but the model was loaded and asked.
        let heard = try await program.run("transcribe", "--engine", "sherpa:tones", try recording(program), environment: environment)
        #expect(heard.status == 0 && heard.output.isEmpty && heard.errors.contains("no speech"), "\(heard.errors)")
        let again = try await program.run("models", "import", Self.fixtures + "/tones", environment: environment)
        #expect(again.status == 1 && again.errors.contains("already"))
        #expect(try await program.run("models", "remove", "sherpa:tones", environment: environment).status == 0)
        let gone = try await program.run("transcribe", "--engine", "sherpa:tones", try recording(program), environment: environment)
        #expect(gone.status == 1 && gone.errors.contains("sotto models import"), "\(gone.errors)")
    }

    @Test("a model over which the library ends its process is an error of the command, with the reason")
    func damaged() async throws {
        let (program, environment) = try program()
        defer { try? FileManager.default.removeItem(atPath: program.home) }
        #expect(try await program.run("models", "import", Self.fixtures + "/damaged", environment: environment).status == 0)
        let heard = try await program.run("transcribe", "--engine", "sherpa:damaged", try recording(program), environment: environment)
        #expect(heard.status == 1 && heard.errors.contains("num_encoder_layers"), "\(heard.errors)")
    }

    @Test("what cannot be had says how to get it")
    func advice() async throws {
        let (program, environment) = try program()
        defer { try? FileManager.default.removeItem(atPath: program.home) }
        let pulled = try await program.run("models", "pull", "zipvoice", environment: environment)
        #expect(pulled.status == 1 && pulled.errors.contains("vocos_24khz.onnx") && pulled.errors.contains("models import"), "\(pulled.errors)")
        let other = try await program.run("models", "import", Self.fixtures, environment: environment)
        #expect(other.status == 1 && other.errors.contains("tokens.txt"), "\(other.errors)")
    }
}
