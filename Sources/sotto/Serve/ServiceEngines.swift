import SottoAudio
import SottoKokoroSynthesizer
import SottoLanguageModels
import SottoLanguageService
import SottoMediaFiles
import SottoServiceExchange
import SottoSpeechEngines
import SottoSpeechService
import SottoStreams
import SottoVoices

/// Lets clients of OpenAI's interface use this machine's engines.
struct ServiceEngines: TranscriptionEngines, SpeakingEngines, ChatEngines {
    let context: Context

    /// Names that leave the choice to us: OpenAI's own, and ours for "whatever is best".
    private static let openModels: Set<String> = [
        "whisper-1", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-4o-transcribe-diarize", "tts-1", "tts-1-hd", "gpt-4o-mini-tts", "sotto",
    ]

    // MARK: - Hearing

    func recognizer(
        model: String, language: String?, translating: Bool
    ) async throws -> (recognizer: any SpeechRecognizer, options: RecognitionOptions) {
        // Without a language clients expect it to be found out; where nothing can, the settings' own is heard.
        let canDetect = try await context.engines.recognizerOffers().contains { $0.isInstalled && $0.detectsLanguage }
        var hearing = Hearing(
            try language.map { try Hearing.language($0) }
                ?? (canDetect ? .detected(among: []) : try Hearing.language(context.settings.spokenLanguage)))
        hearing.translates = translating
        if Self.openModels.contains(model) == false {
            guard let engine = try await engine(of: model) else { throw ServiceError.unknownModel(model) }
            hearing.engine = engine
        }
        let chosen = try await context.engines.recognizer(hearing)
        return (UsedRecognizer(chosen: chosen), chosen.hearing.options(partials: false))
    }

    private func engine(of model: String) async throws -> String? {
        if model.hasPrefix("sherpa:") { return model }
        return try await context.engines.recognizerOffers().first { $0.name == model || $0.model == model }?.name
    }

    func audio(of file: [UInt8], name: String, sampleRate: Int) -> AudioStream {
        let decoded = MediaDecoder(sampleRate: sampleRate).audio(of: file, name: name)
        return AudioStream { emit in
            do {
                for try await buffer in decoded { try await emit(buffer) }
            } catch let error as MediaError {
                throw AudioInputError(error.message)
            }
        }
    }

    // MARK: - Chat

    func languageModel(_ model: String) async throws -> any LanguageModel {
        if Engines.languageModels.contains(model) { return try await context.engines.languageModel(id: model) }
        // Clients that cannot be told send a name of their own maker's.
        guard Self.openModels.contains(model) || model.hasPrefix("gpt-") else { throw ServiceError.unknownModel(model) }
        guard let best = try await context.engines.languageModel() else {
            throw LanguageModelError(.modelNotLoaded, "no language model is installed; fetch one: sotto models pull")
        }
        return best
    }

    // MARK: - Speaking

    func voices() async throws -> [SynthesisVoice] {
        let voices = try await context.engines.synthesizer().voices
        let first = context.settings.voice.isEmpty ? KokoroSynthesizer.Configuration().defaultVoice : context.settings.voice
        return voices.filter { $0.name == first } + voices.filter { $0.name != first }
    }

    var speeds: ClosedRange<Double> { KokoroSynthesizer.speeds }

    func speech(of text: String, model: String, voice: String, speed: Double) async throws -> (chunks: SpeechChunks, sampleRate: Int) {
        guard Self.openModels.contains(model) || model == Engines.synthesizerModel || model == "kokoro" else {
            throw ServiceError.unknownModel(model)
        }
        let pipeline = try await context.engines.voice()
        return (pipeline.speech(of: text, voice: voice, speed: speed), pipeline.sampleRate)
    }

    func encoded(_ audio: AudioStream, sampleRate: Int, as format: SpeechFormat) -> ProducedSequence<[UInt8]>? {
        MediaEncoder.StreamFormat(rawValue: format.rawValue).map { MediaEncoder().encoded(audio, sampleRate: sampleRate, as: $0) }
    }
}

/// A recognizer that stays in memory as long as somebody hears with it.
private struct UsedRecognizer: SpeechRecognizer {
    let chosen: ChosenRecognizer

    var sampleRate: Int { chosen.sampleRate }

    func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession { try await chosen.recognizer.makeSession(options) }
}
