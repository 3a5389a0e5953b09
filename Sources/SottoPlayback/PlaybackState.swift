/// What a player of speech is doing: which sentence, from which sample, playing or paused. Does no I/O and reads no clock.
///
/// ```swift
/// var state = PlaybackState(sampleRate: 24_000)
/// state.append(sentence: "It rained.", samples: 31_000)
/// state.play()
/// switch state.next(2400) {              // what to do now
/// case .play(let piece): output(piece)   // these samples of this sentence
/// case .wait: …                          // paused, or more speech is needed
/// case .end: …
/// }
/// ```
/// Positions are counted in speech that was handed to the output, so they survive any pause; a place can be kept and gone back to.
public struct PlaybackState: Sendable, Equatable {
    /// Samples to be handed to the output.
    public struct Piece: Sendable, Equatable {
        /// Which sentence, from 0.
        public var sentence: Int
        /// Which of its samples.
        public var samples: Range<Int>

        public init(sentence: Int, samples: Range<Int>) {
            self.sentence = sentence
            self.samples = samples
        }
    }

    /// What the player should do now.
    public enum Action: Sendable, Equatable {
        case play(Piece)
        /// Nothing, until a command or more speech comes.
        case wait
        /// Everything was played.
        case end
    }

    /// A place in the speech that can be kept.
    public struct Place: Sendable, Equatable, Codable {
        public var sentence: Int
        /// In seconds from the sentence's beginning.
        public var offset: Double

        public init(sentence: Int, offset: Double = 0) {
            self.sentence = sentence
            self.offset = offset
        }
    }

    private struct Sentence: Sendable, Equatable {
        var text: String
        var samples: Int
    }

    public let sampleRate: Int
    public private(set) var isPlaying = false
    /// Whether all speech has been appended.
    public private(set) var isWhole = false
    private var sentences: [Sentence] = []
    private var current = 0
    private var offset = 0

    public init(sampleRate: Int) {
        precondition(sampleRate > 0, "a sample rate is positive")
        self.sampleRate = sampleRate
    }

    /// More speech is there.
    public mutating func append(sentence text: String, samples: Int) {
        sentences.append(Sentence(text: text, samples: max(0, samples)))
    }

    /// No more speech will come.
    public mutating func finish() { isWhole = true }

    public mutating func play() {
        if isWhole, current >= sentences.count { go(to: Place(sentence: 0)) }
        isPlaying = true
    }

    public mutating func pause() { isPlaying = false }

    /// Goes forward or back by sentences.
    ///
    /// Back within the first two seconds of a sentence means the one before, later the sentence's own beginning. Beyond the last sentence that is
    /// there the player waits for the next, or ends.
    public mutating func skip(_ count: Int) {
        var goal = current + count
        if count < 0, offset > 2 * sampleRate { goal += 1 }
        current = min(max(0, goal), sentences.count)
        offset = 0
    }

    /// Goes to a place; one beyond what is there becomes the nearest.
    public mutating func go(to place: Place) {
        current = min(max(0, place.sentence), sentences.count)
        offset = current < sentences.count && place.offset.isFinite ? min(max(0, Int(place.offset * Double(sampleRate))), sentences[current].samples) : 0
    }

    /// Where the player is.
    public var place: Place { Place(sentence: current, offset: Double(offset) / Double(sampleRate)) }

    /// Seconds of speech before the place where the player is.
    public var elapsed: Double { Double(sentences.prefix(current).reduce(0) { $0 + $1.samples } + offset) / Double(sampleRate) }

    /// Seconds of all speech that is there.
    public var duration: Double { Double(sentences.reduce(0) { $0 + $1.samples }) / Double(sampleRate) }

    /// The text to be highlighted; changes when the first sample of a sentence is handed out.
    public var text: String? { current < sentences.count ? sentences[current].text : nil }

    /// The next samples to hand to the output; they count as played.
    ///
    /// - Parameter limit: The most samples, at least 1.
    public mutating func next(_ limit: Int) -> Action {
        while current < sentences.count, offset >= sentences[current].samples {
            current += 1
            offset = 0
        }
        guard current < sentences.count else { return isWhole ? .end : .wait }
        guard isPlaying else { return .wait }
        let end = min(sentences[current].samples, offset + max(1, limit))
        defer { offset = end }
        return .play(Piece(sentence: current, samples: offset..<end))
    }
}
