import Foundation
import SottoAudio
import SottoComputeBudget
import SottoLanguageModels
import SottoLlama
import SottoMachineLoad
import SottoMoonshineRecognizer
import SottoObservability
import SottoSileroVoiceActivity
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import SottoText
import Testing

@testable import SottoWhisperRecognizer

private let environment = ProcessInfo.processInfo.environment
private let models: String = {
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return environment["SOTTO_MODELS"] ?? cache + "/sotto/models"
}()
private let whisper = models + "/whisper-base/ggml-base.bin"
private let silero = models + "/silero-vad/silero_vad.onnx"
private let moonshine = models + "/moonshine-tiny-en"
private let smol = models + "/smollm2-135m-instruct-q4_1/model.gguf"
private let hasModels = [whisper, silero].allSatisfy { FileManager.default.fileExists(atPath: $0) }
private let hasAll = hasModels && [moonshine + "/encoder_model.ort", smol].allSatisfy { FileManager.default.fileExists(atPath: $0) }
private let speech = environment["SOTTO_CORPORA"].map { $0 + "/speech/" } ?? ""
private let hasEspeak = (try? Subprocess.locate("espeak-ng")) != nil

@Suite(.serialized, .enabled(if: hasModels, "needs the models whisper-base and silero-vad"))
struct WhisperRecognizerTests {
    private let budget = ComputeBudget(threads: 2, load: LinuxMachineLoad())

    private func recognizer(_ change: (inout WhisperRecognizer.Configuration) -> Void = { _ in }) throws -> WhisperRecognizer {
        var configuration = WhisperRecognizer.Configuration()
        change(&configuration)
        return try WhisperRecognizer(
            modelPath: whisper, voiceActivity: try SileroVoiceActivity(modelPath: silero, budget: budget), budget: budget, configuration: configuration)
    }

    private func clip(_ path: String) throws -> AudioBuffer { try WAVFile(path: speech + path).mono().resampled(to: 16_000) }

    /// Some sentences of the Harvard lists.
    private func harvard() throws -> AudioBuffer {
        let whole = try clip("osr-harvard/dev/OSR_us_000_0034_8k.wav")
        return AudioBuffer(samples: Array(whole.samples.prefix(9 * 16_000)), sampleRate: 16_000)
    }

    /// Synthetic speech: what is tested is the path, not the network.
    private func spoken(_ text: String, voice: String) async throws -> AudioBuffer {
        let path = FileManager.default.temporaryDirectory.path + "/sotto-whisper-\(UUID().uuidString).wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await Subprocess.run(.init("espeak-ng", ["-v", voice, "-s", "140", "-w", path, "--", text])).checked()
        return try WAVFile(path: path).mono().resampled(to: 16_000)
    }

    @Test("the marks that nobody speaks are those of the authors' list")
    func suppressedMarks() throws {
        #expect(try WhisperHandle(path: whisper).vocabulary.nonSpeech == WhisperVocabularyTests.suppressedByCTranslate2)
    }

    @Test("the control tokens are the model's")
    func controlTokens() throws {
        let handle = try WhisperHandle(path: whisper)
        // Of openai/whisper's multilingual tokenizer.
        let control = handle.vocabulary.control
        #expect(control.end == 50_257 && control.start == 50_258 && control.languages["en"] == 50_259 && control.languages["de"] == 50_261)
        #expect(control.translate == 50_358 && control.transcribe == 50_359 && control.noSpeech == 50_362 && control.noTimestamps == 50_363)
        #expect(control.firstTimestamp == 50_364 && control.languages.count == 99 && handle.vocabulary.count == 51_865 && handle.textLength == 448)
        #expect(Set(control.languages.keys) == WhisperRecognizer.languages)
    }

