import Foundation
import SottoSpeechEngines
import Testing

@testable import SottoKokoroSynthesizer

@Suite struct SpeechPlanTests {
    @Test("a sentence is a piece, and a very short one goes with the next")
    func sentences() {
        let pieces = SpeechPlan.pieces(of: "Yes. The journal is kept in memory. It is lost at the next start.")
        #expect(pieces.map(\.text) == ["Yes. The journal is kept in memory.", "It is lost at the next start."])
        #expect(SpeechPlan.pieces(of: "Yes.").map(\.text) == ["Yes."])
        #expect(SpeechPlan.pieces(of: " \n ").isEmpty)
        #expect(SpeechPlan.pieces(of: "… — !").isEmpty)
    }

    @Test("a long first sentence gives its first clause early, and the second piece is no longer than the first gives time for")
    func early() {
        let first = SpeechPlan.pieces(
            of: "After the restart, the default route is set in the interfaces file, and it takes effect after the networking service has been restarted by hand. And so on.")
        #expect(first.map(\.text) == [
            "After the restart,", "the default route is set in the interfaces file,", "and it takes effect after the networking service has been restarted by hand.", "And so on.",
        ].dropLast() + ["And so on."])
        #expect(first.map(\.isOpen) == [false, false, false, false])
    }

    @Test("where nobody waits for the first sound, a sentence stays whole: the network makes silence around every piece")
    func unawaited() {
        let text = "After the restart, the default route is set in the interfaces file, and it takes effect after the service has been restarted by hand. And so on."
        #expect(SpeechPlan.pieces(of: text, startsEarly: false).map(\.text) == [
            "After the restart, the default route is set in the interfaces file, and it takes effect after the service has been restarted by hand.", "And so on.",
        ])
    }

    @Test("a stream gives a piece as soon as its sentence is there")
    func stream() {
        var plan = SpeechPlan()
        #expect(plan.add(.sentence(written: "It rained all day.", spoken: "It rained all day.")).map(\.text) == ["It rained all day."])
        #expect(plan.add(.sentence(written: "Why?", spoken: "Why?")).isEmpty)
        #expect(plan.add(.paragraphEnd).map(\.text) == ["Why?"])
        let next = plan.add(.sentence(written: "Nobody knew the reason.", spoken: "Nobody knew the reason."))
        #expect(next.map(\.pause) == [SpeechPlan.Pause.paragraph])
        #expect(plan.finish().isEmpty)
    }

    @Test("two thousand characters in one sentence are cut without losing a word, none longer than the limit")
    func veryLong() {
        let words = (0..<400).map { ["seven", "hundred and", "forty,", "1,234", "3.5"][$0 % 5] }
        let text = words.joined(separator: " ") + "."
        let pieces = SpeechPlan.pieces(of: text)
        #expect(pieces.allSatisfy { $0.spoken.count <= SpeechPlan.longestPiece })
        let said = pieces.flatMap { $0.spoken.split(separator: " ") }
        let expected = text.replacing("1,234", with: "one thousand two hundred thirty four").replacing("3.5", with: "three point five")
        #expect(said == expected.split(separator: " "))
    }

    @Test("cuts fall after marks, else before conjunctions, else between words; one endless word is cut anyway")
    func parts() {
        #expect(SpeechPlan.parts(of: "one two, three four five", limit: 12) == ["one two,", "three four", "five"])
        #expect(SpeechPlan.parts(of: String(repeating: "x", count: 25), limit: 10).map(\.count) == [10, 10, 5])
        #expect(SpeechPlan.parts(of: "costs 1,000,000 dollars", limit: 14) == ["costs", "1,000,000", "dollars"])
    }

    @Test("the rests are those of the plan: none at the start, longer after a paragraph than after a sentence")
    func pauses() {
        let pauses = SpeechPlan.pieces(of: "The first sentence is here. The second sentence is here.\n\nA new paragraph begins. And it ends here now.").map(\.pause)
        #expect(pauses == [0, SpeechPlan.Pause.sentence, SpeechPlan.Pause.paragraph, SpeechPlan.Pause.sentence])
    }
}

