internal import Foundation

/// Triangular filters that sum a power spectrum into bands as wide as the ear's, on Slaney's scale: linear to 1 kHz, logarithmic above
/// (Slaney, Auditory Toolbox, 1998); each filter is scaled by its area.
public struct MelFilters: Sendable {
    /// Bands.
    public let count: Int
    /// Of each band, the first bin that counts and its weights from there on.
    private let bands: [(first: Int, weights: [Float])]

    /// - Parameters:
    ///   - count: Bands between `lowest` and `highest`.
    ///   - frameLength: Samples of the frames that are transformed; the spectrum has half as many bins and one.
    ///   - sampleRate: In hertz.
    ///   - lowest: In hertz.
    ///   - highest: In hertz; at most half the sample rate.
    public init(count: Int, frameLength: Int, sampleRate: Int, lowest: Double = 0, highest: Double) {
        precondition(count > 0 && highest > lowest, "a filter has a width")
        self.count = count
        let (low, high) = (Self.mel(lowest), Self.mel(highest))
        let edges = (0..<(count + 2)).map { Self.hertz(low + (high - low) * Double($0) / Double(count + 1)) }
        bands = (0..<count).map { band in
            let (left, middle, right) = (edges[band], edges[band + 1], edges[band + 2])
            let weights = (0...(frameLength / 2)).map { bin in
                let frequency = Double(bin) * Double(sampleRate) / Double(frameLength)
                let weight = min((frequency - left) / (middle - left), (right - frequency) / (right - middle))
                return Float(max(0, weight) * 2 / (right - left))
            }
            let first = weights.firstIndex { $0 > 0 } ?? 0
            let last = weights.lastIndex { $0 > 0 } ?? 0
            return (first, Array(weights[first...last]))
        }
    }

    /// The power in each band.
    ///
    /// - Parameter powers: One value a bin.
    public func bands(of powers: [Float]) -> [Float] {
        bands.map { first, weights in
            var sum: Float = 0
            for (index, weight) in weights.enumerated() { sum += weight * powers[first + index] }
            return sum
        }
    }

    private static let linearStep = 200.0 / 3
    private static let bendFrequency = 1000.0
    private static let logarithmicStep = log(6.4) / 27

    private static func mel(_ hertz: Double) -> Double {
        hertz < bendFrequency ? hertz / linearStep : bendFrequency / linearStep + log(hertz / bendFrequency) / logarithmicStep
    }

    private static func hertz(_ mel: Double) -> Double {
        let bend = bendFrequency / linearStep
        return mel < bend ? mel * linearStep : bendFrequency * exp((mel - bend) * logarithmicStep)
    }
}
