/// Mono PCM: 32-bit float samples, nominally in [-1, 1], at one sample rate.
public struct AudioBuffer: Sendable, Equatable {
    public var samples: [Float]
    /// Frames a second, in hertz.
    public var sampleRate: Int

    public init(samples: [Float], sampleRate: Int) {
        precondition(sampleRate > 0, "a sample rate is positive")
        self.samples = samples
        self.sampleRate = sampleRate
    }

    /// Length in time, exact to a nanosecond.
    public var duration: Duration {
        .nanoseconds(Int64((Double(samples.count) / Double(sampleRate) * 1e9).rounded()))
    }

    /// Length in seconds.
    public var seconds: Double { Double(samples.count) / Double(sampleRate) }

    /// The largest magnitude, 0 when empty.
    public var peak: Float { samples.reduce(0) { max($0, abs($1)) } }
}
