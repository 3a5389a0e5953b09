import Foundation
import SottoAudio

/// What the Smart Turn network sees: the newest eight seconds as a log-mel spectrogram in the manner of Whisper.
///
/// Shorter recordings have zeros on the left; the samples are brought to mean 0 and variance 1 over the whole window, silence included.
/// Frames of 400 samples every 160 (periodic Hann window, edges mirrored), 80 bands from 0 to 8 kHz, decimal logarithm limited to 8 below the
/// largest, (x + 4) / 4.
struct SmartTurnFeatures: Sendable {
    static let sampleRate = 16_000
    static let windowLength = 8 * sampleRate
    static let bands = 80
    static let frames = 800
    private static let frameLength = 400
    private static let hop = 160

    private let transform = FourierTransform(length: frameLength)
    private let filters = MelFilters(count: bands, frameLength: frameLength, sampleRate: sampleRate, highest: 8000)
    private let window = (0..<frameLength).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(frameLength))) }

    /// - Returns: ``bands`` rows of ``frames`` values.
    func features(of samples: [Float]) -> [Float] {
        let newest = samples.suffix(Self.windowLength)
        var padded = [Float](repeating: 0, count: Self.windowLength - newest.count) + newest.map { $0.isFinite ? $0 : 0 }
        normalize(&padded)
        let margin = Self.frameLength / 2
        let mirrored = padded[1...margin].reversed() + padded + padded[(padded.count - 1 - margin)..<(padded.count - 1)].reversed()
        var spectrogram = [Float](repeating: 0, count: Self.bands * Self.frames)
        var largest = -Float.infinity
        for frame in stride(from: 0, to: Self.frames, by: 2) {
            let (first, second) = transform.powers(windowed(mirrored, frame), windowed(mirrored, frame + 1))
            for (offset, powers) in [first, second].enumerated() {
                for (band, power) in filters.bands(of: powers).enumerated() {
                    let value = log10(max(power, 1e-10))
                    largest = max(largest, value)
                    spectrogram[band * Self.frames + frame + offset] = value
                }
            }
        }
        for index in spectrogram.indices { spectrogram[index] = (max(spectrogram[index], largest - 8) + 4) / 4 }
        return spectrogram
    }

    private func windowed(_ samples: [Float], _ frame: Int) -> [Float] {
        let start = frame * Self.hop
        return window.indices.map { samples[start + $0] * window[$0] }
    }

    private func normalize(_ samples: inout [Float]) {
        let count = Double(samples.count)
        let mean = samples.reduce(0.0) { $0 + Double($1) } / count
        let variance = samples.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count
        let scale = 1 / (variance + 1e-7).squareRoot()
        for index in samples.indices { samples[index] = Float((Double(samples[index]) - mean) * scale) }
    }
}
