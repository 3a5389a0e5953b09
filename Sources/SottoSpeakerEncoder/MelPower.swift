internal import Foundation

/// Mel power spectra as the GE2E encoder was trained on: librosa's `melspectrogram` (sr 16 000, n_fft 400, hop 160, 40 bands, power 2, no logarithm).
///
/// Periodic Hann window, frames centred with zeros beyond the ends, Slaney's mel scale with bands of equal area (`librosa.filters.mel`).
struct MelPower: Sendable {
    static let bands = 40
    static let hop = 160
    private static let width = 400
    private static let bins = width / 2 + 1

    /// The cosines of the windowed transform and then the sines, row by row of bins; each row has `width` values.
    private let waves: [Float]
    /// Each band's first bin and weights.
    private let filters: [(first: Int, weights: [Float])]

    init() {
        var cosines: [Float] = []
        var sines: [Float] = []
        for bin in 0..<Self.bins {
            for sample in 0..<Self.width {
                let window = 0.5 - 0.5 * cos(2 * .pi * Double(sample) / Double(Self.width))
                let angle = 2 * .pi * Double(bin * sample % Self.width) / Double(Self.width)
                cosines.append(Float(window * cos(angle)))
                sines.append(Float(window * sin(angle)))
            }
        }
        waves = cosines + sines
        // Slaney's scale: linear below 1000 Hz, logarithmic above.
        func hertz(_ mel: Double) -> Double { mel < 15 ? mel * 200 / 3 : 1000 * exp((mel - 15) * log(6.4) / 27) }
        let top = 15 + 27 * log(8.0) / log(6.4)
        let edges = (0..<Self.bands + 2).map { hertz(top * Double($0) / Double(Self.bands + 1)) }
        filters = (0..<Self.bands).map { band in
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            let weights = (0..<Self.bins).map { bin -> Float in
                let frequency = Double(bin) * 8000 / Double(Self.bins - 1)
                let weight = max(0, min((frequency - low) / (middle - low), (high - frequency) / (high - middle)))
                return Float(weight * 2 / (high - low))
            }
            let first = weights.firstIndex { $0 > 0 } ?? 0
            let last = weights.lastIndex { $0 > 0 } ?? 0
            return (first, Array(weights[first...max(first, last)]))
        }
    }

    /// - Parameter samples: Mono at 16 000 Hz.
    /// - Returns: Row-major, shape `[1 + samples / 160, 40]`.
    func frames(_ samples: [Float]) -> [Float] {
        let padded = [Float](repeating: 0, count: Self.width / 2) + samples + [Float](repeating: 0, count: Self.width / 2)
        let count = 1 + samples.count / Self.hop
        var result = [Float](repeating: 0, count: count * Self.bands)
        var power = [Float](repeating: 0, count: Self.bins)
        for frame in 0..<count {
            let start = frame * Self.hop
            var parts = [Float](repeating: 0, count: 2 * Self.bins)
            MatrixProduct.add(waves, columns: Self.width, times: padded, from: start, to: &parts)
            for bin in 0..<Self.bins { power[bin] = parts[bin] * parts[bin] + parts[Self.bins + bin] * parts[Self.bins + bin] }
            for (band, filter) in filters.enumerated() {
                var sum: Float = 0
                for (index, weight) in filter.weights.enumerated() { sum += weight * power[filter.first + index] }
                result[frame * Self.bands + band] = sum
            }
        }
        return result
    }
}
