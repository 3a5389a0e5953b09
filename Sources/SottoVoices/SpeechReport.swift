/// How one text was spoken.
public struct SpeechReport: Sendable, Equatable {
    /// Length of the speech, pauses included, in seconds.
    public var seconds: Double
    /// Pieces delivered.
    public var chunks: Int
    /// From the request to the first piece; `nil` when nothing was delivered.
    public var timeToFirstAudio: Duration?
    /// From the request to the end.
    public var elapsed: Duration

    public init(seconds: Double = 0, chunks: Int = 0, timeToFirstAudio: Duration? = nil, elapsed: Duration = .zero) {
        self.seconds = seconds
        self.chunks = chunks
        self.timeToFirstAudio = timeToFirstAudio
        self.elapsed = elapsed
    }

    /// Time spent a second of speech, the sink's waiting included; below 1 is faster than it is heard.
    public var realTimeFactor: Double {
        let (whole, fraction) = elapsed.components
        return seconds > 0 ? (Double(whole) + Double(fraction) / 1e18) / seconds : 0
    }
}
