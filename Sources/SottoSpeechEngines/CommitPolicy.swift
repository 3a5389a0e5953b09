/// Decides which words of a segment that is still being spoken are settled.
///
/// The segment is decoded again and again while it grows. A word is settled once it, and every word before it, has stayed the same in
/// every decode for `stability` seconds of audio, and further words follow it: the newest words are those that more audio changes.
/// A settled word never changes again; engines take the settled words as given. Agreement of hypotheses as in LocalAgreement
/// (arXiv 2005.11185), by length of audio instead of by number of decodes, because the step between decodes varies.
///
/// Nothing is compared by its text alone: a position in the segment is compared with the same position in the decode before, so words
/// that are really said twice are two positions, and both stay.
public struct CommitPolicy: Sendable {
    public struct Configuration: Sendable, Equatable {
        /// Seconds of audio over which a word must have stayed the same.
        public var stability: Double
        /// Newest words that are never settled while the segment is open.
        public var openWords: Int
        /// A word with a token less probable than this is unsure.
        public var sureProbability: Float
        /// Seconds for which an unsure word must have stayed the same: more context often mends it.
        public var unsureStability: Double

        /// The defaults cost no words against decoding whole segments: on 39 clips of human speech with 14.8 % word errors, 0.5 s with one
        /// open word cost 0.8 points, since the network mends words as late as seconds after them (docs/recognition.md).
        public init(stability: Double = 2, openWords: Int = 4, sureProbability: Float = 0.9, unsureStability: Double = .infinity) {
            precondition(stability >= 0 && openWords >= 0 && unsureStability >= stability, "no word is settled before it is there")
            self.stability = stability
            self.openWords = openWords
            self.sureProbability = sureProbability
            self.unsureStability = unsureStability
        }
    }

    public let configuration: Configuration
    /// The settled words.
    public private(set) var committed: [HypothesisToken] = []
    private var newest: [Seen] = []

    /// A token of the newest decode.
    private struct Seen {
        var id: Int
        var startsWord: Bool
        /// From when on it and all before it have been the same.
        var since: Double
        /// From when on a word has begun here, with all before it the same.
        var boundarySince: Double
    }

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The length of audio at which the newest settled word was first there: it was said before; 0 without any.
    public private(set) var committedBefore = 0.0

    /// Takes the next decode of the open segment. Its first tokens are the settled ones.
    ///
    /// - Parameter time: Seconds of audio that were decoded; never less than before.
    /// - Returns: Whether words were settled.
    @discardableResult
    public mutating func observe(_ hypothesis: [HypothesisToken], at time: Double) -> Bool {
        var same = 0
        while same < min(newest.count, hypothesis.count), newest[same].id == hypothesis[same].id { same += 1 }
        let changed = newest.indices.contains(same) ? newest[same] : nil
        newest = newest[..<same] + hypothesis[same...].map { Seen(id: $0.id, startsWord: $0.startsWord, since: time, boundarySince: time) }
        if let changed, changed.startsWord, newest.indices.contains(same), newest[same].startsWord { newest[same].boundarySince = changed.boundarySince }

        // Where words begin, and where the last one ends.
        let starts = hypothesis.indices.filter { $0 == 0 || hypothesis[$0].startsWord }
        guard starts.count > configuration.openWords, hypothesis.count > committed.count else { return false }
        let end = starts[starts.count - max(1, configuration.openWords)]
        let limit = configuration.openWords == 0 ? hypothesis.count : end
        var settled = committed.count
        for (index, start) in starts.enumerated() where start >= committed.count {
            let next = index + 1 < starts.count ? starts[index + 1] : hypothesis.count
            // A mark may still come or go where the next word was not yet in the decode before.
            let isSure = hypothesis[start..<next].allSatisfy { $0.probability >= configuration.sureProbability }
            guard next <= limit, next == hypothesis.count || newest[next].boundarySince < time,
                time - newest[next - 1].since >= (isSure ? configuration.stability : configuration.unsureStability)
            else { break }
            settled = next
        }
        guard settled > committed.count else { return false }
        committed += hypothesis[committed.count..<settled]
        committedBefore = newest[settled - 1].since
        return true
    }

    /// Begins the next segment.
    public mutating func reset() {
        committed = []
        newest = []
        committedBefore = 0
    }
}
