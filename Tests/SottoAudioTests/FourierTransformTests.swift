import Foundation
import Testing

@testable import SottoAudio

struct FourierTransformTests {
    private func noise(_ count: Int) -> [Float] {
        var state: UInt32 = 7
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(Double(state) / 2_147_483_648 - 1)
        }
    }

    /// By the definition, in double precision.
    private func definition(_ values: [Float]) -> [Double] {
        let length = values.count / 2
        return (0..<length).flatMap { k in
            var (real, imaginary) = (0.0, 0.0)
            for j in 0..<length {
                let angle = -2 * Double.pi * Double(k * j % length) / Double(length)
                let (a, b) = (Double(values[2 * j]), Double(values[2 * j + 1]))
                real += a * cos(angle) - b * sin(angle)
                imaginary += a * sin(angle) + b * cos(angle)
            }
            return [real, imaginary]
        }
    }

    @Test("any length gives what the definition gives", arguments: [1, 2, 3, 4, 5, 6, 7, 12, 25, 49, 97, 100, 154, 256, 400])
    func definition(length: Int) {
        let values = noise(2 * length)
        let result = FourierTransform(length: length).transform(values)
        for (mine, truth) in zip(result, definition(values)) { #expect(abs(Double(mine) - truth) < 2e-5 * Double(length)) }
        #expect(result.count == 2 * length)
    }

    @Test("two real frames at once give the powers that each gives alone", arguments: [8, 25, 400])
    func powers(length: Int) {
        let (first, second) = (Array(noise(length)), Array(noise(2 * length).suffix(length)))
        let both = FourierTransform(length: length).powers(first, second)
        for (frame, powers) in [(first, both.first), (second, both.second)] {
            let truth = definition(frame.flatMap { [$0, 0] })
            #expect(powers.count == length / 2 + 1)
            for (k, power) in powers.enumerated() {
                let expected = truth[2 * k] * truth[2 * k] + truth[2 * k + 1] * truth[2 * k + 1]
                #expect(abs(Double(power) - expected) < 1e-4 * (1 + expected))
            }
        }
    }
}
