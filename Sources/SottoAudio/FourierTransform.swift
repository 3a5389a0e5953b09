internal import Foundation

/// The discrete Fourier transform of frames of one length, of any length whose prime factors are small.
///
/// The mixed-radix recursion of Cooley and Tukey (1965): a length n = p·m takes p transforms of length m and n·p multiplications, so 400 = 2⁴·5²
/// costs 18 multiplications a value. Twiddle factors are computed in double precision.
public struct FourierTransform: Sendable {
    /// Values of a frame.
    public let length: Int
    private let factors: [Int]
    /// e^(−2πi k / length), real and imaginary parts in turn.
    private let twiddles: [Float]

    /// - Parameter length: At least 1. A large prime factor p costs p multiplications a value.
    public init(length: Int) {
        precondition(length > 0, "a frame has a length")
        self.length = length
        var factors: [Int] = []
        var rest = length
        var factor = 2
        while rest > 1 {
            while rest % factor == 0 {
                factors.append(factor)
                rest /= factor
            }
            factor += factor == 2 ? 1 : 2
            if factor * factor > rest, rest > 1 { factor = rest }
        }
        self.factors = factors
        twiddles = (0..<length).flatMap { k in
            let angle = -2 * Double.pi * Double(k) / Double(length)
            return [Float(cos(angle)), Float(sin(angle))]
        }
    }

    /// The power |X(k)|² of two real frames at once, for k from 0 to half the length.
    ///
    /// One complex transform serves both: one frame is its real part, the other its imaginary part (X(k) and X(−k) tell them apart).
    /// - Parameters:
    ///   - first: ``length`` samples.
    ///   - second: As many.
    public func powers(_ first: [Float], _ second: [Float]) -> (first: [Float], second: [Float]) {
        precondition(first.count == length && second.count == length, "a frame has the transform's length")
        var input = [Float](repeating: 0, count: 2 * length)
        for index in 0..<length {
            input[2 * index] = first[index]
            input[2 * index + 1] = second[index]
        }
        let output = transform(input)
        let bins = length / 2 + 1
        var (powersOfFirst, powersOfSecond) = ([Float](repeating: 0, count: bins), [Float](repeating: 0, count: bins))
        for k in 0..<bins {
            let mirror = (length - k) % length
            let (a, b) = (output[2 * k], output[2 * k + 1])
            let (c, d) = (output[2 * mirror], output[2 * mirror + 1])
            let (real, imaginary) = ((a + c) / 2, (b - d) / 2)
            powersOfFirst[k] = real * real + imaginary * imaginary
            let (otherReal, otherImaginary) = ((b + d) / 2, (c - a) / 2)
            powersOfSecond[k] = otherReal * otherReal + otherImaginary * otherImaginary
        }
        return (powersOfFirst, powersOfSecond)
    }

    /// The transform of complex values.
    ///
    /// - Parameter values: ``length`` pairs of real and imaginary part.
    /// - Returns: As many, for the frequencies 0 to length − 1.
    public func transform(_ values: [Float]) -> [Float] {
        precondition(values.count == 2 * length, "a frame has the transform's length")
        // From the last factor up: at each level the blocks of the level below are joined, decimated in time.
        var source = reordered(values)
        var target = [Float](repeating: 0, count: 2 * length)
        var size = 1
        for factor in factors.reversed() {
            let joined = size * factor
            let stride = length / joined
            for block in Swift.stride(from: 0, to: length, by: joined) {
                for k in 0..<joined {
                    var (real, imaginary): (Float, Float) = (0, 0)
                    for part in 0..<factor {
                        let twiddle = (part * k * stride) % length
                        let at = 2 * (block + part * size + k % size)
                        let (c, s) = (twiddles[2 * twiddle], twiddles[2 * twiddle + 1])
                        real += source[at] * c - source[at + 1] * s
                        imaginary += source[at] * s + source[at + 1] * c
                    }
                    target[2 * (block + k)] = real
                    target[2 * (block + k) + 1] = imaginary
                }
            }
            swap(&source, &target)
            size = joined
        }
        return source
    }

    /// The values in the order in which the blocks are joined: digits of the index reversed in the mixed radix of the factors.
    private func reordered(_ values: [Float]) -> [Float] {
        var result = [Float](repeating: 0, count: values.count)
        for index in 0..<length {
            var (rest, place, block) = (index, 0, length)
            for factor in factors {
                block /= factor
                place += (rest % factor) * block
                rest /= factor
            }
            result[2 * place] = values[2 * index]
            result[2 * place + 1] = values[2 * index + 1]
        }
        return result
    }
}
