/// Follows how loud the room is while nobody speaks, in dB of full scale.
///
/// Falls at once to quieter frames and rises slowly, slower still while somebody speaks: the valleys of speech are the room. The idea
/// is that of minimum statistics (Martin 2001), with rates instead of a window so that nothing has to be kept.
public struct NoiseFloor: Sendable, Equatable {
    /// The quietest level that is told apart; digital silence is no lower.
    public static let silence: Float = -100
    /// Decibels a frame.
    private static let rise: Float = 0.2
    private static let riseInSpeech: Float = 0.02
    /// Weight of a frame in the smoothed level.
    private static let weight: Float = 0.4

    /// The smoothed level after a frame of `level`, in dB.
    static func smoothed(_ before: Float?, _ level: Float) -> Float { before.map { $0 + weight * (level - $0) } ?? level }

    /// `nil` before the first frame.
    public private(set) var level: Float?
    private var smoothed: Float?

    public init() {}

    /// The mean power of some samples in dB of full scale: a sine of full scale has −3.
    public static func level(of samples: ArraySlice<Float>) -> Float {
        guard samples.isEmpty == false else { return silence }
        var sum: Float = 0
        for sample in samples { sum += sample * sample }
        let power = sum / Float(samples.count)
        return power > 0 ? max(silence, 10 * logarithm(power) / 2.302_585_1) : silence
    }

    /// Takes the level of the next frame of 32 ms.
    public mutating func observe(_ level: Float, isSpeech: Bool) {
        guard level.isFinite else { return }
        let level = max(level, Self.silence)
        let now = Self.smoothed(smoothed, level)
        smoothed = now
        guard let floor = self.level else {
            self.level = now
            return
        }
        self.level = now < floor ? now : min(now, floor + (isSpeech ? Self.riseInSpeech : Self.rise))
    }
}
