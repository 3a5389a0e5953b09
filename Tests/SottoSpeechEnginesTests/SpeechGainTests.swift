import SottoSpeechEngines
import Testing

struct SpeechGainTests {
    private static let configuration = SpeechGain.Configuration(target: 0.2, largest: 10, halfLife: 1, rise: 6...12)

    private func raised(_ levels: [Float]) -> [Float] {
        var gain = SpeechGain(configuration: Self.configuration, sampleRate: 16_000)
        return levels.flatMap { level in gain.raised([Float](repeating: level, count: 512)[...]) }
    }

    @Test("what is quiet and stands out is raised to the target, what is loud is left, and nothing beyond the largest factor")
    func levels() {
        #expect(abs((raised([0.001, 0.1, 0.1]).last ?? 0) - 0.2) < 1e-5)
        #expect(raised([0.001, 0.5, 0.5]).last == 0.5)
        #expect(abs((raised([0.0001, 0.01, 0.01]).last ?? 0) - 0.1) < 1e-5)
        #expect(raised([0, 0]).allSatisfy { $0 == 0 })
        #expect(raised([]).isEmpty)
    }

    @Test("a hum is no louder for being quiet: nothing is raised that does not stand out")
    func hum() {
        #expect(raised([Float](repeating: 0.01, count: 50)) == [Float](repeating: 0.01, count: 50 * 512))
        // 6 dB above the floor is where it begins.
        #expect(raised([0.01, 0.019]).suffix(512).allSatisfy { abs($0 - 0.019) < 1e-6 })
    }

    @Test("a louder sound counts at once, and nothing is raised beyond the target")
    func attack() {
        let result = raised([0.0001, 0.01, 0.01, 0.15, 0.9])
        #expect(result[1536..<2048].allSatisfy { abs($0 - 0.2) < 1e-5 })
        #expect(result[2048...].allSatisfy { $0 == 0.9 })
        #expect(result.allSatisfy { $0 <= 0.9 })
    }

    @Test("what was loud is forgotten by half in its half-life, evenly within a frame")
    func release() {
        // About a second of near silence after 0.2: the factor grows from 1 to 2.
        let result = raised([0.0001, 0.2] + [Float](repeating: 0.0005, count: 31))
        #expect(abs((result.last ?? 0) - 0.001) < 2e-5)
        for (one, next) in zip(result[1024...], result[1025...]) { #expect(next >= one - 1e-9 && next - one < 1e-5) }
    }

    @Test("what is not a number spoils no factor")
    func notFinite() {
        var gain = SpeechGain(sampleRate: 16_000)
        _ = gain.raised([.nan, .infinity, 0.5])
        #expect(gain.raised([0.5]) == [0.5])
    }
}

/// Says 1 for a frame whose first sample is above a threshold.
private struct Threshold: VoiceActivityDetector {
    let sampleRate = 16_000
    let frameLength = 512
    func makeSession() async throws -> any VoiceActivitySession { Session() }

    private actor Session: VoiceActivitySession {
        private var pending: [Float] = []
        func accept(_ samples: [Float]) -> [Float] {
            pending += samples
            var result: [Float] = []
            while pending.count >= 512 {
                result.append(pending[256] > 0.1 ? 1 : 0)
                pending.removeFirst(512)
            }
            return result
        }
    }
}

struct LeveledVoiceActivityTests {
    @Test("quiet frames are seen as loud ones, each as soon as it is whole, however the samples arrive", arguments: [1, 100, 512, 5000])
    func frames(chunk: Int) async throws {
        let samples = [Float](repeating: 0.0002, count: 512) + [Float](repeating: 0.02, count: 512 * 5)
        let session = try await LeveledVoiceActivity(Threshold()).makeSession()
        var probabilities: [Float] = []
        for start in stride(from: 0, to: samples.count, by: chunk) {
            let end = min(start + chunk, samples.count)
            probabilities += try await session.accept(Array(samples[start..<end]))
            #expect(probabilities.count == end / 512)
        }
        // The factor grows over the first loud frame.
        #expect(probabilities.dropFirst(2) == [1, 1, 1, 1])
        let plain = try await Threshold().makeSession().accept(samples)
        #expect(plain == [0, 0, 0, 0, 0, 0])
    }
}
