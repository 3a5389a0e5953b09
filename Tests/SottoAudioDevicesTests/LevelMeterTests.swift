import Foundation
import SottoAudioDevices
import Testing

@Suite struct LevelMeterTests {
    private func noise(_ count: Int, _ amplitude: Float) -> [Float] {
        (0..<count).map { Float(($0 &* 7919) % 2001 - 1000) / 1000 * amplitude }
    }

    @Test("the peak of a full-scale sine is 0 dB, and falls by half every quarter second")
    func peak() {
        var meter = LevelMeter(sampleRate: 16_000)
        meter.observe((0..<16_000).map { Float(sin(Double($0) * 2 * .pi * 440 / 16_000)) })
        #expect(abs(meter.decibels) < 0.1)
        meter.observe(noise(8000, 0.001))
        #expect(abs(meter.peak - 0.25) < 0.001)
        var silent = LevelMeter(sampleRate: 16_000)
        silent.observe([0, 0])
        #expect(silent.decibels == -100)
    }

    @Test("an input that gives zeros, or one same value, is dead within a second; a quiet room is not", arguments: [0 as Float, 0.25, -0.003])
    func dead(value: Float) {
        var meter = LevelMeter(sampleRate: 16_000)
        for _ in 0..<50 {
            meter.observe(noise(320, 1e-5))
            #expect(meter.isDead == false)
        }
        var seconds = 0.0
        while meter.isDead == false, seconds < 2 {
            meter.observe([Float](repeating: value, count: 320))
            seconds += 0.02
        }
        #expect(seconds <= 1)
        #expect(seconds > 0.8)
        meter.observe(noise(320, 1e-5))
        #expect(meter.isDead == false)
    }

    @Test func clipping() {
        var meter = LevelMeter(sampleRate: 16_000)
        meter.observe([0.2, 1, 0.2])
        #expect(meter.isClipped)
        meter.observe([0.2])
        #expect(meter.isClipped == false)
    }
}

@Suite struct PreRollTests {
    @Test("the newest samples are kept, however they come", arguments: [1, 7, 100, 1000])
    func newest(size: Int) {
        var roll = PreRoll(capacity: 250)
        let samples = (0..<1000).map(Float.init)
        for start in stride(from: 0, to: 1000, by: size) { roll.observe(Array(samples[start..<min(1000, start + size)])) }
        #expect(roll.take() == Array(samples.suffix(250)))
        #expect(roll.take().isEmpty)
    }

    @Test("less than the capacity is kept whole, and a capacity of none keeps none")
    func ends() {
        var roll = PreRoll(capacity: 10)
        roll.observe([1, 2])
        #expect(roll.take() == [1, 2])
        var none = PreRoll(capacity: -1)
        none.observe([1])
        #expect(none.take().isEmpty)
    }
}
