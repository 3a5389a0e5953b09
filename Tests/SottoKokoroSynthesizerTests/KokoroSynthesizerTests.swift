import Foundation
import SottoAudio
import SottoComputeBudget
import SottoPhonemes
import SottoSpeechEngines
import SottoStreams
import Testing

@testable import SottoKokoroSynthesizer

private let folder: String = {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/kokoro-82m-int8"
}()
private let hasModel = FileManager.default.fileExists(atPath: folder + "/model.onnx")

/// Expected values come from NumPy and ONNX Runtime's Python package over the same files.
@Suite(.serialized, .enabled(if: hasModel, "needs the model kokoro-82m-int8"))
struct KokoroSynthesizerTests {
    private let budget = ComputeBudget(threads: 1)

    private func synthesizer() throws -> KokoroSynthesizer {
        try KokoroSynthesizer(modelFolder: folder, budget: budget)
    }

    private func speak(_ text: String, voice: String? = nil, speed: Double = 1) async throws -> [SpeechChunk] {
        var chunks: [SpeechChunk] = []
        for try await chunk in try synthesizer().synthesize(SpeechRequest(text: text, voice: voice, speed: speed)) { chunks.append(chunk) }
        return chunks
    }

    @Test("voices and vocabulary are read as NumPy and Python read them")
    func files() throws {
        let voices = try VoiceFile(path: folder + "/voices.npz")
        #expect(voices.names == ["jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo"])
        let style = try #require(voices.style(of: "jf_tebukuro", tokens: 31))
        #expect(Array(style.prefix(4)) == [0.006817195098847151, 0.19912682473659515, 0.12267414480447769, -0.19828929007053375])
        #expect(voices.style(of: "jf_tebukuro", tokens: 1)?.first == -0.06066398695111275)
        #expect(voices.style(of: "jf_tebukuro", tokens: 9999)?.last == 0.1937563717365265)
        let vocabulary = try KokoroVocabulary(path: folder + "/vocab.json")
        let tokens: [Int64] = [
            50, 83, 54, 156, 57, 135, 3, 16, 65, 156, 87, 158, 54, 46, 5, 16, 81, 102, 61, 16, 102, 68, 16, 70, 16, 62, 156, 86, 61, 62, 4,
        ]
        #expect(vocabulary.encode("həlˈoʊ, wˈɜːld! ðɪs ɪz ɐ tˈɛst.") == tokens)
        #expect(vocabulary.encode("日本{}ɑ\u{303}").count == 2)
    }

