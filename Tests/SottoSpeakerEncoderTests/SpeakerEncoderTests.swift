import Foundation
import SottoAudio
import SottoSpeechEngines
import Testing

@testable import SottoSpeakerEncoder

private let weights: String = {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/ge2e/pretrained.pt"
}()

private let corpora = ProcessInfo.processInfo.environment["SOTTO_CORPORA"]

/// Three seconds of a wavering tone with two others; so written that Python computes the same.
private let signal: [Float] = (0..<48_000).map { index in
    let t = Double(index) / 16_000
    let low = 0.1 * sin(2 * .pi * (120 * t + 20 * sin(2 * .pi * 3 * t)))
    let middle = 0.05 * sin(2 * .pi * 700 * t) * (1 + sin(2 * .pi * 4 * t)) / 2
    return Float(low + middle + 0.03 * sin(2 * .pi * 2500 * t))
}

/// Expected values come from a NumPy implementation over the same signal and file.
@Suite struct SpeakerEncoderTests {
    @Test("mel power is librosa's")
    func mel() {
        let frames = MelPower().frames(signal)
        #expect(frames.count == 301 * 40)
        let expected: [Float] = [7.22257e-08, 4.56125e-07, 2.89247e-06, 3.34232e-05, 0.00224906, 0.589911, 1.37409, 0.0735131]
        for (band, value) in expected.enumerated() {
            #expect(abs(frames[4000 + band] - value) < max(value * 0.001, 2e-6), "band \(band)")
        }
    }

    @Test("silence is left out, but for a breath around speech, and quiet speech is raised")
    func preparation() {
        let quiet = [Float](repeating: 0.00001, count: 32_000)
        let kept = SpeakerEncoder.withoutSilence(quiet + signal + quiet)
        #expect(kept.count > 48_000 && kept.count < 48_000 + 8 * 480)
        #expect(SpeakerEncoder.withoutSilence([]) == [])
        #expect(SpeakerEncoder.withoutSilence([Float](repeating: 0, count: 9000)) == [])
        let leveled = SpeakerEncoder.leveled(signal.map { $0 * 0.01 })
        let power = leveled.reduce(0) { $0 + $1 * $1 } / Float(leveled.count)
        #expect(abs(10 * log10f(power) + 30) < 0.1)
        #expect(SpeakerEncoder.leveled(signal.map { $0 * 5 }) == signal.map { $0 * 5 })
    }

    @Test("wrong rates, no speech and missing or damaged weights are clear errors")
    func errors() async throws {
        let encoder = SpeakerEncoder(weights: "/no/such/file")
        var error = await #expect(throws: SpeakerError.self) { try await encoder.embedding(of: AudioBuffer(samples: signal, sampleRate: 8000)) }
        #expect(error?.code == .unsupportedSampleRate)
        error = await #expect(throws: SpeakerError.self) { try await encoder.embedding(of: AudioBuffer(samples: [0, 0], sampleRate: 16_000)) }
        #expect(error?.code == .tooLittleSpeech)
        error = await #expect(throws: SpeakerError.self) { try await encoder.embedding(of: AudioBuffer(samples: signal, sampleRate: 16_000)) }
        #expect(error?.code == .modelNotLoaded)
        let damaged = FileManager.default.temporaryDirectory.appending(path: "sotto-ge2e-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: damaged) }
        for size in [0, 100, GE2EWeights.fileSize] {
            try Data(count: size).write(to: damaged)
            #expect(throws: SpeakerError.self) { try GE2EWeights(path: damaged.path) }
        }
    }

    @Test("likeness is the product of directions of one length")
    func likeness() {
        #expect([Float(0.6), 0.8].likeness(to: [1, 0]) == 0.6)
        #expect([Float(1)].likeness(to: [1, 0]) == 0)
    }

    @Suite(.serialized, .enabled(if: FileManager.default.fileExists(atPath: weights), "needs the model ge2e"))
    struct WithModel {
        @Test("the direction is the one that NumPy computes")
        func reference() async throws {
            let direction = try await SpeakerEncoder(weights: weights).embedding(ofSpeech: signal)
            let expected: [Float] = [0, 0, 0.12745, 0, 0.06602, 0.07741, 0, 0.06487, 0, 0.17011, 0.06187, 0.15704]
            #expect(direction.count == 256)
            for (index, value) in expected.enumerated() { #expect(abs(direction[index] - value) < 0.0005, "value \(index)") }
            #expect(direction.firstIndex(of: try #require(direction.max())) == 197)
            #expect(abs(direction.likeness(to: direction) - 1) < 0.0001)
        }

        /// Computed by Resemblyzer 0.1.4's own code (spectra, looks, mean), its LSTM by NumPy.
        @Test("real speech points where Resemblyzer says", .enabled(if: corpora != nil, "needs SOTTO_CORPORA"))
        func speech() async throws {
            let file = try WAVFile(path: try #require(corpora) + "/speech/vctk/dev/p225_003.wav").mono().resampled(to: 16_000)
            let direction = try await SpeakerEncoder(weights: weights).embedding(ofSpeech: file.samples)
            for (index, value) in [138: 0.2501, 221: 0.2236, 183: 0.1987, 94: 0.1978, 2: 0.1959, 66: 0.1797] as [Int: Float] {
                // Resamplers differ a little.
                #expect(abs(direction[index] - value) < 0.004, "value \(index)")
            }
            // Without silence it is the same voice.
            #expect(try await SpeakerEncoder(weights: weights).embedding(of: file).likeness(to: direction) > 0.98)
        }
    }
}
