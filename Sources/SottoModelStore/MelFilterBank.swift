import Foundation

/// The triangular filters between a spectrum and its mel bands, bit for bit as Whisper's own file of them holds them.
///
/// Slaney's scale (linear to 1 kHz, then logarithmic) with area normalization. Source: librosa `filters.mel` for 16 kHz and 400 points, whose rows
/// are rounded to 32 bits once before and once after they are scaled.
enum MelFilterBank {
    /// - Parameter bands: 80, or 128 in later models.
    /// - Returns: Row-major, shape `[bands, 201]`.
    static func whisper(bands: Int) -> [Float] {
        let bins = 201
        let nyquist = 8_000.0
        let lowest = mel(hertz: 0)
        let highest = mel(hertz: nyquist)
        let step = (highest - lowest) / Double(bands + 1)
        let edges = (0..<(bands + 2)).map { index in hertz(mel: index == bands + 1 ? highest : Double(index) * step + lowest) }
        var filters = [Float](repeating: 0, count: bands * bins)
        for band in 0..<bands {
            let scale = 2 / (edges[band + 2] - edges[band])
            for bin in 0..<bins {
                let frequency = Double(bin) * (nyquist / Double(bins - 1))
                let rising = -(edges[band] - frequency) / (edges[band + 1] - edges[band])
                let falling = (edges[band + 2] - frequency) / (edges[band + 2] - edges[band + 1])
                let lower = min(rising, falling)
                let weight: Float = lower > 0 ? Float(lower) : 0
                filters[band * bins + bin] = Float(Double(weight) * scale)
            }
        }
        return filters
    }

    private static let linearStep = 200.0 / 3
    private static let logarithmicFrom = 1_000.0
    private static let logarithmicStep = log(6.4) / 27

    private static func mel(hertz: Double) -> Double {
        hertz >= logarithmicFrom ? logarithmicFrom / linearStep + log(hertz / logarithmicFrom) / logarithmicStep : hertz / linearStep
    }

    private static func hertz(mel: Double) -> Double {
        let from = logarithmicFrom / linearStep
        return mel >= from ? logarithmicFrom * exp(logarithmicStep * (mel - from)) : linearStep * mel
    }
}
