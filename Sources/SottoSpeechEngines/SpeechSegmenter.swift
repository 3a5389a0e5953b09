/// Turns the frame-by-frame probability of speech into stretches worth recognizing.
///
/// Speech begins when the probability reaches `onset` and ends once it has stayed below `offset` for `minimumPause`; shorter
/// gaps are part of the speech. Padding on both sides keeps soft first and last sounds, which the detector notices late. What
/// is longer than `maximumLength` is cut where it is least likely speech; the pieces touch, so no sound falls between them.
/// Pure: frames in, frame ranges out.
public struct SpeechSegmenter: Sendable {
    /// Thresholds in [0, 1] and lengths in frames.
    public struct Configuration: Sendable, Equatable {
        /// Probability at which speech begins.
        public var onset: Float
        /// Probability below which it may end; at most `onset`.
        public var offset: Float
        /// What one frame of a stretch must reach for it to count. Real speech is certain at least once, however short; noise
        /// hovers about `onset`: on the clips of the speech corpus at most 0.59, real words at least 0.88.
        public var certainty: Float
        /// Frames at or above `onset` that a stretch needs to count: less is a click.
        public var minimumSpeech: Int
        /// Frames below `offset` that end a stretch.
        public var minimumPause: Int
        /// Frames kept before the first frame of speech.
        public var paddingBefore: Int
        /// Frames kept after the last frame of speech; at most `minimumPause`.
        public var paddingAfter: Int
        /// The longest stretch, padding included.
        public var maximumLength: Int
        /// From this length on a shorter pause is enough to end a stretch: ever shorter, down to `shortestPause` at `maximumLength`. So a
        /// long stretch ends at the best pause that comes, and hardly ever has to be cut.
        public var relaxedFrom: Int
        /// At least 1; no longer than `minimumPause`.
        public var shortestPause: Int
        /// Decibels by which the loudest frame of a stretch must stand out from the noise floor. A hum is as loud all the time; speech,
        /// whispered too, never is. Matters only where levels are given.
        public var minimumRise: Float

        /// The defaults for frames of 32 ms: 12 s to the relaxed length and 25 s at most. Shorter pieces cost words: on 141 clips of human
        /// speech 8.1 % of the words were wrong, with pieces of at most 12 s 8.6 %, with pauses of 0.4 s 9.7 %. Thresholds: those of Silero's own segmenter (0.5, and 0.15 less to end).
        public init(
            onset: Float = 0.5, offset: Float = 0.35, certainty: Float = 0.7, minimumSpeech: Int = 3, minimumPause: Int = 19,
            paddingBefore: Int = 10, paddingAfter: Int = 10, maximumLength: Int = 781, relaxedFrom: Int = 375, shortestPause: Int = 6,
            minimumRise: Float = 3
        ) {
            precondition(offset <= onset && minimumSpeech > 0 && minimumPause > 0, "speech ends at a lower probability than it begins")
            precondition(paddingBefore >= 0 && (0...minimumPause).contains(paddingAfter), "padding lies inside the pause")
            precondition(maximumLength > paddingBefore + paddingAfter + minimumPause + minimumSpeech, "a stretch holds more than its padding")
            self.onset = onset
            self.offset = offset
            self.certainty = certainty
            self.minimumSpeech = minimumSpeech
            self.minimumPause = minimumPause
            self.paddingBefore = paddingBefore
            self.paddingAfter = paddingAfter
            precondition(shortestPause > 0, "a pause has a length")
            self.maximumLength = maximumLength
            self.relaxedFrom = min(relaxedFrom, maximumLength)
            self.shortestPause = min(shortestPause, minimumPause)
            self.minimumRise = minimumRise
        }

        /// Frames of pause that end a stretch of `length` frames.
        public func pause(atLength length: Int) -> Int {
            guard length > relaxedFrom, maximumLength > relaxedFrom else { return minimumPause }
            let part = Double(min(length, maximumLength) - relaxedFrom) / Double(maximumLength - relaxedFrom)
            return max(shortestPause, minimumPause - Int((part * Double(minimumPause - shortestPause)).rounded()))
        }
    }

