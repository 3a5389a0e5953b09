/// Follows how loud a recording is, and notices an input that gives nothing.
///
/// Pure: samples in, levels out. A device that is muted or dead gives zeros, or one same value for ever; a room, however quiet, never does.
public struct LevelMeter: Sendable {
    /// Seconds of the same value after which an input counts as dead.
    public static let deadSeconds = 0.9

    private let sampleRate: Int
    private var last: Float = 0
    private var same = 0
    private var peakHold: Float = 0

    public init(sampleRate: Int) {
        self.sampleRate = sampleRate
    }

    /// The largest magnitude of the newest samples, falling by half every quarter second.
    public var peak: Float { peakHold }

    /// ``peak`` in dB of full scale, at least −100.
    public var decibels: Float { peakHold > 1e-5 ? 20 * logarithm10(peakHold) : -100 }

    /// Whether the input has given nothing but one same value for a second.
    public var isDead: Bool { Double(same) >= Self.deadSeconds * Double(sampleRate) }

    /// Whether the newest samples were cut off at full scale.
    public private(set) var isClipped = false

    /// Takes the next samples.
    public mutating func observe(_ samples: [Float]) {
        guard samples.isEmpty == false else { return }
        var peak: Float = 0
        for sample in samples {
            if sample == last { same += 1 } else { (last, same) = (sample, 0) }
            peak = max(peak, abs(sample))
        }
        let seconds = Float(samples.count) / Float(sampleRate)
        peakHold = max(peak, peakHold * power2(-seconds / 0.25))
        isClipped = peak >= 0.999
    }
}
