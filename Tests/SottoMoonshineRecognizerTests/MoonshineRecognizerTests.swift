import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSileroVoiceActivity
import SottoSpeechEngines
import SottoStreams
import SottoText
import Testing

import SottoMachineLoad
@testable import SottoMoonshineRecognizer

private let environment = ProcessInfo.processInfo.environment
private let models: String = {
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return environment["SOTTO_MODELS"] ?? cache + "/sotto/models"
}()
private let folder = models + "/moonshine-tiny-en"
private let silero = models + "/silero-vad/silero_vad.onnx"
private let hasModels = [folder + "/encoder_model.ort", silero].allSatisfy { FileManager.default.fileExists(atPath: $0) }
private let speech = environment["SOTTO_CORPORA"].map { $0 + "/speech/" } ?? ""

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite(.serialized, .enabled(if: hasModels, "needs the models moonshine-tiny-en and silero-vad"))
struct MoonshineRecognizerTests {
    private let budget = ComputeBudget(threads: 2, load: LinuxMachineLoad())

    private func recognizer(threads: Int = 2) throws -> MoonshineRecognizer {
        try MoonshineRecognizer(
            modelFolder: folder, voiceActivity: try SileroVoiceActivity(modelPath: silero, budget: budget), budget: budget,
            configuration: .init(threads: threads))
    }

    private func clip(_ path: String) throws -> AudioBuffer { try WAVFile(path: speech + path).mono().resampled(to: 16_000) }

    /// By ONNX Runtime's Python package: the same two files, greedy, softmax in double precision.
    @Test("tokens and probabilities are those of a decode in Python", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"), arguments: [1, 2])
    func agreesWithPython(threads: Int) async throws {
        let model = MoonshineModel(folder: folder, budget: budget, threads: threads)
        let jarvis = try await model.decode(try clip("wakewords/dev/hey_jarvis.wav").samples)
        #expect(jarvis.text == "Hey, Jarvis.")
        for (token, truth) in zip(jarvis.pieces, [("Hey", 0.7521), (",", 0.6516), (" Jar", 0.8124), ("vis", 0.9975), (".", 0.7196)] as [(String, Float)]) {
            #expect(token.text.trimmingCharacters(in: .whitespaces) == truth.0.trimmingCharacters(in: .whitespaces))
            #expect(abs(token.probability - truth.1) < 0.01)
        }
        let dialogue = try await model.decode(Array(try clip("pyannote/dev/sample.wav").samples.prefix(240_000)))
        #expect(
            dialogue.text
                == "Hello? Hello? Hello? Oh, hello. I didn't know you were there. Neither did I. Okay, I thought, you know, I heard of beef. This is Diane in New Jersey, and I'm Shane.")
        #expect(dialogue.pieces.count == 53)
        #expect(abs((dialogue.pieces.first?.probability ?? 0) - 0.4323) < 0.01)
    }

