import Foundation
import SottoAudio
import SottoMediaFiles
import SottoModelStore
import SottoMoonshineRecognizer
import SottoObservability
import SottoSherpaHost
import SottoSileroVoiceActivity
import SottoSmartTurn
import SottoSpeechEngines
import SottoStreams
import SottoText
import SottoVoices
import SottoWhisperRecognizer

extension Engines {
    /// The recognizers in order of preference.
    func recognizerOffers() async throws -> [RecognizerOffer] {
        let store = try modelStore()
        return [
            RecognizerOffer(
                name: "moonshine", model: Self.recognizerModel, languages: ["en"], detectsLanguage: false, translates: false,
                isInstalled: try await store.status(of: Self.recognizerModel) == .installed),
            RecognizerOffer(
                name: "whisper", model: Self.languagesModel, languages: WhisperRecognizer.languages, detectsLanguage: true, translates: true,
                isInstalled: try await store.status(of: Self.languagesModel) == .installed),
        ]
    }

    /// - Throws: ``RecognitionError`` when no recognizer can, or the one that can is not installed.
    func recognizer(_ hearing: Hearing = Hearing(.fixed("en"))) async throws -> ChosenRecognizer {
        if let name = hearing.engine, name.hasPrefix(SherpaModelStore.prefix) {
            return ChosenRecognizer(recognizer: try await sherpaRecognizer(name), model: name, hearing: hearing)
        }
        let store = try modelStore()
        let offer = try RecognizerChoice.choose(
            hearing.language, translating: hearing.translates, engine: hearing.engine, among: try await recognizerOffers())
        let voiceActivity = try await store.installed(Self.voiceActivityModel)
        let model = try await store.installed(offer.model)
        let (recognizer, use) = try recognizers.engine(offer.model) {
            let detector = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: voiceActivity.path("silero_vad.onnx"), budget: budget))
            guard offer.model == Self.languagesModel else {
                return try MoonshineRecognizer(
                    modelFolder: model.folder, voiceActivity: detector, budget: budget, configuration: .init(threads: threads))
            }
            return try WhisperRecognizer(
                modelPath: model.path("ggml-base.bin"), voiceActivity: detector, budget: budget,
                configuration: .init(threads: threads, expectedLanguage: expectedLanguage), log: log)
        }
        return ChosenRecognizer(recognizer: recognizer, model: offer.model, hearing: hearing, use: use)
    }

    /// The language of the user's own system; `nil` when it names none.
    private var expectedLanguage: String? {
        let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { self.environment[$0] }.first { $0.isEmpty == false } ?? ""
        return LanguageTag.primary(of: String(name.prefix { $0 != "." })).flatMap { WhisperRecognizer.languages.contains($0) ? $0 : nil }
    }

    /// Whether ``turnDetector()`` gives one; loads nothing, so that a microphone need not wait.
    func hasTurnDetector() async throws -> Bool { try await modelStore().status(of: Self.turnModel) == .installed }

    /// What tells a finished turn from a rest; `nil` when its model is not installed.
    func turnDetector() async throws -> (any TurnDetector)? {
        let store = try modelStore()
        guard let model = try? await store.installed(Self.turnModel) else { return nil }
        return try turnDetectors.engine(Self.turnModel) { try SmartTurn(modelPath: model.path("smart-turn-v3.2-cpu.onnx"), budget: budget) }.engine
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
        let recognizer = try await engines.recognizer(try Hearing(settings))
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