    /// A stretch that has begun and not ended.
    public struct OpenStretch: Sendable, Equatable {
        /// Its first frame, padding included.
        public var start: Int
        /// The newest frame that was speech.
        public var lastSpeech: Int
        /// Whether it is already enough to count as speech.
        public var counts: Bool
        /// So far.
        public var evidence: Evidence
    }

    private enum State {
        case silence
        case speech(Open)
    }

    private struct Open {
        var start: Int
        /// Frames at or above `onset` so far.
        var strong: Int
        /// The highest probability so far.
        var peak: Float
        /// The last frame at or above `offset`.
        var last: Int
        /// Level of the loudest of the frames at or above `onset`, in dB; `nil` without levels.
        var loudest: Float?
        /// Level of the quietest of them.
        var weakest: Float?
        /// The noise floor, or the quietest of the stretch where that is lower: a word that fills a whole recording falls off within itself.
        var quietest: Float?
        /// The level of its frames, smoothed.
        var smoothed: Float?

        /// Decibels by which it stands out.
        var rise: Float? { loudest.flatMap { loudest in quietest.map { loudest - $0 } } }

        var evidence: Evidence {
            Evidence(certainty: peak, spread: loudest.flatMap { loudest in weakest.map { loudest - $0 } } ?? .infinity)
        }

        mutating func observe(_ level: Float?, floor: Float?, isStrong: Bool) {
            guard let level, let floor, level.isFinite else { return }
            let smooth = NoiseFloor.smoothed(smoothed, max(level, NoiseFloor.silence))
            smoothed = smooth
            quietest = min(quietest ?? floor, floor, smooth)
            guard isStrong else { return }
            loudest = max(loudest ?? level, level)
            weakest = min(weakest ?? level, level)
        }
    }

    public let configuration: Configuration
    /// How sure it is that a stretch is speech.
    public struct Evidence: Sendable, Equatable {
        /// The highest probability of speech.
        public var certainty: Float
        /// Decibels between the loudest and the quietest of the frames at or above `onset`; infinite without levels.
        public var spread: Float
    }

    /// Of the stretch that ended last.
    public private(set) var ended = Evidence(certainty: 0, spread: .infinity)
    private var state = State.silence
    /// Frames seen.
    private var count = 0
    /// Nothing before this frame belongs to a later stretch: the end of the one before.
    private var floor = 0
    /// Probabilities of the open stretch from its start on, to find the best place for a cut.
    private var heard: [Float] = []
    private var noise = NoiseFloor()
    /// No cut before this frame.
    private var keptUntil = 0

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The first frame that a later stretch can still contain; what lies before may be forgotten.
    public var firstNeededFrame: Int {
        switch state {
        case .silence: max(floor, count - configuration.paddingBefore)
        case .speech(let open): open.start
        }
    }

    /// Whether a stretch is open and already long enough to count.
    public var isSpeech: Bool { open?.counts == true }

    /// The stretch that has begun and not ended.
    public var open: OpenStretch? {
        guard case .speech(let open) = state else { return nil }
        return OpenStretch(start: open.start, lastSpeech: open.last, counts: counts(open), evidence: open.evidence)
    }

    /// The noise floor in dB of full scale; `nil` before the first level.
    public var noiseFloor: Float? { noise.level }

    /// Forbids a cut of the open stretch before a frame: what was said until there is settled as one piece.
    public mutating func keepWhole(until frame: Int) { keptUntil = max(keptUntil, frame) }