    @Test("styles are offsets from the middle of the stock voices, in units of their spread, as NumPy computes them")
    func styles() throws {
        let voices = try VoiceFile(path: folder + "/voices.npz")
        for (value, expected) in zip(voices.spread, [0.06264016, 0.067522, 0.09802891, 0.13843785] as [Float]) { #expect(abs(value - expected) < 1e-5) }
        let offset = try #require(voices.offset(of: "jm_kumo"))
        for (value, expected) in zip(offset, [-1.7338707, 0.12555152, -1.739916, 1.5891278] as [Float]) { #expect(abs(value - expected) < 1e-4) }
        let style = voices.style(offset: [Float](repeating: 0.5, count: 256), tokens: 12)
        for (value, expected) in zip(style, [-0.03746733, 0.13659945, 0.13227426, -0.05299153] as [Float]) { #expect(abs(value - expected) < 1e-5) }
        #expect(voices.offset(of: "nobody") == nil)
    }

    @Test("a fitted voice goes before a stock voice of its name, says its own speech and keeps it apart; a damaged one is refused")
    func fitted() async throws {
        actor Kept: SpeechCache {
            var keys: [SpeechKey] = []
            func speech(for key: SpeechKey) -> AudioBuffer? { nil }
            func keep(_ speech: AudioBuffer, for key: SpeechKey) { keys.append(key) }
        }
        let (all, own) = (Kept(), Kept())
        func synthesizer(_ voices: [FittedVoice]) throws -> KokoroSynthesizer {
            try KokoroSynthesizer(modelFolder: folder, budget: budget, configuration: .init(threads: 1, cache: all, fittedVoices: voices))
        }
        let stock = try #require(try synthesizer([]).stockStyles.first { $0.name == "jm_kumo" })
        let voice = SynthesisVoice(name: "anna", languages: ["en"])
        let speaking = try synthesizer([FittedVoice(voice: voice, style: stock.style.map { $0 * 0.5 }, cache: own)])
        #expect(speaking.voices.first == voice && speaking.voices.count == 6)
        var spoken: [Float] = []
        for try await chunk in speaking.synthesize(SpeechRequest(text: "Hello there, you.", voice: "anna")) { spoken += chunk.audio.samples }
        #expect(spoken.count > 12_000 && spoken.contains { abs($0) > 0.05 })
        #expect(await own.keys.map(\.voice) == ["anna"])
        #expect(await all.keys.isEmpty)
        #expect(throws: SynthesisError.self) { try synthesizer([FittedVoice(voice: voice, style: [1, 2])]) }
        #expect(throws: SynthesisError.self) { try synthesizer([FittedVoice(voice: voice, style: [Float](repeating: .nan, count: 256))]) }
        // Styles are spoken with without a name; one that gives no speech is an error.
        #expect(try await speaking.speech(of: "Hello there.", style: stock.style).seconds > 0.4)
        await #expect(throws: SynthesisError.self) { try await speaking.speech(of: "...", style: stock.style) }
    }

    @Test("the samples are those of the Python runtime")
    func reference() async throws {
        let expected: [Float] = [
            0.0, 0.0, 0.0001, 0.0002, 0.0054, 0.1424, 0.1541, 0.2042, 0.1976, 0.1685, 0.0916, 0.0666, 0.1454, 0.1388, 0.1423, 0.1116, 0.0362, 0.0041,
            0.0002, 0.0002, 0.0002, 0.0003, 0.0006, 0.0901, 0.0219, 0.1019, 0.1065, 0.0157, 0.0267, 0.0866, 0.0832, 0.0163, 0.005, 0.0002, 0.0003, 0.0003,
            0.0002, 0.0001, 0.0, 0.0,
        ]
        let tokens = try KokoroVocabulary(path: folder + "/vocab.json").encode("həlˈoʊ, wˈɜːld! ðɪs ɪz ɐ tˈɛst.")
        let style = try #require(try VoiceFile(path: folder + "/voices.npz").style(of: "jf_tebukuro", tokens: tokens.count))
        let model = KokoroModel(path: folder + "/model.onnx")
        let samples = try await model.run(tokens: tokens, style: style, speed: 1, threads: 1, cancellation: CancellationFlag())
        // Quantized kernels differ a little between processors.
        #expect(abs(samples.count - 76_200) <= 1200)
        let width = samples.count / expected.count
        for (index, value) in expected.enumerated() {
            let part = samples[(index * width)..<((index + 1) * width)]
            let level = (part.reduce(0) { $0 + $1 * $1 } / Float(width)).squareRoot()
            #expect(abs(level - value) < 0.04, "window \(index)")
        }
    }

    @Test("a text comes in pieces that say it all, with silence at the joins")
    func pieces() async throws {
        let chunks = try await speak("This is the first sentence. Here is another one, with a number: 42.")
        #expect(chunks.map(\.text) == ["This is the first sentence.", "Here is another one, with a number: 42."])
        for chunk in chunks {
            #expect(chunk.audio.sampleRate == 24_000)
            #expect(chunk.audio.seconds > 1 && chunk.audio.seconds < 6)
            #expect(chunk.audio.samples.first == 0)
            #expect(chunk.audio.samples.last == 0)
            #expect(chunk.audio.peak > 0.1 && chunk.audio.peak <= 1)
        }
    }

    @Test("speed changes the length as it should and is brought into range")
    func speed() async throws {
        let text = "The quick brown fox jumps over the lazy dog."
        let normal = try await speak(text).reduce(0) { $0 + $1.audio.seconds }
        let fast = try await speak(text, speed: 2).reduce(0) { $0 + $1.audio.seconds }
        let tooFast = try await speak(text, speed: 50).reduce(0) { $0 + $1.audio.seconds }
        let slow = try await speak(text, speed: 0.5).reduce(0) { $0 + $1.audio.seconds }
        #expect(fast == tooFast)
        #expect(abs(normal / fast - 2) < 0.4)
        #expect(abs(slow / normal - 2) < 0.4)
    }

    @Test("the shortest texts are said, and texts without words are an error", arguments: ["Hi", "A", "7", "No.", "OK!", "3.5%"])
    func short(text: String) async throws {
        let chunks = try await speak(text)
        #expect(chunks.count == 1)
        #expect(chunks[0].audio.seconds > 0.3)
    }

    @Test("errors name what to do")
    func errors() async throws {
        for text in ["", "  \n", "...", "🎉", "—"] {
            let error = await #expect(throws: SynthesisError.self) { try await speak(text) }
            #expect(error?.code == .nothingToSay)
        }
        let unknown = await #expect(throws: SynthesisError.self) { try await speak("Hello", voice: "nobody") }
        #expect(unknown?.code == .unknownVoice)
        #expect(unknown?.message.contains("jf_tebukuro") == true)
        let missing = #expect(throws: SynthesisError.self) { try KokoroSynthesizer(modelFolder: "/no/such/folder", budget: budget) }
        #expect(missing?.code == .modelNotLoaded)
        #expect(VoiceFile(bytes: []) == nil)
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: folder + "/voices.npz")))
        #expect(VoiceFile(bytes: Array(bytes.prefix(bytes.count / 2))) == nil)
        #expect(VoiceFile(bytes: [UInt8](repeating: 0x50, count: 100_000)) == nil)
    }

