import SottoSpeechEngines
import Testing

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

private func segments(_ probabilities: [Float], _ configuration: SpeechSegmenter.Configuration = .init()) -> [Range<Int>] {
    var segmenter = SpeechSegmenter(configuration: configuration)
    var found = probabilities.compactMap { segmenter.observe($0) }
    if let last = segmenter.finish() { found.append(last) }
    return found
}

private func run(_ probability: Float, _ count: Int) -> [Float] { [Float](repeating: probability, count: count) }

@Suite struct SpeechSegmenterTests {
    @Test("speech is found with its padding on both sides")
    func padding() { #expect(segments(run(0, 50) + run(0.9, 20) + run(0, 50)) == [40..<80]) }

    @Test("padding stops at the recording's ends")
    func ends() { #expect(segments(run(0, 3) + run(0.9, 20)) == [0..<23]) }

    @Test("a pause below the minimum is part of the speech, a longer one is not", arguments: [(18, 1), (19, 2), (40, 2)])
    func pauses(length: Int, count: Int) { #expect(segments(run(0.9, 20) + run(0.1, length) + run(0.9, 20) + run(0, 30)).count == count) }

    @Test("between the two thresholds speech goes on but does not begin")
    func hysteresis() {
        #expect(segments(run(0.4, 100)).isEmpty)
        #expect(segments(run(0.9, 5) + run(0.4, 100) + run(0, 40)) == [0..<115])
    }

    @Test("a click, and noise that is never certain, are not speech")
    func notSpeech() {
        #expect(segments(run(0, 20) + run(0.99, 2) + run(0, 40)).isEmpty)
        #expect(segments(run(0.6, 200) + run(0, 40)).isEmpty)
        #expect(segments(run(0, 20) + run(0.9, 3) + run(0, 40)).count == 1)
    }

    @Test("long speech is cut at its best pause, and the pieces touch")
    func longSpeech() {
        var probabilities = run(0.95, 1500)
        for frame in 600..<608 { probabilities[frame] = 0.4 }
        let found = segments(probabilities)
        #expect(found.count == 2 || found.count == 3)
        #expect(found.first.map { (600..<608).contains($0.upperBound) } == true)
        #expect(found.first?.lowerBound == 0)
        #expect(found.last?.upperBound == 1500)
        for (left, right) in zip(found, found.dropFirst()) { #expect(left.upperBound == right.lowerBound) }
    }

    @Test("without the demand for certainty every long enough run of likely speech lies in a piece, and in one only", arguments: 0..<100)
    func nothingLikelyIsLost(seed: Int) {
        var random = SplitMix64(state: UInt64(seed) &+ 1_000_000)
        let probabilities = (0..<3000).map { _ in Float.random(in: 0...1, using: &random) > 0.3 ? Float.random(in: 0...1, using: &random) : 0 }
            + run(0.5, 900) + run(0, 5) + run(0.55, 40)
        let configuration = SpeechSegmenter.Configuration(certainty: 0.5, maximumLength: [60, 200, 781][seed % 3])
        let found = segments(probabilities, configuration)
        var owners = [Int](repeating: 0, count: probabilities.count)
        for range in found {
            #expect(range.count <= configuration.maximumLength)
            for frame in range { owners[frame] += 1 }
        }
        #expect(owners.allSatisfy { $0 <= 1 })
        var length = 0
        for frame in probabilities.indices {
            length = probabilities[frame] >= 0.5 ? length + 1 : 0
            guard length >= configuration.minimumSpeech else { continue }
            #expect(owners[(frame - length + 1)...frame].allSatisfy { $0 == 1 }, "frame \(frame) of seed \(seed)")
        }
    }

    @Test("a probability that is no number is no speech, and ends nothing that follows")
    func notANumber() {
        #expect(segments(run(.nan, 50)).isEmpty)
        #expect(segments(run(.nan, 50) + run(0.9, 20) + run(.nan, 50)) == [40..<80])
        let long = segments(run(0.9, 500) + run(.nan, 3) + run(0.9, 900))
        #expect(long.first?.lowerBound == 0 && long.last?.upperBound == 1403)
        for (left, right) in zip(long, long.dropFirst()) { #expect(left.upperBound == right.lowerBound) }
    }

    @Test("whatever comes: in order, never over the limit, memory bounded, and no certain speech outside", arguments: 0..<200)
    func properties(seed: Int) {
        var random = SplitMix64(state: UInt64(seed))
        var probabilities: [Float] = []
        while probabilities.count < 4000 {
            let level = Float.random(in: 0...1, using: &random)
            for _ in 0..<Int.random(in: 1...(seed % 2 == 0 ? 60 : 1200), using: &random) {
                probabilities.append(min(1, max(0, level + Float.random(in: -0.2...0.2, using: &random))))
            }
        }
        let configuration = SpeechSegmenter.Configuration(maximumLength: seed % 3 == 0 ? 120 : 781)
        var segmenter = SpeechSegmenter(configuration: configuration)
        var found: [Range<Int>] = []
        for (frame, probability) in probabilities.enumerated() {
            let needed = segmenter.firstNeededFrame
            if let range = segmenter.observe(probability) {
                #expect(range.lowerBound >= needed)
                #expect(range.upperBound <= frame + 1)
                found.append(range)
            }
            #expect(frame + 1 - segmenter.firstNeededFrame <= configuration.maximumLength)
        }
        if let last = segmenter.finish() { found.append(last) }
        for range in found { #expect(range.isEmpty == false && range.count <= configuration.maximumLength) }
        for (left, right) in zip(found, found.dropFirst()) { #expect(left.upperBound <= right.lowerBound) }
        // Every run of three certain frames is in a piece, whole or across two pieces that touch.
        var covered = [Bool](repeating: false, count: probabilities.count)
        for range in found { for frame in range { covered[frame] = true } }
        for frame in 2..<probabilities.count where probabilities[(frame - 2)...frame].allSatisfy({ $0 >= 0.7 }) {
            #expect(covered[(frame - 2)...frame].allSatisfy { $0 }, "frame \(frame) of seed \(seed)")
        }
    }
}

@Suite struct RelaxedSegmenterTests {
    private let configuration = SpeechSegmenter.Configuration(minimumPause: 19, maximumLength: 375, relaxedFrom: 188, shortestPause: 2)

    @Test("the pause that ends a stretch shrinks from the relaxed length to the longest", arguments: [(0, 19), (188, 19), (282, 10), (375, 2), (900, 2)])
    func pauses(length: Int, pause: Int) {
        // Half-way 8.5 of the 17 frames are given up, and a half rounds up.
        #expect(configuration.pause(atLength: length) == pause)
    }

    @Test("a long stretch ends in a short pause, in its middle, and the next begins there")
    func shortPause() {
        let found = segments(run(0, 20) + run(0.9, 330) + run(0, 6) + run(0.9, 60) + run(0, 40), configuration)
        #expect(found.count == 2)
        // The pause is at frames 350 to 355.
        #expect((351...353).contains(found[0].upperBound))
        #expect(found[1].lowerBound <= 354 && found[1].lowerBound >= found[0].upperBound)
        #expect(found[1].upperBound == 426)
    }

    @Test("no cut before what is settled")
    func keptWhole() {
        var segmenter = SpeechSegmenter(configuration: .init(maximumLength: 100))
        var found: [Range<Int>] = []
        for frame in 0..<200 {
            // The best place for a cut would be frame 50.
            if let range = segmenter.observe((48...52).contains(frame) ? 0.4 : 0.9) { found.append(range) }
            segmenter.keepWhole(until: 80)
        }
        #expect(found.first.map { $0.upperBound >= 80 } == true)
    }

    @Test("a hum that the detector takes for speech does not count: it never stands out from itself")
    func hum() {
        var segmenter = SpeechSegmenter()
        var found = (0..<300).compactMap { _ in segmenter.observe(0.9, level: -30) }
        if let last = segmenter.finish() { found.append(last) }
        #expect(found.isEmpty)
    }

    @Test("whispered speech a little above the room counts")
    func whisper() {
        var segmenter = SpeechSegmenter()
        var found: [Range<Int>] = []
        for frame in 0..<200 {
            let isSpeech = (50..<100).contains(frame)
            if let range = segmenter.observe(isSpeech ? 0.9 : 0.05, level: isSpeech && frame % 5 < 3 ? -54 : -60) { found.append(range) }
        }
        #expect(found == [40..<110])
    }
}
