internal import Foundation
public import SottoAudio

/// What a recording of a voice is worth as a sample of it: its length, level, noise and clipping, and what should be done better.
///
/// A voice that is made after a sample has the sample's faults, so they are named before. All of it is measured on the samples alone, in frames of 20 ms;
/// speech is what lies within 25 dB of the loud frames.
public struct SampleQuality: Sendable, Equatable, Codable {
    /// A fault, with what to do about it.
    public enum Fault: String, Sendable, Equatable, Codable, CaseIterable {
        case tooShort, tooLong, tooQuiet, clipped, noisy

        public var message: String {
            switch self {
            case .tooShort: "there are less than \(Int(SampleQuality.shortest)) seconds of speech; read on for about ten"
            case .tooLong: "there are more than \(Int(SampleQuality.longest)) seconds of speech; ten are enough"
            case .tooQuiet: "it is very quiet; go nearer to the microphone or raise its level"
            case .clipped: "it is too loud and crackles; go farther from the microphone or lower its level"
            case .noisy: "there is much noise behind the voice; record in a quieter room, near to the microphone"
            }
        }
    }

    /// Limits of the speech in a sample, in seconds.
    static let shortest = 6.0
    static let longest = 60.0
    /// The lowest level of speech, in dB below full scale.
    static let quietest = -42.0
    /// The least distance between speech and what is heard between words, in dB.
    static let leastDistance = 20.0
    /// The largest part of samples that may stand at the limit.
    static let mostClipped = 0.0005

    /// Of the whole recording, in seconds.
    public var seconds: Double
    /// Of speech alone.
    public var speechSeconds: Double
    /// The level of speech, in dB; 0 is full scale. −∞ for silence is given as −120.
    public var level: Double
    /// How far the quietest tenth of the recording lies below speech, in dB; 0 when there is no speech.
    public var distance: Double
    /// The part of samples that stand at the limit, three or more together.
    public var clipped: Double

    public init(_ audio: AudioBuffer) {
        let width = max(1, audio.sampleRate / 50)
        let powers = stride(from: 0, to: audio.samples.count - width + 1, by: width).map { start in
            audio.samples[start..<(start + width)].reduce(0.0) { $0 + Double($1) * Double($1) } / Double(width)
        }
        seconds = audio.seconds
        clipped = Self.clippedShare(audio.samples)
        let sorted = powers.sorted()
        // The loud frames: above nineteen in twenty.
        guard let loud = sorted.dropLast(sorted.count / 20).last, loud > 1e-12 else {
            (speechSeconds, level, distance) = (0, -120, 0)
            return
        }
        let speech = powers.filter { $0 > loud / 316 }
        speechSeconds = Double(speech.count * width) / Double(audio.sampleRate)
        let mean = speech.reduce(0, +) / Double(max(1, speech.count))
        level = 10 * log10(mean)
        distance = 10 * log10(mean / max(sorted[sorted.count / 10], 1e-12))
    }

    /// What should be done better, most important first; empty for a good sample.
    public var faults: [Fault] {
        var faults: [Fault] = []
        if speechSeconds < Self.shortest { faults.append(.tooShort) }
        if speechSeconds > Self.longest { faults.append(.tooLong) }
        if level < Self.quietest { faults.append(.tooQuiet) }
        if clipped > Self.mostClipped { faults.append(.clipped) }
        if speechSeconds > 0, distance < Self.leastDistance { faults.append(.noisy) }
        return faults
    }

    private static func clippedShare(_ samples: [Float]) -> Double {
        guard let peak = samples.map(abs).max(), peak > 0.5 else { return 0 }
        // A recording that was made louder or quieter later is cut off at another height.
        let limit = peak * 0.999
        var count = 0
        var run = 0
        for sample in samples + [0] {
            if abs(sample) >= limit {
                run += 1
            } else {
                if run >= 3 { count += run }
                run = 0
            }
        }
        return Double(count) / Double(max(1, samples.count))
    }
}