    /// By faster-whisper 1.2.1 with the same weights in CTranslate2, greedy, 32-bit floats, over the whole clip.
    @Test("words are those of faster-whisper", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"), arguments: [
        ("speechbrain-samples/dev/spk1_snt1.wav", "The child almost hurt the small dog."),
        ("vad-short/dev/pysilero-speech.wav", "Hello"),
    ])
    func agrees(path: String, truth: String) async throws {
        let finals = try await recognizer().transcribe(AudioStream(try clip(path)), options: .init(language: .fixed("en"))).finals()
        #expect(TranscriptNormalizer.words(finals.map(\.text).joined(separator: " ")) == TranscriptNormalizer.words(truth))
        #expect(finals.allSatisfy { $0.language == "en" && $0.languageProbability == nil })
    }

    @Test("a language is found out, and its words have times in order", .enabled(if: hasEspeak, "needs espeak-ng"), arguments: [
        ("de", "Guten Tag, ich möchte morgen früh mit dem Zug nach München fahren."), ("es", "Buenos días, mañana quiero ir en tren a la ciudad de Sevilla."),
    ])
    func detection(language: String, sentence: String) async throws {
        let audio = try await spoken(sentence, voice: language)
        let finals = try await recognizer().transcribe(AudioStream(audio), options: .init(language: .detected(among: []))).finals()
        let final = try #require(finals.first)
        #expect(final.language == language && (final.languageProbability ?? 0) > 0.5)
        let heard = finals.map(\.text).joined(separator: " ")
        let rate = WordErrorRate(reference: words(sentence), hypothesis: words(heard))
        #expect(rate.rate <= 0.35, "\(heard)")
        let times = finals.flatMap { $0.measuredWords ?? [] }
        #expect(times.map(\.text).joined(separator: " ") == heard)
        for (left, right) in zip(times, times.dropFirst()) { #expect(left.start <= left.end && left.end <= right.start) }
        for word in times { #expect(word.start >= final.start && word.end <= audio.seconds + 0.05) }
    }

    @Test("nothing is translated unless asked", .enabled(if: hasEspeak, "needs espeak-ng"))
    func translation() async throws {
        let audio = try await spoken("Guten Tag, ich möchte morgen früh mit dem Zug nach München fahren.", voice: "de")
        let recognizer = try recognizer()
        let german = try await recognizer.transcribe(AudioStream(audio), options: .init(language: .fixed("de"))).finals()
        #expect(german.first?.text.lowercased().contains("zug") == true && german.first?.language == "de")
        let english = try await recognizer.transcribe(AudioStream(audio), options: .init(language: .fixed("de"), translatesToEnglish: true)).finals()
        #expect(english.first?.text.lowercased().contains("train") == true && english.first?.language == "en")
    }

    @Test("of a pair of languages only those two are heard", .enabled(if: hasEspeak, "needs espeak-ng"))
    func pair() async throws {
        let audio = try await spoken("Guten Tag, ich möchte morgen früh mit dem Zug nach München fahren.", voice: "de")
        let finals = try await recognizer().transcribe(AudioStream(audio), options: .init(language: .detected(among: ["fr", "it"]))).finals()
        #expect(finals.allSatisfy { ["fr", "it"].contains($0.language) })
    }

    /// Every clip that the corpus calls silence, noise or music.
    @Test("silence, noise and music give no text", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func noSpeech() async throws {
        let manifest = try String(contentsOfFile: speech + "manifest.tsv", encoding: .utf8)
        let paths = manifest.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
            .filter { ["silence", "noise-only", "music-only"].contains($0[9]) }.map { String($0[0]) }
        #expect(paths.count >= 8)
        let recognizer = try recognizer()
        for path in paths {
            let finals = try await recognizer.transcribe(AudioStream(try clip(path)), options: .init(language: .detected(among: []))).finals()
            #expect(finals.isEmpty, "\(path): \(finals.map(\.text))")
        }
    }

    @Test("live text only grows, and the final begins with what was settled", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func partials() async throws {
        let audio = try harvard()
        let recognizer = try recognizer {
            $0.step = .init(step: 30, longestStep: 60)
            $0.commit = .init(stability: 0.9, openWords: 2, sureProbability: 0.5)
            $0.now = { .zero }
        }
        var settled = ""
        var partials = 0
        var finals: [String] = []
        for try await update in recognizer.transcribe(AudioStream(audio), options: .init(partials: true, language: .fixed("en"))) {
            switch update {
            case .partial(let committed, _):
                partials += 1
                #expect(committed.text.hasPrefix(settled), "\"\(settled)\" became \"\(committed.text)\"")
                settled = committed.text
            case .final(let final):
                #expect(final.text.hasPrefix(settled), "\"\(settled)\" ended as \"\(final.text)\"")
                finals.append(final.text)
                settled = ""
            }
        }
        #expect(partials > 3)
        #expect(finals.joined(separator: " ").lowercased().contains("long journey home took a year"))
    }

    @Test("two recordings at once give the same words as one after the other", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func together() async throws {
        let recognizer = try recognizer()
        let clips = try ["speechbrain-samples/dev/spk1_snt1.wav", "speechbrain-samples/dev/spk2_snt4.wav"].map(clip)
        func hear(_ audio: AudioBuffer) async throws -> String {
            try await recognizer.transcribe(AudioStream(audio), options: .init(language: .fixed("en"))).finals().map(\.text).joined(separator: " ")
        }
        let alone = [try await hear(clips[0]), try await hear(clips[1])]
        async let first = hear(clips[0])
        async let second = hear(clips[1])
        #expect(try await [first, second] == alone)
        #expect(alone.allSatisfy { $0.isEmpty == false })
    }

    @Test("a cancel ends the recognition", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func cancel() async throws {
        let recognizer = try recognizer()
        let audio = try harvard()
        let session = try await recognizer.makeSession(.init(partials: true, language: .fixed("en")))
        let task = Task { try await session.accept(audio.samples) }
        // Not before the network is at work.
        while await session.lastSpeech == nil { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The model is free for the next one.
        let finals = try await recognizer.transcribe(AudioStream(try clip("speechbrain-samples/dev/spk1_snt1.wav")), options: .init(language: .fixed("en"))).finals()
        #expect(finals.count == 1)
    }

    @Test("the sound of a silence gate alone is not text: a network that is told to hear hum says nothing sure")
    func hum() async throws {
        let recognizer = try recognizer { $0.segmenter = .init(onset: 0, offset: 0, certainty: 0, minimumSpeech: 1, minimumRise: -.infinity) }
        let hum = (0..<48_000).map { Float(0.05) * Float(sin(Double($0) * 2 * .pi * 50 / 16_000)) }
        let finals = try await recognizer.transcribe(AudioStream(AudioBuffer(samples: hum, sampleRate: 16_000)), options: .init(language: .detected(among: []))).finals()
        #expect(finals.isEmpty, "\(finals.map(\.text))")
    }

    @Test("samples that are no numbers, and no samples at all, do no harm")
    func badSamples() async throws {
        let recognizer = try recognizer()
        let bad = [Float](repeating: .nan, count: 20_000) + [.infinity, -.infinity]
        #expect(try await recognizer.transcribe(AudioStream(AudioBuffer(samples: bad, sampleRate: 16_000))).finals().isEmpty)
        #expect(try await recognizer.transcribe(AudioStream(AudioBuffer(samples: [], sampleRate: 16_000))).finals().isEmpty)
        let wrong = recognizer.transcribe(AudioStream(AudioBuffer(samples: [0], sampleRate: 8_000)))
        await #expect(throws: RecognitionError.self) { try await wrong.finals() }
    }

    @Test("a language that it does not know is an error that lists those it knows")
    func unknownLanguage() async throws {
        let recognizer = try recognizer()
        let error = await #expect(throws: RecognitionError.self) { _ = try await recognizer.makeSession(.init(language: .detected(among: ["de", "tlh"]))) }
        #expect(error?.code == .unsupportedLanguage && error?.message.contains("\"tlh\"") == true && error?.message.contains("de, el, en") == true)
    }

    @Test("Moonshine, the language model and Whisper work in one process, one after the other and at once",
        .enabled(if: hasAll && speech.isEmpty == false, "needs all models and SOTTO_CORPORA"))
    func oneProcess() async throws {
        let audio = try clip("speechbrain-samples/dev/spk1_snt1.wav")
        let detector = try SileroVoiceActivity(modelPath: silero, budget: budget)
        let english = try MoonshineRecognizer(modelFolder: moonshine, voiceActivity: detector, budget: budget)
        let many = try recognizer()
        let model = try LlamaModel(.init(path: smol), budget: budget)
        func write() async throws -> String {
            try await model.makeSession().respond(to: [.init(.user, "Name one color.")], options: .init(maximumTokens: 8)).collect().text
        }
        func hear(_ recognizer: some SpeechRecognizer) async throws -> [String] {
            TranscriptNormalizer.words(try await recognizer.transcribe(AudioStream(audio)).finals().map(\.text).joined(separator: " "))
        }
        let truth = ["the", "child", "almost", "hurt", "the", "small", "dog"]
        let alone = try await write()
        #expect(try await hear(many) == truth)
        #expect(try await hear(english) == truth)
        async let written = write()
        async let first = hear(many)
        async let second = hear(english)
        #expect(try await (first, second) == (truth, truth))
        #expect(try await written == alone)
    }

    private func words(_ text: String) -> [String] {
        text.lowercased().split { $0.isLetter == false && $0.isNumber == false }.map(String.init)
    }
}

@Suite struct WhisperModelFileTests {
    private let budget = ComputeBudget(threads: 1)

    private struct NobodySpeaks: VoiceActivityDetector {
        var sampleRate = 16_000
        let frameLength = 512
        struct Session: VoiceActivitySession {
            func accept(_ samples: [Float]) async throws -> [Float] { [] }
        }
        func makeSession() async throws -> any VoiceActivitySession { Session() }
    }

    private func error(at path: String) async throws -> RecognitionError {
        let recognizer = try WhisperRecognizer(modelPath: path, voiceActivity: NobodySpeaks(), budget: budget)
        return try #require(await #expect(throws: RecognitionError.self) { try await recognizer.prepare() })
    }

    @Test("a model that is missing says how to get it")
    func missing() async throws {
        let error = try await error(at: "/nowhere/ggml-base.bin")
        #expect(error.code == .modelNotLoaded && error.message.contains("sotto models pull whisper-base"))
    }

    @Test("a file that is no model, or half of one, is refused and says how to mend it", arguments: [0, 3, 100, 600_000])
    func damaged(length: Int) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/sotto-whisper-\(UUID().uuidString).bin"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var bytes = Data(repeating: 0x41, count: length)
        if hasModels, length >= 100, let handle = FileHandle(forReadingAtPath: whisper) { bytes = try handle.read(upToCount: length) ?? bytes }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = try await error(at: path)
        #expect(error.code == .modelNotLoaded && error.message.contains("sotto models pull whisper-base"))
    }

    @Test("a detector of another rate is refused")
    func rate() {
        #expect(throws: RecognitionError.self) {
            try WhisperRecognizer(modelPath: whisper, voiceActivity: NobodySpeaks(sampleRate: 8_000), budget: budget)
        }
    }
}
