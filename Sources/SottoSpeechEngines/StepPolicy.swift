/// Decides when the open segment is decoded again.
///
/// A steady step, counted in audio; longer where the machine is slow, so that decoding takes at most a share of the time and never falls
/// behind the speaker; sooner when a pause begins, so that the final text is there by the time the pause proves to be the end. While
/// nobody speaks nothing is decoded.
public struct StepPolicy: Sendable {
    /// Lengths in frames of the voice activity.
    public struct Configuration: Sendable, Equatable {
        /// Frames between two decodes.
        public var step: Int
        /// The part of the time that decoding may take, in (0, 1).
        public var share: Double
        /// The longest step, however slow the machine.
        public var longestStep: Int
        /// Frames of a pause after which the segment is decoded ahead of time.
        public var pause: Int
        /// Frames of a pause that belong to the segment when it ends there: decoded once more then, the final text is ready while the pause
        /// still has to prove itself. At least `pause`.
        public var finalPause: Int
        /// Seconds of a frame.
        public var frameSeconds: Double

        public init(step: Int = 8, share: Double = 0.6, longestStep: Int = 94, pause: Int = 6, finalPause: Int = 10, frameSeconds: Double = 0.032) {
            precondition(step > 0 && longestStep >= step && pause > 0 && share > 0 && share < 1, "a step has a length and leaves time")
            self.finalPause = max(pause, finalPause)
            self.step = step
            self.share = share
            self.longestStep = longestStep
            self.pause = pause
            self.frameSeconds = frameSeconds
        }
    }

    public let configuration: Configuration
    /// Frames between two decodes at the moment.
    public private(set) var step: Int

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        step = configuration.step
    }

    /// Takes how long a decode took.
    public mutating func observe(cost: Duration) {
        let seconds = cost / .seconds(1)
        let needed = (seconds / configuration.share / configuration.frameSeconds).rounded(.up)
        step = min(configuration.longestStep, max(configuration.step, needed < 1e6 ? Int(needed) : .max))
    }

    /// Whether to decode now.
    ///
    /// - Parameters:
    ///   - frame: Frames heard so far.
    ///   - lastSpeech: The newest frame that was speech.
    ///   - decoded: Frames heard at the last decode of this segment; `nil` before the first.
    public func isDue(at frame: Int, lastSpeech: Int, decoded: Int?) -> Bool {
        guard let decoded else { return true }
        let silence = frame - 1 - lastSpeech
        // All that was said has been decoded, with a piece of the pause behind it.
        if decoded > lastSpeech + configuration.finalPause { return false }
        if silence >= configuration.finalPause { return true }
        if decoded > lastSpeech + configuration.pause { return false }
        if silence >= configuration.pause { return true }
        return lastSpeech >= decoded && frame - decoded >= step
    }
}
