import Foundation
@testable import SottoSpeechEngines
import Testing

@testable import SottoMoonshineRecognizer

@Suite struct TokenChoiceTests {
    @Test("token and probability are those of a softmax in double precision", arguments: [7, 8, 9, 100, 32_768])
    func softmax(count: Int) {
        // Any spread-out numbers will do; the formula is fixed so that a failure can be repeated.
        let logits = (0..<count).map { Float(sin(Double($0) * 12.9898) * 18) }
        let choice = TokenChoice(logits: logits.span)
        let highest = logits.max() ?? 0
        let sum = logits.reduce(0.0) { $0 + exp(Double($1) - Double(highest)) }
        #expect(choice.token == logits.firstIndex(of: highest))
        #expect(abs(Double(choice.probability) * sum - 1) < 1e-4)
    }

    @Test func exponential() {
        for step in 0...2000 {
            let x = -Float(step) * 0.04
            let ours = TokenChoice.exponential(SIMD8(repeating: x))[3]
            let truth = exp(Double(x))
            #expect(abs(Double(ours) - truth) <= truth * 4e-6, "e^\(x)")
        }
        #expect(TokenChoice.exponential(SIMD8(repeating: -500))[0] == 0)
    }

    @Test("logits that are no numbers end in a low probability, not a crash")
    func notNumbers() {
        let logits = [Float](repeating: .nan, count: 16)
        let choice = TokenChoice(logits: logits.span)
        #expect(choice.token == 0)
        #expect(choice.probability.isFinite)
    }
}

@Suite struct RepetitionGuardTests {
    private let repetition = RepetitionGuard()

    @Test("what people repeat is kept whole", arguments: [[5, 7, 7, 7], [7, 7, 7, 7, 7, 7], [1, 2, 1, 2, 3, 1, 2], [4, 5, 6, 4, 5, 6]])
    func kept(tokens: [Int]) {
        #expect(repetition.kept(of: tokens) == tokens.count)
        #expect(repetition.isHopeless(tokens) == false)
    }

    @Test("a loop that ran into the limit is cut to two copies")
    func loops() {
        let word = [9, 8] + [Int](repeating: 7, count: 30)
        #expect(repetition.kept(of: word) == 4)
        let phrase = [9] + Array(repeatElement([1, 2, 3], count: 12).joined()) + [1]
        #expect(phrase[..<repetition.kept(of: phrase)].count == 1 + 6)
        #expect(repetition.repetition(in: phrase) == .init(period: 3, span: 37))
    }

    @Test("a very long loop is not waited for")
    func hopeless() {
        #expect(repetition.isHopeless([Int](repeating: 7, count: 48)))
        #expect(repetition.isHopeless([Int](repeating: 7, count: 47)) == false)
        #expect(repetition.isHopeless(Array(0..<200)) == false)
    }
}

@Suite struct SegmentedRecordingTests {
    @Test("ten minutes of alternating speech and silence holds at most one stretch, and every sample comes out where it was")
    func bounded() {
        // Places as values have no levels that mean anything.
        var recording = SegmentedRecording(frameLength: 512, segmenter: .init(minimumRise: -.infinity))
        var highest = 0
        var frame = 0
        var stretches = 0
        while frame < 18_750 {
            let samples = (0..<5120).map { Float(frame * 512 + $0) }
            let probabilities = (frame..<(frame + 10)).map { Float($0 % 300 < 180 ? 0.95 : 0.02) }
            recording.append(samples)
            for stretch in probabilities.compactMap({ recording.observe($0) }) {
                stretches += 1
                // A sample's value is its place, exact in a float up to 2²⁴.
                if stretch.start + stretch.samples.count < 1 << 24 {
                    #expect(stretch.samples.first == Float(stretch.start))
                    #expect(stretch.samples.last == Float(stretch.start + stretch.samples.count - 1))
                }
            }
            recording.trim()
            highest = max(highest, recording.heldSamples)
            frame += 10
        }
        #expect(stretches == 62)
        #expect(highest <= (781 + 10) * 512)
    }
}
