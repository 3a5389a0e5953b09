/// Raises a recording that is quiet all through to a common loudness; never lowers it.
///
/// Follows the peak: a louder sound counts at once, so that nothing is ever raised beyond full scale, and is forgotten slowly, so that the rests
/// within and between sentences do not swell. Only what stands out from the noise floor is raised: a quiet hum stays a quiet hum. Pure.
public struct SpeechGain: Sendable {
    public struct Configuration: Sendable, Equatable {
        /// The peak that is aimed at, in (0, 1]; louder recordings are left as they are. −15 dBFS.
        public var target: Float
        /// The largest factor, at least 1: what is quieter than that is not speech that a microphone was meant to hear. 26 dB.
        public var largest: Float
        /// Seconds in which what is remembered of loud sounds falls by half.
        public var halfLife: Double
        /// Decibels by which the loudest must stand out before anything is raised, and from which on it is raised wholly.
        public var rise: ClosedRange<Float>

        public init(target: Float = 0.178, largest: Float = 20, halfLife: Double = 3, rise: ClosedRange<Float> = 6...15) {
            precondition(target > 0 && target <= 1 && largest >= 1 && halfLife > 0 && rise.upperBound > rise.lowerBound, "a gain aims within full scale and forgets")
            self.target = target
            self.largest = largest
            self.halfLife = halfLife
            self.rise = rise
        }
    }

    private let configuration: Configuration
    private let sampleRate: Int
    private var peak: Float = 0
    private var loudness: Float = 0
    private var noise = NoiseFloor()
    private var factor: Float = 1

    public init(configuration: Configuration = Configuration(), sampleRate: Int) {
        self.configuration = configuration
        self.sampleRate = sampleRate
    }

    /// The next frame, of about 32 ms, raised. A factor that grows does so evenly over it, one that falls holds for all of it.
    public mutating func raised(_ samples: ArraySlice<Float>) -> [Float] {
        guard samples.isEmpty == false else { return [] }
        let loudest = samples.reduce(Float(0)) { $1.isFinite ? max($0, abs($1)) : $0 }
        let kept = halving(Float(Double(samples.count) / Double(sampleRate) / configuration.halfLife))
        peak = max(loudest, peak * kept)
        let level = NoiseFloor.level(of: samples)
        noise.observe(level, isSpeech: false)
        if level.isFinite { loudness = max(power(10, level / 20), loudness * kept) }
        let before = factor
        factor = wanted()
        guard factor > before else { return samples.map { $0 * factor } }
        let step = (factor - before) / Float(samples.count)
        return samples.enumerated().map { $1 * (before + step * Float($0 + 1)) }
    }

    private func wanted() -> Float {
        guard peak > 0, let floor = noise.level else { return 1 }
        let whole = min(configuration.largest, max(1, configuration.target / peak))
        let rise = 20 * logarithm(max(loudness, 1e-5)) / 2.302_585_1 - floor
        let share = (rise - configuration.rise.lowerBound) / (configuration.rise.upperBound - configuration.rise.lowerBound)
        // A share of the decibels; never more than the peak allows.
        return power(whole, min(1, max(0, share)))
    }
}
