import Foundation
import SottoKokoroSynthesizer
import SottoModelStore
import SottoObservability
import SottoPhonemes
import SottoSpeechCache
import SottoSpeechEngines
import SottoStreams
import SottoText
import SottoVoices

extension Engines {
    func synthesizer() async throws -> any SpeechSynthesizer { try await kokoro().engine }

    /// What reads texts aloud.
    func voice() async throws -> SpeechPipeline {
        let (engine, use) = try await kokoro()
        return SpeechPipeline(synthesizer: UsedSynthesizer(engine: engine, use: use), pronunciations: pronunciations())
    }

    private func kokoro() async throws -> (engine: KokoroSynthesizer, use: EngineUse) {
        let model = try await modelStore().installed(Self.synthesizerModel)
        var configuration = KokoroSynthesizer.Configuration(threads: threads, cache: FolderSpeechCache(path: places.speech), modelIdentity: model.id)
        configuration.fittedVoices = fittedVoices()
        if settings.voice.isEmpty == false { configuration.defaultVoice = settings.voice }
        // Another voice, another try of a fit, another pronunciation: another one.
        let voices = configuration.fittedVoices.map { "\($0.voice.name) \($0.style.hashValue)" }.joined(separator: "\n")
        let words = FileManager.default.contents(atPath: places.pronunciations)?.hashValue ?? 0
        return try synthesizers.engine("\(model.id)\n\(configuration.defaultVoice)\n\(words)\n\(voices)", replacing: true) {
            try KokoroSynthesizer(
                modelFolder: model.folder, budget: budget, phonemizer: Phonemizer(pronunciations: pronunciations().phonemes),
                configuration: configuration)
        }
    }

    /// The user's list; a line that cannot be used is named in the log and left out.
    func pronunciations() -> Pronunciations {
        guard let bytes = FileManager.default.contents(atPath: places.pronunciations) else { return Pronunciations() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            log.warning("\(places.pronunciations) is not UTF-8 text; no pronunciation of it is used")
            return Pronunciations()
        }
        let list = Pronunciations(parsing: text)
        for fault in list.faults { log.warning("\(places.pronunciations), line \(fault.line): \(fault.message)") }
        return list
    }
}

/// A synthesizer that stays in memory as long as somebody speaks with it.
private struct UsedSynthesizer: SpeechSynthesizer {
    let engine: KokoroSynthesizer
    let use: EngineUse

    var sampleRate: Int { engine.sampleRate }
    var voices: [SynthesisVoice] { engine.voices }

    func synthesize(_ request: SpeechRequest) -> SpeechChunks { held(engine.synthesize(request)) }
    func synthesize(_ script: SpeechScript) -> SpeechChunks { held(engine.synthesize(script)) }

    private func held(_ chunks: SpeechChunks) -> SpeechChunks {
        SpeechChunks { emit in
            defer { withExtendedLifetime(use) {} }
            for try await chunk in chunks { try await emit(chunk) }
        }
    }
}
