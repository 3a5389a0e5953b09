import Foundation
import Testing

@testable import SottoKokoroSynthesizer

@Suite struct SpeechPlanTests {
    @Test("a sentence is a piece, and a very short one goes with the next")
    func sentences() {
        let plan = SpeechPlan("Yes. The journal is kept in memory. It is lost at the next start.")
        #expect(plan.pieces.map(\.text) == ["Yes. The journal is kept in memory.", "It is lost at the next start."])
        #expect(SpeechPlan("Yes.").pieces.map(\.text) == ["Yes."])
        #expect(SpeechPlan(" \n ").pieces.isEmpty)
        #expect(SpeechPlan("… — !").pieces.isEmpty)
    }

    @Test("a long first sentence gives its first clause early")
    func early() {
        let first = SpeechPlan(
            "The default route is set in the interfaces file, and the change takes effect after the networking service has been restarted.").pieces
        #expect(first.map(\.text).first == "The default route is set in the interfaces file,")
        #expect(first.count == 2)
    }

    @Test("two thousand characters in one sentence are cut without losing a word, none longer than the limit")
    func veryLong() {
        let words = (0..<400).map { ["seven", "hundred and", "forty,", "1,234", "3.5"][$0 % 5] }
        let text = words.joined(separator: " ") + "."
        let plan = SpeechPlan(text)
        #expect(plan.pieces.allSatisfy { $0.spoken.count <= SpeechPlan.longestPiece })
        let said = plan.pieces.flatMap { $0.spoken.split(separator: " ") }
        let expected = text.replacing("1,234", with: "one thousand two hundred thirty four").replacing("3.5", with: "three point five")
        #expect(said == expected.split(separator: " "))
    }

    @Test("cuts fall after marks, else before conjunctions, else between words; one endless word is cut anyway")
    func parts() {
        #expect(SpeechPlan.parts(of: "one two, three four five", limit: 12) == ["one two,", "three four", "five"])
        #expect(SpeechPlan.parts(of: String(repeating: "x", count: 25), limit: 10).map(\.count) == [10, 10, 5])
        #expect(SpeechPlan.parts(of: "costs 1,000,000 dollars", limit: 14) == ["costs", "1,000,000", "dollars"])
    }

    @Test("pauses are longer after a paragraph than after a sentence")
    func pauses() {
        let pauses = SpeechPlan("The first sentence is here. The second sentence is here.\n\nA new paragraph begins. And it ends here now.").pieces.map(\.pause)
        #expect(pauses.count == 4)
        #expect(pauses[1] > pauses[0])
    }
}

@Suite struct SpeechShapingTests {
    @Test("silence at both ends goes, the edges are zero, the pause follows")
    func shaping() {
        // 400 whole cycles, so that the tone itself ends at zero.
        let tone = (0..<24_000).map { Float(sin(Double($0) * .pi / 30)) * 0.5 }
        let padded = [Float](repeating: 0, count: 12_000) + tone + [Float](repeating: 0.0001, count: 12_000)
        let shaped = SpeechShaping.shaped(padded, sampleRate: 24_000, pause: 0.25)
        #expect(abs(shaped.count - (24_000 + 720 + 1200 + 6000)) < 20)
        #expect(shaped.first == 0)
        #expect(shaped.suffix(6000).allSatisfy { $0 == 0 })
        // No step between neighbours larger than the tone's own.
        #expect(zip(shaped, shaped.dropFirst()).allSatisfy { abs($0 - $1) < 0.06 })
        #expect(SpeechShaping.shaped([], sampleRate: 24_000, pause: 1).isEmpty)
        #expect(SpeechShaping.shaped([Float](repeating: 0, count: 100), sampleRate: 24_000, pause: 1).isEmpty)
        #expect(SpeechShaping.shaped(tone.map { $0 * 4 }, sampleRate: 24_000, pause: 0).allSatisfy { abs($0) <= 1 })
    }

    @Test("runs gone astray are seen, good ones are not")
    func faults() {
        let good = (0..<48_000).map { Float(sin(Double($0) * 0.1)) * 0.3 }
        #expect(SpeechShaping.fault(in: good, tokens: 25, speed: 1, sampleRate: 24_000) == nil)
        #expect(SpeechShaping.fault(in: good, tokens: 400, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: Array(repeating: good, count: 10).flatMap { $0 }, tokens: 5, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: good + [.nan], tokens: 25, speed: 1, sampleRate: 24_000) != nil)
        #expect(SpeechShaping.fault(in: good.map { $0 * 0.001 }, tokens: 25, speed: 1, sampleRate: 24_000) != nil)
    }
}
