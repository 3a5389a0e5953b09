import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMediaFiles
import SottoSpeechEngines
import Testing

@testable import SottoSmartTurn

private let environment = ProcessInfo.processInfo.environment
private let modelPath: String = {
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/smart-turn-v3.2/smart-turn-v3.2-cpu.onnx"
}()
private let hasModel = FileManager.default.fileExists(atPath: modelPath)
private let corpora = environment["SOTTO_CORPORA"]

/// A sweep that comes and goes, with a little noise.
private let sweep: [Float] = {
    var state: UInt32 = 1
    return (0..<40_000).map { index in
        state = state &* 1_664_525 &+ 1_013_904_223
        let time = Double(index) / 16_000
        let noise = Double(state) / 2_147_483_648 - 1
        return Float(0.4 * sin(2 * .pi * (150 * time + 220 * time * time)) * max(0, sin(6 * .pi * time)) + 0.02 * noise)
    }
}()

struct SmartTurnFeaturesTests {
    /// From pipecat-ai 1.14.0's own numpy implementation, the same samples: band, then the frames 0, 500, 555, 610, 700, 777, 799.
    private static let reference: [(Int, [Float])] = [
        (0, [-0.06164, -0.06164, 0.92095, 0.74823, 0.4719, 0.66319, 0.83178]), (1, [-0.06164, -0.06164, 1.10327, 0.72156, 0.52242, 0.65266, 0.91816]),
        (7, [-0.06164, -0.06164, 0.91762, 0.7389, 0.83451, 0.68237, 0.75558]), (20, [-0.06164, -0.06164, 0.61308, 0.61956, 1.16865, 0.53616, 0.73631]),
        (41, [-0.06164, -0.06164, 0.5962, 0.74211, 0.546, 0.81117, 0.6138]), (60, [-0.06164, -0.06164, 0.61699, 0.59655, 0.73971, 0.74277, 0.6873]),
        (79, [-0.06164, -0.06164, 0.75368, 0.76828, 0.7548, 0.78585, 0.68853]),
    ]

    @Test("the features equal those of another implementation")
    func reference() {
        let features = SmartTurnFeatures().features(of: sweep)
        #expect(features.count == 80 * 800)
        for (band, values) in Self.reference {
            for (frame, value) in zip([0, 500, 555, 610, 700, 777, 799], values) {
                #expect(abs(features[band * 800 + frame] - value) < 2e-3, "band \(band), frame \(frame)")
            }
        }
        #expect(abs(features.reduce(0.0) { $0 + Double($1) } / 64_000 - 0.18347) < 1e-3)
    }

    @Test("nothing, silence, what is no number and more than the window are all taken")
    func odd() {
        let front = SmartTurnFeatures()
        #expect(front.features(of: []).allSatisfy { $0.isFinite })
        #expect(front.features(of: [Float](repeating: 0, count: 16_000)).allSatisfy { $0.isFinite })
        #expect(front.features(of: [.nan, .infinity, 1] + sweep).allSatisfy { $0.isFinite })
        let long = sweep + sweep + sweep + sweep
        #expect(front.features(of: [Float](repeating: 0.3, count: 5000) + long) == front.features(of: long))
    }
}

@Suite(.serialized, .enabled(if: hasModel, "needs the model smart-turn-v3.2"))
struct SmartTurnModelTests {
    private func detector() throws -> SmartTurn {
        try SmartTurn(modelPath: modelPath, budget: ComputeBudget(threads: 1))
    }

    @Test("the probability equals that of the reference on the same samples")
    func probability() async throws {
        let probability = try await detector().completion(of: sweep)
        #expect(abs(probability - 0.94857) < 0.01)
    }

    @Test("a question that was cut is not complete, the whole one is", .enabled(if: corpora != nil, "needs SOTTO_CORPORA"))
    func question() async throws {
        let corpora = try #require(corpora)
        let detector = try detector()
        let audio = try await MediaDecoder(sampleRate: 16_000).read(corpora + "/speech/vap-phrases/dev/work_long_male_en-US-Wavenet-A.wav")
        let silence = [Float](repeating: 0, count: 3200)
        // By the reference 0.013 and 0.986; between them it depends on the last digits of the samples.
        for (seconds, expected) in [(1.0, 0.013), (5.0, 0.986)] as [(Double, Float)] {
            let part = Array(audio.samples.prefix(Int(seconds * 16_000))) + silence
            let probability = try await detector.completion(of: part)
            #expect(abs(probability - expected) < 0.03)
        }
    }

    @Test("a cancel ends a look, and a file that is no such model is an error that says what to do")
    func failures() async throws {
        let detector = try detector()
        let task = Task {
            while Task.isCancelled == false { await Task.yield() }
            return try await detector.completion(of: sweep)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let error = #expect(throws: RecognitionError.self) { try SmartTurn(modelPath: "/nowhere.onnx", budget: ComputeBudget(threads: 1)) }
        #expect(error?.message.contains("sotto models pull smart-turn-v3.2") == true)
    }
}
