import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSileroVoiceActivity
import SottoSpeechEngines
import Testing

private let environment = ProcessInfo.processInfo.environment
private let modelPath: String = {
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/silero-vad/silero_vad.onnx"
}()
private let hasModel = FileManager.default.fileExists(atPath: modelPath)
private let speech = environment["SOTTO_CORPORA"].map { $0 + "/speech" }

@Suite(.serialized, .enabled(if: hasModel, "needs the model silero-vad"))
struct SileroVoiceActivityTests {
    private func detector() throws -> SileroVoiceActivity { try SileroVoiceActivity(modelPath: modelPath, budget: ComputeBudget(threads: 1)) }

    /// By ONNX Runtime's Python package: 64 samples of context, state carried on, zeros at the start.
    private static let truth: [Float] = [
        0.0055, 0.0082, 0.0092, 0.0076, 0.0062, 0.0052, 0.0049, 0.0049, 0.0032, 0.0026, 0.0034, 0.0041, 0.0029, 0.0033, 0.0031,
        0.128, 0.5653, 0.8367, 0.9115, 0.915, 0.8894, 0.9034, 0.925, 0.89, 0.9973, 0.9983, 0.9986, 0.9997, 0.9995, 0.9994,
        0.9989, 0.9963, 0.9933, 0.9632, 0.6436, 0.209, 0.0827, 0.0518, 0.0351, 0.0289, 0.0248, 0.0255, 0.029, 0.0262, 0.0243,
        0.0228, 0.0255, 0.0277, 0.0274, 0.0198, 0.0197, 0.0142, 0.0142, 0.0159, 0.0126, 0.0131, 0.0117, 0.007, 0.0081, 0.0098,
        0.0078, 0.006, 0.0061
    ]

    /// The clip that is shipped, and what ONNX Runtime's Python package makes of it; see Fixtures.
    private func clip() throws -> (audio: AudioBuffer, truth: [Float]) {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/half_an_hour").path
        let truth = try String(contentsOfFile: path + ".txt", encoding: .utf8).split(separator: "\n").compactMap { Float($0) }
        return (try WAVFile(path: path + ".wav").mono(), truth)
    }

    @Test("the shipped clip has the probabilities that ONNX Runtime gives in Python")
    func shippedClip() async throws {
        let (audio, truth) = try clip()
        let probabilities = try await detector().probabilities(audio)
        #expect(truth.count > 20 && truth.max() ?? 0 > 0.95)
        #expect(probabilities.count == truth.count)
        for (probability, truth) in zip(probabilities, truth) { #expect(abs(probability - truth) < 1e-4) }
    }

    @Test("samples that are not finite are heard as silence and spoil nothing after them", arguments: [Float.nan, .infinity, -.infinity])
    func notFinite(value: Float) async throws {
        let (audio, truth) = try clip()
        let session = try await detector().makeSession()
        let spoiled = try await session.accept([Float](repeating: value, count: 1024))
        let silence = try await detector().makeSession().accept([Float](repeating: 0, count: 1024))
        #expect(spoiled == silence)
        let after = try await session.accept(audio.samples)
        #expect(abs((after.max() ?? 0) - (truth.max() ?? 1)) < 0.05)
    }

    @Test("a session hears nothing of the recording before it")
    func fresh() async throws {
        let (audio, _) = try clip()
        let detector = try detector()
        let first = try await detector.probabilities(audio)
        #expect(try await detector.probabilities(audio) == first)
    }

    @Test("a cancelled task stops instead of going through the whole recording")
    func cancelled() async throws {
        let detector = try detector()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await detector.probabilities(AudioBuffer(samples: [Float](repeating: 0, count: 16_000 * 60), sampleRate: 16_000))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("clips without speech have none that counts", .enabled(if: speech != nil, "needs SOTTO_CORPORA"), arguments: [
        "castanets48_stereo", "leopard-empty", "ohf-background_noise", "pysilero-silence", "sb-noise3", "sb-noise4", "sb-noise5", "watson-blank",
    ])
    func noSpeech(name: String) async throws {
        let audio = try WAVFile(path: (speech ?? "") + "/no-speech/dev/\(name).wav").mono().resampled(to: 16_000)
        var segmenter = SpeechSegmenter()
        var found = try await detector().probabilities(audio).compactMap { segmenter.observe($0) }
        if let last = segmenter.finish() { found.append(last) }
        #expect(found.isEmpty)
    }

    @Test("probabilities are those of ONNX Runtime in Python", .enabled(if: speech != nil, "needs SOTTO_CORPORA"))
    func agreesWithPython() async throws {
        let audio = try WAVFile(path: (speech ?? "") + "/wakewords/dev/alexa.wav").mono()
        let probabilities = try await detector().probabilities(audio)
        #expect(probabilities.count == Self.truth.count)
        for (probability, truth) in zip(probabilities, Self.truth) { #expect(abs(probability - truth) < 1e-3) }
    }

    @Test("samples may come in pieces of any size", .enabled(if: speech != nil, "needs SOTTO_CORPORA"), arguments: [1, 511, 513, 5000])
    func pieces(size: Int) async throws {
        let samples = try WAVFile(path: (speech ?? "") + "/wakewords/dev/alexa.wav").mono().samples
        let session = try await detector().makeSession()
        var probabilities: [Float] = []
        for start in stride(from: 0, to: samples.count, by: size) {
            probabilities += try await session.accept(Array(samples[start..<min(start + size, samples.count)]))
        }
        #expect(probabilities.count == samples.count / 512)
        for (probability, truth) in zip(probabilities, Self.truth) { #expect(abs(probability - truth) < 1e-3) }
    }

    @Test("speech is heard after a minute of noise", .enabled(if: speech != nil, "needs SOTTO_CORPORA"))
    func afterNoise() async throws {
        let noise = try WAVFile(path: (speech ?? "") + "/no-speech/dev/ohf-background_noise.wav").mono().samples
        let word = try WAVFile(path: (speech ?? "") + "/wakewords/dev/alexa.wav").mono().samples
        let samples = Array(repeatElement(noise, count: 5).joined()) + word
        let probabilities = try await detector().probabilities(AudioBuffer(samples: samples, sampleRate: 16_000))
        #expect(probabilities.suffix(63).max() ?? 0 > 0.95)
        #expect(probabilities.dropLast(64).max() ?? 1 < 0.5)
    }

    @Test func silenceAndWrongRate() async throws {
        #expect(try await detector().probabilities(AudioBuffer(samples: [], sampleRate: 16_000)).isEmpty)
        #expect(try await detector().probabilities(AudioBuffer(samples: [Float](repeating: 0, count: 16_000), sampleRate: 16_000)).max() ?? 1 < 0.3)
        let error = await #expect(throws: RecognitionError.self) { try await detector().probabilities(AudioBuffer(samples: [0], sampleRate: 8000)) }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test("a missing, empty, damaged or different model is an error that says what to do")
    func damagedModel() throws {
        let whole = try Data(contentsOf: URL(filePath: modelPath))
        let path = FileManager.default.temporaryDirectory.appending(path: "sotto-silero-\(UUID().uuidString).onnx").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for bytes in [nil, Data(), whole.prefix(1000), whole.prefix(whole.count / 2), Data(repeating: 0xA5, count: 50_000)] as [Data?] {
            if let bytes { try bytes.write(to: URL(filePath: path)) }
            let error = #expect(throws: RecognitionError.self) { try SileroVoiceActivity(modelPath: path, budget: ComputeBudget(threads: 1)) }
            #expect(error?.code == .modelNotLoaded)
            #expect(error?.message.contains("models pull") == true)
        }
    }
}
