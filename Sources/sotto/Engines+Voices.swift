import Foundation
import SottoKokoroSynthesizer
import SottoModelStore
import SottoObservability
import SottoPhonemes
import SottoSpeechCache
import SottoSpeechEngines
import SottoText
import SottoVoices

extension Engines {
    func synthesizer() async throws -> any SpeechSynthesizer {
        let model = try await modelStore().installed(Self.synthesizerModel)
        var configuration = KokoroSynthesizer.Configuration(threads: threads, cache: FolderSpeechCache(path: places.speech), modelIdentity: model.id)
        configuration.fittedVoices = fittedVoices()
        if settings.voice.isEmpty == false { configuration.defaultVoice = settings.voice }
        return try KokoroSynthesizer(
            modelFolder: model.folder, budget: budget, phonemizer: Phonemizer(pronunciations: pronunciations().phonemes), configuration: configuration)
    }

    /// What reads texts aloud.
    func voice() async throws -> SpeechPipeline {
        SpeechPipeline(synthesizer: try await synthesizer(), pronunciations: pronunciations())
    }

    /// The user's list; a line that cannot be used is named in the log and left out.
    private func pronunciations() -> Pronunciations {
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
