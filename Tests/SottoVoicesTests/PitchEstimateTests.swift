import Foundation
import SottoAudio
import Testing

@testable import SottoVoices

@Suite struct PitchEstimateTests {
    /// Harmonics of a tone that fall by 6 dB an octave, as those of a voice do.
    private static func voice(_ hertz: Double, rate: Int, seconds: Double = 1, noise: Float = 0, vibrato: Double = 0) -> AudioBuffer {
        var chance = SeededGenerator(seed: 5)
        var phase = 0.0
        let samples = (0..<Int(seconds * Double(rate))).map { index -> Float in
            phase += 2 * .pi * hertz * (1 + vibrato * sin(2 * .pi * 5 * Double(index) / Double(rate))) / Double(rate)
            let sum = (1...12).filter { Double($0) * hertz < Double(rate) / 2 }.reduce(0.0) { $0 + sin(Double($1) * phase) / Double($1) }
            return Float(0.2 * sum) + noise * Float.random(in: -1...1, using: &chance)
        }
        return AudioBuffer(samples: samples, sampleRate: rate)
    }

    @Test("is the tone's own frequency, at any usual rate", arguments: [70.0, 99, 131, 180, 246, 330, 400], [8000, 16_000, 24_000, 44_100])
    func tones(hertz: Double, rate: Int) throws {
        let estimate = PitchEstimate(Self.voice(hertz, rate: rate))
        #expect(abs(try #require(estimate.median) / hertz - 1) < 0.01)
        #expect(estimate.voicedShare > 0.9)
        #expect(estimate.spread < 0.2)
    }

    @Test("holds in noise and follows a melody")
    func noisy() throws {
        #expect(abs(try #require(PitchEstimate(Self.voice(120, rate: 16_000, noise: 0.05)).median) / 120 - 1) < 0.02)
        let moving = PitchEstimate(Self.voice(200, rate: 16_000, seconds: 2, vibrato: 0.1))
        #expect(abs(try #require(moving.median) / 200 - 1) < 0.03)
        #expect(moving.spread > 1 && moving.spread < 4)
    }

    @Test("noise, silence and nothing have none")
    func nothing() {
        var chance = SeededGenerator(seed: 6)
        let noise = AudioBuffer(samples: (0..<16_000).map { _ in Float.random(in: -0.3...0.3, using: &chance) }, sampleRate: 16_000)
        #expect(PitchEstimate(noise).median == nil)
        #expect(PitchEstimate(AudioBuffer(samples: [Float](repeating: 0, count: 16_000), sampleRate: 16_000)).median == nil)
        #expect(PitchEstimate(AudioBuffer(samples: [], sampleRate: 16_000)).median == nil)
        #expect(PitchEstimate(AudioBuffer(samples: [], sampleRate: 16_000)).semitones(to: PitchEstimate(noise)) == nil)
    }

    @Test("an octave is twelve semitones")
    func semitones() throws {
        let low = PitchEstimate(Self.voice(110, rate: 16_000))
        let high = PitchEstimate(Self.voice(220, rate: 16_000))
        #expect(abs(try #require(low.semitones(to: high)) - 12) < 0.1)
    }
}
