import Foundation
import SottoAudio
import Testing

private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path

private func tone(_ frequency: Double, rate: Int, count: Int) -> [Float] {
    (0..<count).map { Float(sin(2 * .pi * frequency * Double($0) / Double(rate)) * 0.5) }
}

@Suite struct ResamplerTests {
    @Test("a chirp comes out as SoX's own resampler makes it")
    func agreesWithSox() throws {
        let input = try WAVFile(path: fixtures + "/chirp-44100.wav").mono()
        let truth = try WAVFile(path: fixtures + "/chirp-16000.wav").mono()
        let output = try input.resampled(to: 16_000, quality: .veryHigh)
        #expect(output.samples.count == truth.samples.count)
        let worst = zip(output.samples, truth.samples).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 1e-3)
    }

    @Test("a tone comes out as SoX's own resampler makes it, to better than 90 dB")
    func signalToNoise() throws {
        let output = try WAVFile(path: fixtures + "/sine-44100.wav").mono().resampled(to: 16_000).samples
        let truth = try WAVFile(path: fixtures + "/sine-16000.wav").mono().samples
        #expect(output.count == truth.count)
        let signal = truth.reduce(0.0) { $0 + Double($1) * Double($1) }
        let noise = zip(output, truth).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        #expect(signal > 100)
        #expect(10 * log10(signal / max(noise, 1e-30)) > 90)
    }

    @Test("a sample that is not finite counts as 0, whole and bit by bit", arguments: [Float.nan, .infinity, -.infinity])
    func notFinite(value: Float) throws {
        let clean = tone(700, rate: 44_100, count: 4000)
        var spoiled = clean
        var silenced = clean
        for index in [0, 1000, 3999] { (spoiled[index], silenced[index]) = (value, 0) }
        let output = try AudioBuffer(samples: spoiled, sampleRate: 44_100).resampled(to: 16_000)
        #expect(output == (try AudioBuffer(samples: silenced, sampleRate: 44_100).resampled(to: 16_000)))
        #expect(output.samples.contains { abs($0) > 0.4 })
    }

    @Test(
        "every pair of usual and extreme rates keeps the length",
        arguments: [4000, 8000, 11_025, 44_100, 96_000, 384_000], [4000, 16_000, 22_050, 48_000, 384_000])
    func rates(from: Int, to: Int) throws {
        let output = try AudioBuffer(samples: tone(500, rate: from, count: from / 4), sampleRate: from).resampled(to: to)
        #expect(abs(output.samples.count - to / 4) <= max(1, to / from))
        #expect(output.samples.allSatisfy { $0.isFinite })
        #expect(abs(output.peak - 0.5) < 0.02)
    }

    @Test(
        "a rate out of a damaged header is refused, not turned into a recording that fits no memory",
        arguments: [1, 3999, 384_001, 1_000_000, -8000])
    func ratesOutside(rate: Int) {
        #expect(#expect(throws: AudioError.self) { _ = try Resampler(from: rate, to: 16_000) }?.code == .resamplingFailed)
        #expect(#expect(throws: AudioError.self) { _ = try Resampler(from: 16_000, to: rate) }?.code == .resamplingFailed)
    }

    @Test(
        "a tone below half the new rate is the same tone, sampled anew",
        arguments: [(48_000, 16_000), (22_050, 16_000), (8000, 16_000), (24_000, 44_100)])
    func keepsTones(from: Int, to: Int) throws {
        let output = try AudioBuffer(samples: tone(1000, rate: from, count: from), sampleRate: from).resampled(to: to)
        #expect(output.samples.count == to)
        let truth = tone(1000, rate: to, count: to)
        // The ends of a recording are edges, which ring.
        let middle = (to / 10)..<(to * 9 / 10)
        #expect(middle.map { abs(output.samples[$0] - truth[$0]) }.max() ?? 1 < 1e-4)
    }

    @Test("a tone above half the new rate is gone, not folded down")
    func removesAliases() throws {
        let output = try AudioBuffer(samples: tone(11_000, rate: 48_000, count: 48_000), sampleRate: 48_000).resampled(to: 16_000)
        #expect(output.samples[1600..<14_400].map { abs($0) }.max() ?? 1 < 1e-4)
    }

    @Test("bit by bit gives what the whole gives", arguments: [1, 7, 160, 4096])
    func streaming(size: Int) throws {
        let samples = tone(700, rate: 44_100, count: 10_001)
        let whole = try AudioBuffer(samples: samples, sampleRate: 44_100).resampled(to: 16_000)
        var resampler = try Resampler(from: 44_100, to: 16_000)
        var output: [Float] = []
        for start in stride(from: 0, to: samples.count, by: size) {
            output += try resampler.process(Array(samples[start..<min(start + size, samples.count)]))
        }
        output += try resampler.finish()
        #expect(output.count == whole.samples.count)
        #expect(zip(output, whole.samples).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test func edges() throws {
        #expect(try AudioBuffer(samples: [], sampleRate: 44_100).resampled(to: 16_000).samples.isEmpty)
        #expect(try AudioBuffer(samples: [0.5], sampleRate: 16_000).resampled(to: 16_000).samples == [0.5])
        #expect(throws: AudioError.self) { try AudioBuffer(samples: [0], sampleRate: 16_000).resampled(to: 0) }
        #expect(ChannelMixdown.mono([1, 0, 0.5, -0.5, 9], channels: 2) == [0.5, 0])
    }
}