    /// Takes the probability of the next frame.
    ///
    /// - Parameter level: The frame's power in dB of full scale, if known.
    /// - Returns: The frames of a stretch that this frame ended, if it did.
    public mutating func observe(_ probability: Float, level: Float? = nil) -> Range<Int>? {
        let frame = count
        count += 1
        if let level {
            let isQuiet = if case .silence = state { probability < configuration.offset } else { false }
            noise.observe(level, isSpeech: isQuiet == false)
        }
        switch state {
        case .silence:
            guard probability >= configuration.onset else { return nil }
            let start = max(floor, frame - configuration.paddingBefore)
            var open = Open(start: start, strong: 1, peak: probability, last: frame)
            open.observe(level, floor: noise.level, isStrong: true)
            state = .speech(open)
            // The padding is not speech; only its length matters here.
            heard = [Float](repeating: 0, count: frame - start) + [probability]
            return nil
        case .speech(var open):
            heard.append(probability)
            open.peak = max(open.peak, probability)
            if probability >= configuration.onset { open.strong += 1 }
            open.observe(level, floor: noise.level, isStrong: probability >= configuration.onset)
            if probability >= configuration.offset { open.last = frame }
            state = .speech(open)
            if frame - open.last >= configuration.pause(atLength: count - open.start) { return close() }
            if count - open.start >= configuration.maximumLength { return cut(open) }
            return nil
        }
    }

    private func counts(_ open: Open) -> Bool {
        open.strong >= configuration.minimumSpeech && open.peak >= configuration.certainty && (open.rise ?? .infinity) >= configuration.minimumRise
    }

    /// Ends the recording.
    ///
    /// - Returns: The stretch that was open, if it counts.
    public mutating func finish() -> Range<Int>? { close(isEnd: true) }

    /// Ends the stretch that is open at its pause, however short that is.
    ///
    /// - Parameter padding: Frames kept after the last frame of speech, at most what was heard; `nil` shares the pause with what follows.
    /// - Returns: The stretch, if it counts.
    public mutating func endStretch(padding: Int? = nil) -> Range<Int>? { close(padding: padding) }

    private mutating func close(isEnd: Bool = false, padding: Int? = nil) -> Range<Int>? {
        guard case .speech(let open) = state else { return nil }
        state = .silence
        heard = []
        guard counts(open) else { return nil }
        ended = open.evidence
        // A short pause is shared with what follows, whose first sound is noticed late.
        let silence = count - open.last - 1
        let isShort = silence < configuration.minimumPause && isEnd == false
        let kept = padding ?? (isShort ? min(configuration.paddingAfter, (silence + 1) / 2) : configuration.paddingAfter)
        let end = min(count, open.last + 1 + kept)
        floor = end
        return open.start..<end
    }

    /// Ends the stretch at its best pause and goes on with the rest.
    private mutating func cut(_ open: Open) -> Range<Int>? {
        guard counts(open) else {
            // Long and hardly ever speech: let it go, but keep the padding for what may come.
            state = .silence
            heard = []
            return nil
        }
        ended = open.evidence
        // A pause is several frames wide: compare means over a window, in the last two thirds so that pieces stay long.
        let reach = min(4, heard.count / 4)
        var best = heard.count - 1
        var lowest = Float.infinity
        let first = max(heard.count / 3, reach, keptUntil - open.start)
        for middle in first..<max(first, heard.count - reach) {
            let mean = heard[(middle - reach)...(middle + reach)].reduce(0, +) / Float(2 * reach + 1)
            if mean <= lowest { (lowest, best) = (mean, middle) }
        }
        let middle = open.start + best
        heard.removeFirst(best)
        floor = middle
        // The rest has no minimum of its own: it is the end of speech that already counted.
        let isSpeechLeft = heard.contains { $0 >= configuration.offset }
        state = .speech(
            Open(
                start: middle, strong: isSpeechLeft ? configuration.minimumSpeech : 0, peak: isSpeechLeft ? 1 : 0,
                last: max(open.last, middle), loudest: open.loudest, weakest: open.weakest, quietest: open.quietest, smoothed: open.smoothed))
        return open.start..<middle
    }
}
