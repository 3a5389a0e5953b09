internal import Foundation
internal import SottoAudio

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
    private let filters = MelFilters(count: bands, frameLength: width, sampleRate: 16_000, highest: 8000)

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
            result.replaceSubrange((frame * Self.bands)..<((frame + 1) * Self.bands), with: filters.bands(of: power))
        }
        return result
    }
}
