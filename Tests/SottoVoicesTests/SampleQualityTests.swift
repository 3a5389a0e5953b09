import Foundation
import SottoAudio
import SottoVoices
import Testing

@Suite struct SampleQualityTests {
    /// Syllables of a tone: a quarter of a second each, with a fifth of silence between, and noise under all of it.
    private func speech(seconds: Double, level: Double = 0.2, noise: Double = 0.0005, gain: Double = 1) -> AudioBuffer {
        var seed: UInt64 = 5
        let samples = (0..<Int(seconds * 16_000)).map { index -> Float in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let chance = Double(Int32(truncatingIfNeeded: seed >> 32)) / Double(Int32.max)
            let isOn = index % 7200 < 4000
            let angle = Double(index) * Double.pi / 40
            let tone: Double = isOn ? sin(angle) * level : 0
            let sum = (tone + chance * noise) * gain
            return Float(min(max(sum, -1), 1))
        }
        return AudioBuffer(samples: samples, sampleRate: 16_000)
    }

    @Test("a good sample has no faults, and its figures are those it was made with")
    func good() {
        let quality = SampleQuality(speech(seconds: 12))
        #expect(quality.faults == [])
        #expect(abs(quality.seconds - 12) < 0.01)
        // Four in seven.
        let speech = 12.0 * 4000 / 7200
        #expect(abs(quality.speechSeconds - speech) < 0.6)
        // A sine of 0.2: 0.02 of power.
        let level = 10 * log10(0.02)
        #expect(abs(quality.level - level) < 1)
        // Even noise of ±0.0005 has a third of that squared.
        let hiss = 0.0005 * 0.0005 / 3
        let distance = 10 * log10(0.02 / hiss)
        #expect(abs(quality.distance - distance) < 2)
        #expect(quality.clipped == 0)
    }

    @Test("each fault is seen, and only it")
    func faults() {
        #expect(SampleQuality(speech(seconds: 5)).faults == [.tooShort])
        #expect(SampleQuality(speech(seconds: 150)).faults == [.tooLong])
        #expect(SampleQuality(speech(seconds: 12, level: 0.008, noise: 0.00002)).faults == [.tooQuiet])
        #expect(SampleQuality(speech(seconds: 12, noise: 0.1)).faults == [.noisy])
        #expect(SampleQuality(speech(seconds: 12, gain: 8)).faults == [.clipped])
        // Turned down after it was cut off.
        let turnedDown = AudioBuffer(samples: speech(seconds: 12, gain: 8).samples.map { $0 * 0.6 }, sampleRate: 16_000)
        #expect(SampleQuality(turnedDown).faults == [.clipped])
    }

    @Test("silence, nothing and the shortest recordings have figures too")
    func empty() {
        for samples in [[], [0], [Float](repeating: 0, count: 16_000), [Float](repeating: 1, count: 10)] {
            let quality = SampleQuality(AudioBuffer(samples: samples, sampleRate: 16_000))
            #expect(quality.faults.contains(.tooShort), "\(samples.count) samples")
            #expect(quality.level.isFinite && quality.distance.isFinite && quality.clipped.isFinite, "\(samples.count) samples")
        }
    }

    @Test("every fault says what to do")
    func messages() {
        #expect(SampleQuality.Fault.allCases.allSatisfy { $0.message.contains(";") })
    }
}