    @Test("a page of a novel is heard, with places in order", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func longRecording() async throws {
        let audio = try clip("moonshine-assets/dev/two_cities_16k.wav")
        let finals = try await recognizer().transcribe(AudioStream(audio)).finals()
        let manifest = try String(contentsOfFile: speech + "manifest.tsv", encoding: .utf8)
        let line = try #require(manifest.split(separator: "\n").first { $0.hasPrefix("moonshine-assets/dev/two_cities_16k.wav\t") })
        let truth = String(line.split(separator: "\t", omittingEmptySubsequences: false)[1])
        let rate = WordErrorRate(
            reference: TranscriptNormalizer.words(truth), hypothesis: TranscriptNormalizer.words(finals.map(\.text).joined(separator: " ")))
        // The makers' own library is at 0.13 on this clip.
        #expect(rate.rate < 0.13)
        for (left, right) in zip(finals, finals.dropFirst()) { #expect(left.start < left.end && left.end <= right.start) }
        #expect(finals.last.map { $0.end <= audio.seconds + 0.05 } == true)
    }

    @Test("how the audio is cut into buffers changes nothing", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func buffers() async throws {
        let audio = try clip("wakewords/dev/hey_jarvis.wav")
        let recognizer = try recognizer()
        let whole = try await recognizer.transcribe(AudioStream(audio)).finals()
        #expect(whole.count == 1)
        for size in [160, 1000, 7777] {
            let stream = AudioStream { emit in
                for start in stride(from: 0, to: audio.samples.count, by: size) {
                    try await emit(AudioBuffer(samples: Array(audio.samples[start..<min(start + size, audio.samples.count)]), sampleRate: 16_000))
                }
            }
            let pieces = try await recognizer.transcribe(stream).finals()
            #expect(pieces.map(\.text) == whole.map(\.text))
            #expect(pieces.map(\.start) == whole.map(\.start))
        }
    }

    /// Every clip that the corpus calls silence, noise or music.
    @Test("silence, noise and music give no text", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func noSpeech() async throws {
        let manifest = try String(contentsOfFile: speech + "manifest.tsv", encoding: .utf8)
        let paths = manifest.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
            .filter { ["silence", "noise-only", "music-only"].contains($0[9]) }.map { String($0[0]) }
        #expect(paths.count >= 8)
        for path in paths {
            #expect(try await recognizer().transcribe(AudioStream(try clip(path))).finals().isEmpty, "\(path)")
        }
    }

    @Test("what is really said is kept: a spoken thank-you is not taken for the phantom that noise provokes",
        .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func thankYou() async throws {
        // The first second of a longer prompt: "Thank you for calling".
        let audio = try clip("asterisk-prompts/dev/basic-pbx-ivr-main.wav")
        let opening = AudioBuffer(samples: Array(audio.samples.prefix(16_000)), sampleRate: 16_000)
        let finals = try await recognizer().transcribe(AudioStream(opening)).finals()
        #expect(finals.first?.text.lowercased().hasPrefix("thank you") == true)
    }

    @Test("nothing is loaded before it is needed, and what was unloaded comes back with the same words",
        .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func loading() async throws {
        let audio = try clip("wakewords/dev/hey_jarvis.wav").samples
        let model = MoonshineModel(folder: folder, budget: budget, threads: 1)
        #expect(await model.isLoaded == false)
        let first = try await model.decode(audio)
        #expect(await model.isLoaded)
        await model.unload()
        #expect(await model.isLoaded == false)
        let second = try await model.decode(audio)
        // Bit for bit: text, tokens and probabilities.
        #expect(first.tokens == second.tokens)
        #expect(first.text == second.text)
    }

    @Test("the same recording gives the same transcripts, probabilities included, two at a time as well",
        .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func determinism() async throws {
        let audio = try clip("pyannote/dev/sample.wav")
        let recognizer = try recognizer(threads: 1)
        let alone = try await recognizer.transcribe(AudioStream(audio)).finals()
        #expect(alone.isEmpty == false)
        async let left = recognizer.transcribe(AudioStream(audio)).finals()
        async let right = recognizer.transcribe(AudioStream(audio)).finals()
        #expect(try await left == alone)
        #expect(try await right == alone)
    }

    /// Captured once from moonshine-voice 0.1.0 with `vad_threshold` 0, which decodes the whole clip as `decode` does.
    @Test("the words are those of the makers' own library", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"), arguments: [
        ("ljspeech/dev/LJ001-0008", "Has never been surpassed."),
        ("ljspeech/dev/LJ001-0004", "produced the blockbooks, which were the immediate predecessors of the true printed book."),
        ("vctk/dev/p225_003", "Six spoons of fresh snow peas, five thick slabs of blue cheese and maybe a snack for her brother Bob."),
        ("vctk/dev/p225_020", "Many complicated ideas about the rainbow have been formed."),
        ("vctk/dev/p226_003", "Six spoons of fresh noppies, five thick slabs of blue cheese and maybe a snack for her brother Bob."),
        ("vctk/dev/p226_016", "The Norsemen considered the rainbow as a bridge over which the gods passed from Earth to their home in the sky."),
        ("pocketsphinx/dev/cards-002", "Four queen of gloves."),
        ("pocketsphinx/dev/cards-005", "Eight of spades, four of cloves, seven of hearts."),
        ("pocketsphinx/dev/goforward", "Go forward ten meters."),
        ("voices/dev/voices-sp0307", "I had that curiosity beside me at this moment."),
        ("asterisk-prompts/dev/vm-nobodyavail", "Nobody is available to take your call at the moment."),
        ("asterisk-prompts/dev/dir-firstlast", "Letters of your party's first or last name."),
        ("asterisk-prompts/dev/vm-toforward", "Press eight to forward the message to another user."),
    ])
    func agreesWithMakers(name: String, text: String) async throws {
        let model = MoonshineModel(folder: folder, budget: budget, threads: 1)
        #expect(try await model.decode(try clip(name + ".wav").samples).text == text)
    }

    @Test("a draft is checked, not believed", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func drafts() async throws {
        let model = MoonshineModel(folder: folder, budget: budget, threads: 1)
        let samples = try clip("vctk/dev/p225_003.wav").samples
        let plain = try await model.decode(samples)
        let ids = plain.tokens.map(\.id)
        // The network's 8-bit sums share one scale over all tokens of a pass, so a draft, right or wrong, may tip a near tie; no more than that.
        for draft in [ids, Array(ids.prefix(3)), Array(ids.prefix(5)) + [999, 1000, 1001], ids + ids, [500, 600]] {
            let decode = try await model.decode(samples, draft: draft)
            let rate = WordErrorRate(reference: TranscriptNormalizer.words(plain.text), hypothesis: TranscriptNormalizer.words(decode.text))
            #expect(rate.rate <= 0.15)
        }
    }

    @Test("settled words are taken as given, and the rest follows from them", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func committedWords() async throws {
        let model = MoonshineModel(folder: folder, budget: budget, threads: 1)
        let samples = try clip("vctk/dev/p225_003.wav").samples
        let plain = try await model.decode(samples)
        for count in [1, 4, plain.tokens.count] {
            let decode = try await model.decode(samples, committed: Array(plain.tokens.prefix(count)), draft: plain.tokens.dropFirst(count).map(\.id))
            let rate = WordErrorRate(reference: TranscriptNormalizer.words(plain.text), hypothesis: TranscriptNormalizer.words(decode.text))
            #expect(rate.errors <= 1)
            #expect(Array(decode.tokens.prefix(count)) == Array(plain.tokens.prefix(count)))
        }
        // Other words than the network's own stay, whatever it thinks of them.
        let other = try await model.decode(try clip("wakewords/dev/hey_jarvis.wav").samples)
        let forced = try await model.decode(samples, committed: other.tokens)
        #expect(forced.text.hasPrefix(other.text))
    }

    private func stream(_ samples: [Float], frame: Int = 320) async throws -> [TranscriptUpdate] {
        let session = try await recognizer(threads: 1).makeSession(.init(partials: true))
        var updates: [TranscriptUpdate] = []
        for start in stride(from: 0, to: samples.count, by: frame) { updates += try await session.accept(Array(samples[start..<min(start + frame, samples.count)])) }
        return updates + (try await session.finish())
    }

    private func finals(_ updates: [TranscriptUpdate]) -> [Transcript] {
        updates.compactMap { if case .final(let text) = $0 { text } else { nil } }
    }

    @Test("streamed: text comes while it is spoken, settled words only grow, and the words are those of the whole recording",
        .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func streaming() async throws {
        let samples = try clip("moonshine-assets/dev/two_cities_16k.wav").samples
        let updates = try await stream(samples)
        var committed = ""
        var partials = 0
        var tailed = 0
        for update in updates {
            switch update {
            case .partial(let settled, let tail):
                #expect(settled.text.hasPrefix(committed))
                committed = settled.text
                partials += 1
                tailed += tail.text.isEmpty ? 0 : 1
            case .final(let text):
                #expect(text.text.hasPrefix(committed))
                committed = ""
            }
        }
        #expect(partials > 20 && tailed > 20)
        let whole = try await recognizer().transcribe(AudioStream(AudioBuffer(samples: samples, sampleRate: 16_000))).finals()
        let rate = WordErrorRate(
            reference: TranscriptNormalizer.words(whole.map(\.text).joined(separator: " ")),
            hypothesis: TranscriptNormalizer.words(finals(updates).map(\.text).joined(separator: " ")))
        #expect(rate.rate < 0.03)
        #expect(finals(updates).map(\.start) == whole.map(\.start))
    }

    @Test("real repeats live, streamed or not, and a second utterance begins anew", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func repeats() async throws {
        let hellos = Array(try clip("pyannote/dev/sample.wav").samples.prefix(10 * 16_000))
        let count = TranscriptNormalizer.words(finals(try await stream(hellos)).map(\.text).joined(separator: " ")).count { $0 == "hello" }
        let whole = try await recognizer().transcribe(AudioStream(AudioBuffer(samples: hellos, sampleRate: 16_000))).finals()
        #expect(count == TranscriptNormalizer.words(whole.map(\.text).joined(separator: " ")).count { $0 == "hello" })
        #expect(count >= 3)
        let jarvis = try clip("wakewords/dev/hey_jarvis.wav").samples
        let silence = [Float](repeating: 0, count: 24_000)
        #expect(finals(try await stream(jarvis + silence + jarvis + silence + jarvis)).map(\.text) == ["Hey, Jarvis.", "Hey, Jarvis.", "Hey, Jarvis."])
    }

    @Test("a recording that is stopped right behind the last word keeps the word", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func cutAtWordEnd() async throws {
        let samples = try clip("wakewords/dev/hey_jarvis.wav").samples
        let peak = samples.reduce(0) { max($0, abs($1)) }
        let end = try #require(samples.lastIndex { abs($0) > peak * 0.05 })
        for updates in [try await stream(Array(samples[...end])), try await stream(Array(samples[...end]), frame: samples.count)] {
            #expect(finals(updates).map(\.text).joined().contains("Jarvis"))
        }
    }

    @Test("silence, noise and music give no partial either, and what gave no text is counted", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func quietPartials() async throws {
        let manifest = try String(contentsOfFile: speech + "manifest.tsv", encoding: .utf8)
        let paths = manifest.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
            .filter { ["silence", "noise-only", "music-only"].contains($0[9]) }.map { String($0[0]) }
        for path in paths { #expect(try await stream(try clip(path).samples).isEmpty, "\(path)") }
    }

    @Test("no audio, a single sample, samples that are no numbers", arguments: [[], [0.5], [Float](repeating: .nan, count: 20_000)] as [[Float]])
    func emptyAudio(samples: [Float]) async throws {
        let audio = AudioBuffer(samples: samples, sampleRate: 16_000)
        #expect(try await recognizer().transcribe(AudioStream(audio)).finals().isEmpty)
    }

    @Test func wrongRate() async throws {
        let recognizer = try recognizer()
        let error = await #expect(throws: RecognitionError.self) {
            try await recognizer.transcribe(AudioStream(AudioBuffer(samples: [0], sampleRate: 44_100))).finals()
        }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test("an error of the audio source comes through as it is")
    func sourceFails() async throws {
        struct Unplugged: Error {}
        let recognizer = try recognizer()
        await #expect(throws: Unplugged.self) { try await recognizer.transcribe(AudioStream { _ in throw Unplugged() }).finals() }
    }

    @Test("a cancel takes effect within a second at any moment, and the recognizer works on", .enabled(if: speech.isEmpty == false, "needs SOTTO_CORPORA"))
    func cancellation() async throws {
        let audio = try clip("moonshine-assets/dev/two_cities_16k.wav")
        let recognizer = try recognizer()
        let clock = ContinuousClock()
        var random = SplitMix64(state: 11)
        var times: [Duration] = []
        var cancelled = 0
        let begun = clock.now
        _ = try await recognizer.transcribe(AudioStream(audio)).finals()
        let whole = clock.now - begun
        for _ in 0..<100 {
            let moment = whole * Double.random(in: 0..<0.9, using: &random)
            let task = Task { try await recognizer.transcribe(AudioStream(audio)).finals() }
            // The moment itself is what is drawn at random; nothing is waited for by time.
            try await clock.sleep(for: moment)
            let start = clock.now
            task.cancel()
            if case .failure(let error) = await task.result {
                #expect(error is CancellationError)
                cancelled += 1
            }
            times.append(clock.now - start)
        }
        // How many are still under way at their moment depends on the machine; the median, because other programs load it.
        #expect(cancelled > 20)
        #expect(times.sorted()[times.count / 2] < .seconds(1), "the slowest took \(times.max() ?? .zero)")
        let finals = try await recognizer.transcribe(AudioStream(try clip("wakewords/dev/hey_jarvis.wav"))).finals()
        #expect(finals.map(\.text) == ["Hey, Jarvis."])
    }

    @Test("missing, empty and damaged model files are errors that say what to do", arguments: ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"])
    func damagedModel(name: String) async throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "sotto-moonshine-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for file in ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"] where file != name {
            try FileManager.default.createSymbolicLink(atPath: copy + "/" + file, withDestinationPath: folder + "/" + file)
        }
        let whole = try Data(contentsOf: URL(filePath: folder + "/" + name))
        let voiceActivity = try SileroVoiceActivity(modelPath: silero, budget: budget)
        for bytes in [nil, Data(), whole.prefix(100), whole.prefix(whole.count / 2), whole.dropLast(4096), Data(repeating: 0x5A, count: 100_000)] as [Data?] {
            if let bytes { try Data(bytes).write(to: URL(filePath: copy + "/" + name)) }
            let recognizer = try MoonshineRecognizer(modelFolder: copy, voiceActivity: voiceActivity, budget: budget)
            let error = await #expect(throws: RecognitionError.self) { try await recognizer.prepare() }
            let silence = AudioBuffer(samples: [Float](repeating: 0, count: 16_000), sampleRate: 16_000)
            let heard = await #expect(throws: RecognitionError.self) { try await recognizer.transcribe(AudioStream(silence)).finals() }
            #expect(heard?.code == .modelNotLoaded)
            #expect(error?.code == .modelNotLoaded)
            #expect(error?.message.contains("models pull") == true)
        }
    }
}
