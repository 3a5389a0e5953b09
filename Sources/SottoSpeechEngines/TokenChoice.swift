import Foundation

/// The likeliest token of one step and its probability.
package struct TokenChoice: Equatable {
    package var token: Int
    /// Softmax of the logits at `token`, in (0, 1].
    package var probability: Float

    package init(token: Int, probability: Float) {
        self.token = token
        self.probability = probability
    }

    /// Reads the last row of logits where the library left it.
    ///
    /// - Complexity: Two passes over the row, eight values at a time.
    package init(logits: Span<Float>) {
        var best = SIMD8<Float>(repeating: -.infinity)
        var bestIndex = SIMD8<Int32>(repeating: 0)
        var index = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
        let whole = logits.count & ~7
        var position = 0
        while position < whole {
            let values = Self.load(logits, position)
            let greater = values .> best
            best.replace(with: values, where: greater)
            bestIndex.replace(with: index, where: greater)
            index &+= 8
            position += 8
        }
        var token = 0
        var highest = -Float.infinity
        for lane in 0..<8 where best[lane] > highest || (best[lane] == highest && Int(bestIndex[lane]) < token) {
            (highest, token) = (best[lane], Int(bestIndex[lane]))
        }
        for rest in whole..<logits.count where logits[rest] > highest { (highest, token) = (logits[rest], rest) }
        var sums = SIMD8<Float>(repeating: 0)
        position = 0
        while position < whole {
            sums += Self.exponential(Self.load(logits, position) - highest)
            position += 8
        }
        var sum = sums.sum()
        for rest in whole..<logits.count { sum += exp(logits[rest] - highest) }
        self.token = token
        probability = sum > 0 ? min(1, 1 / sum) : 0
    }

    @inline(__always) private static func load(_ values: Span<Float>, _ start: Int) -> SIMD8<Float> {
        SIMD8(
            values[start], values[start + 1], values[start + 2], values[start + 3], values[start + 4], values[start + 5],
            values[start + 6], values[start + 7])
    }

    /// eˣ for x ≤ 0, within 2·10⁻⁶ relative; 0 below −80. There is no vector library here, and 32 768 scalar calls would cost a
    /// tenth of a decoding step.
    ///
    /// eˣ = 2ⁿ · eʳ with n = round(x / ln 2), and eʳ by its Taylor series on |r| ≤ ln 2 / 2.
    @inline(__always) package static func exponential(_ value: SIMD8<Float>) -> SIMD8<Float> {
        let x = value.clamped(lowerBound: SIMD8(repeating: -80), upperBound: SIMD8(repeating: 0))
        let n = (x * 1.442_695_04).rounded(.toNearestOrEven)
        let r = x - n * 0.693_359_375 + n * 2.121_944_4e-4  // ln 2 in two parts, so that the product is exact
        var e = r * (1.0 / 720) + 1.0 / 120
        e = e * r + 1.0 / 24
        e = e * r + 1.0 / 6
        e = e * r + 0.5
        e = e * r + 1
        e = e * r + 1
        // 2ⁿ by its exponent field; both vectors are eight times 32 bits.
        let power = unsafe unsafeBitCast((SIMD8<Int32>(n) &+ 127) &<< 23, to: SIMD8<Float>.self)
        let result = e * power
        return result.replacing(with: 0, where: value .< -80)
    }
}
