internal import Foundation
public import SottoAudio

/// How high a voice speaks: the median fundamental frequency of a recording's voiced frames, and how far it moves.
///
/// The cumulative mean normalized difference of YIN (de Cheveigné and Kawahara 2002, steps 2 to 5), on frames of three of the longest periods
/// every 10 ms. Only clearly voiced frames that are not far below the loudest count, so that noise and the ends of words do not.
public struct PitchEstimate: Sendable, Equatable, Codable {
    /// In hertz; `nil` when hardly anything is voiced.
    public var median: Double?
    /// From the lower to the upper quarter of the voiced frames, in semitones.
    public var spread: Double
    /// Voiced frames among the loud ones, 0 to 1.
    public var voicedShare: Double

    /// Frequencies that are looked for, in hertz.
    public static let range = 55.0...420.0
    private static let threshold: Float = 0.15
    /// A rate that is enough for the range, and costs a ninth of 24 kHz.
    private static let workingRate = 8000

    /// - Parameter audio: Mono at 8000 Hz or more.
    /// - Complexity: About 3 ms a second of audio.
    public init(_ audio: AudioBuffer) {
        let factor = max(1, audio.sampleRate / Self.workingRate)
        let samples = Self.decimated(audio.samples, by: factor)
        let rate = Double(audio.sampleRate) / Double(factor)
        let longest = Int(rate / Self.range.lowerBound)
        let shortest = Int(rate / Self.range.upperBound)
        let window = longest * 3 / 2
        let hop = max(1, Int(rate / 100))
        var periods: [(period: Double, power: Float)] = []
        var powers: [Float] = []
        for start in stride(from: 0, to: samples.count - window - longest - 1, by: hop) {
            let power = samples[start..<(start + window)].reduce(0) { $0 + $1 * $1 } / Float(window)
            powers.append(power)
            if power > 1e-9, let period = Self.period(samples, start, window, shortest...longest) { periods.append((period, power)) }
        }
        let loud = (powers.max() ?? 0) * 0.003
        let voiced = periods.filter { $0.power > loud }.map { rate / $0.period }.sorted()
        let loudFrames = powers.count { $0 > loud }
        voicedShare = loudFrames > 0 ? Double(voiced.count) / Double(loudFrames) : 0
        guard voiced.count >= 10 else {
            (median, spread) = (nil, 0)
            return
        }
        median = voiced[voiced.count / 2]
        spread = 12 * log2(voiced[voiced.count * 3 / 4] / voiced[voiced.count / 4])
    }

    /// How far another voice lies above this one, in semitones; `nil` when one of them has no pitch.
    public func semitones(to other: PitchEstimate) -> Double? {
        guard let median, let theirs = other.median else { return nil }
        return 12 * log2(theirs / median)
    }

    private static func period(_ samples: [Float], _ start: Int, _ window: Int, _ lags: ClosedRange<Int>) -> Double? {
        var differences = [Float](repeating: 1, count: lags.upperBound + 2)
        var sum: Float = 0
        for lag in 1...(lags.upperBound + 1) {
            var difference: Float = 0
            for index in start..<(start + window) {
                let delta = samples[index] - samples[index + lag]
                difference += delta * delta
            }
            sum += difference
            differences[lag] = sum > 0 ? difference * Float(lag) / sum : 1
        }
        var lag = lags.lowerBound
        while lag <= lags.upperBound {
            if differences[lag] < threshold {
                while lag < lags.upperBound, differences[lag + 1] < differences[lag] { lag += 1 }
                // The vertex of the parabola through three values.
                let (before, at, after) = (differences[lag - 1], differences[lag], differences[lag + 1])
                let curve = before - 2 * at + after
                return Double(lag) + (curve > 0 ? Double((before - after) / (2 * curve)) : 0)
            }
            lag += 1
        }
        return nil
    }

    /// Every so many samples their mean: low frequencies are all that is looked at.
    private static func decimated(_ samples: [Float], by factor: Int) -> [Float] {
        guard factor > 1 else { return samples }
        return stride(from: 0, to: samples.count - factor + 1, by: factor).map { start in
            samples[start..<(start + factor)].reduce(0, +) / Float(factor)
        }
    }
}
