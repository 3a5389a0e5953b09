import Foundation
import SottoAudio
import SottoMediaFiles
import SottoModelStore
import SottoMoonshineRecognizer
import SottoObservability
import SottoSileroVoiceActivity
import SottoSmartTurn
import SottoSpeechEngines
import SottoStreams
import SottoVoices

extension Engines {
    func recognizer() async throws -> any SpeechRecognizer {
        let store = try modelStore()
        let voiceActivity = try await store.installed(Self.voiceActivityModel)
        let moonshine = try await store.installed(Self.recognizerModel)
        let detector = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: voiceActivity.path("silero_vad.onnx"), budget: budget))
        return try MoonshineRecognizer(modelFolder: moonshine.folder, voiceActivity: detector, budget: budget, configuration: .init(threads: threads))
    }

    /// What tells a finished turn from a rest; `nil` when its model is not installed.
    func turnDetector() async throws -> (any TurnDetector)? {
        let store = try modelStore()
        guard let model = try? await store.installed(Self.turnModel) else { return nil }
        return try SmartTurn(modelPath: model.path("smart-turn-v3.2-cpu.onnx"), budget: budget)
    }

    /// Says a sentence and returns what the recognizer hears.
    func roundTrip(_ sentence: String) async throws -> String {
        let recognizer = try await recognizer()
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("sentence.wav").path
        _ = try await voice().write(sentence, to: file)
        return try await recognizer.transcribe(decoder.audio(ofFile: file)).finals().map(\.text).joined(separator: " ")
    }
}

extension Context {
    /// Everything that is said in a recording; empty when nothing is.
    ///
    /// - Parameter file: A path, or "-" for standard input.
    func hear(_ file: String) async throws -> [Transcript] {
        let recognizer = try await engines.recognizer()
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        let audio =
            file == "-"
            ? decoder.audio(of: try await standardInputBytes(limit: 1 << 30), name: "standard input") : decoder.audio(ofFile: try existing(file))
        var finals: [Transcript] = []
        for try await case .final(let transcript) in recognizer.transcribe(audio) {
            finals.append(transcript)
            console.show(SottoObservability.Progress(phase: "Listening", item: "\(Int(transcript.end)) s"))
        }
        return finals
    }
}