    @Test("cancelling in the middle of a run takes effect within a second, and the next request works")
    func cancellation() async throws {
        let synthesizer = try synthesizer()
        try await synthesizer.load()
        let long = "This sentence is rather long, so that the network has something to do for a while, and nobody can say that it had ended by itself"
        // Moments by chance, so that phonemes, runs, waiting and delivery are all met; SOTTO_CANCEL_MOMENTS=100 for the full measurement.
        let moments = ProcessInfo.processInfo.environment["SOTTO_CANCEL_MOMENTS"].flatMap(Int.init) ?? 6
        var seed: UInt64 = 7
        var times: [Duration] = []
        for _ in 0..<moments {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let delay = Int(seed >> 33) % 1500
            let task = Task {
                var count = 0
                for try await _ in synthesizer.synthesize(.init(text: String(repeating: long + ". ", count: 5))) { count += 1 }
                return count
            }
            try await Task.sleep(for: .milliseconds(delay))
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The engine's thread is free again, not only the waiting task.
            try await budget.withThreads(.speech, wish: 1) { _ in }
            times.append(ContinuousClock.now - start)
        }
        // The median, because other programs load the machine.
        #expect(times.sorted()[times.count / 2] < .seconds(1))
        print("synthesis cancelled at \(moments) moments, slowest \(times.max() ?? .zero)")
        var heard = 0
        for try await chunk in synthesizer.synthesize(.init(text: "Still here.")) { heard += chunk.audio.samples.count }
        #expect(heard > 12_000)
    }

    @Test("the network is loaded by the first request and freed on demand")
    func lifetime() async throws {
        let synthesizer = try synthesizer()
        #expect(await synthesizer.isLoaded == false)
        for try await _ in synthesizer.synthesize(.init(text: "Hello.")) {}
        #expect(await synthesizer.isLoaded)
        await synthesizer.unload()
        #expect(await synthesizer.isLoaded == false)
        for try await _ in synthesizer.synthesize(.init(text: "Hello again.")) {}
    }
}