@Suite struct SpeechShapingTests {
    /// Whole cycles, so that the tone itself ends at zero.
    private func tone(_ seconds: Double) -> [Float] {
        (0..<Int(24_000 * seconds)).map { index -> Float in Float(sin(Double(index) * Double.pi / 30)) * 0.5 }
    }

    private func isNear(_ samples: [Float], seconds: Double) -> Bool { abs(Double(samples.count) / 24_000 - seconds) < 0.05 }

    private func silence(_ seconds: Double) -> [Float] { [Float](repeating: 0.0001, count: Int(24_000 * seconds)) }

    @Test("silence at both ends goes but for a breath, and the edges are zero")
    func shaping() {
        let shaped = SpeechShaping.shaped(silence(0.5) + tone(1) + silence(0.5), sampleRate: 24_000)
        #expect(abs(shaped.count - (24_000 + 360 + 720)) < 20)
        #expect(shaped.first == 0)
        // No step between neighbours larger than the tone's own.
        #expect(zip(shaped, shaped.dropFirst()).allSatisfy { abs($0 - $1) < 0.06 })
        #expect(SpeechShaping.shaped([], sampleRate: 24_000).isEmpty)
        #expect(SpeechShaping.shaped([Float](repeating: 0, count: 100), sampleRate: 24_000).isEmpty)
        #expect(SpeechShaping.shaped(tone(1).map { $0 * 4 }, sampleRate: 24_000).allSatisfy { abs($0) <= 1 })
    }

    @Test("the silence that is heard between two pieces is the one that was asked for", arguments: [0.06, 0.2, 0.4, 0.65])
    func gap(pause: Double) {
        let piece = SpeechShaping.shaped(silence(0.3) + tone(1) + silence(0.4), sampleRate: 24_000)
        let joined = piece + SpeechShaping.gap(pause, sampleRate: 24_000) + piece
        let loud = joined.indices.filter { abs(joined[$0]) > 0.01 }
        let longest = zip(loud, loud.dropFirst()).map { $1 - $0 }.max() ?? 0
        let heard = Double(longest) / 24_000
        #expect(abs(heard - pause) < 0.005)
    }

    @Test("inner silences are capped, shorter ones are left, without a click")
    func innerRests() {
        let shaped = SpeechShaping.shaped(tone(0.5) + silence(2) + tone(0.5) + silence(0.3) + tone(0.5), sampleRate: 24_000)
        #expect(isNear(shaped, seconds: 2.25))
        #expect(zip(shaped, shaped.dropFirst()).allSatisfy { abs($0 - $1) < 0.06 })
        let fast = SpeechShaping.shaped(tone(0.5) + silence(2) + tone(0.5), sampleRate: 24_000, speed: 2)
        #expect(isNear(fast, seconds: 1.225))
    }

    @Test("runs gone astray are seen, good ones are not")
    func faults() {
        // A tone that swings like syllables.
        let good = (0..<48_000).map { index -> Float in
            let swing = 0.15 + 0.15 * sin(Double(index) / 1200)
            return Float(sin(Double(index) * 0.1) * swing)
        }
        #expect(SpeechShaping.fault(in: good, tokens: 25, speed: 1, sampleRate: 24_000) == nil)
        #expect(SpeechShaping.fault(in: good, tokens: 400, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: Array(repeating: good, count: 10).flatMap { $0 }, tokens: 5, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: good + [.nan], tokens: 25, speed: 1, sampleRate: 24_000) != nil)
        var seed: UInt64 = 3
        let noise = (0..<48_000).map { _ -> Float in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int32(truncatingIfNeeded: seed >> 32)) / Float(Int32.max) * 0.2
        }
        #expect(SpeechShaping.fault(in: noise, tokens: 25, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: good.map { min(max($0 * 8, -1), 1) }, tokens: 25, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: good.map { $0 * 0.001 }, tokens: 25, speed: 1, sampleRate: 24_000) != nil)
    }
}
