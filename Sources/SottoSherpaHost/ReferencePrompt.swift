public import SottoAudio
public import SottoSpeechEngines
internal import SottoText

/// A few seconds of somebody's speech and the words said in it, made ready for a model that speaks in the voice of a reference.
///
/// Such models say what they were not told to when the words do not fit the sound, so both are cut at one and the same border between
/// two words, and only where what our recognizer heard and what is said to be there agree. Silence at the ends is brought to a set
/// length, and silence inside is capped: the model would copy it.
public struct ReferencePrompt: Sendable, Equatable {
    public var audio: AudioBuffer
    public var words: String

    /// Silence at both ends, in seconds.
    static let pad = 0.1
    /// The longest silence inside, in seconds.
    static let longestRest = 0.35
    /// The part of the words that may be heard otherwise than they are said to be.
    static let mostWrong = 0.25
    /// The shortest speech that is of use, in seconds.
    static let shortest = 2.0
    /// Quieter than the loudest part of the recording by this, in power: 40 dB.
    private static let silence: Float = 1e-4

    /// - Parameters:
    ///   - audio: The recording, at any rate.
    ///   - text: The words that are said in it.
    ///   - heard: What our recognizer heard in it, in order.
    ///   - longest: Seconds of speech that are kept at most; the model has to look at all of it for every sentence.
    /// - Throws: ``SynthesisError`` `.engineFailed` when the words are not those of the recording, or too little of it can be used.
    public init(audio: AudioBuffer, text: String, heard: [Transcript], longest: Double = 8) throws(SynthesisError) {
        let given = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let timed = heard.flatMap(\.estimatedWords)
        guard given.isEmpty == false, timed.isEmpty == false else {
            throw SynthesisError(.engineFailed, "nothing is heard in the reference, or its words are not given; record some seconds of clear speech")
        }
        let wrong = WordErrorRate(
            reference: TranscriptNormalizer.words(text), hypothesis: TranscriptNormalizer.words(timed.map(\.text).joined(separator: " "))
        ).rate
        guard wrong <= Self.mostWrong else {
            throw SynthesisError(
                .engineFailed,
                "the reference's words are not those that are heard in it (\(Int((min(wrong, 1) * 100).rounded())) % differ); "
                    + "give the words that are said"
            )
        }
        let start = max(0, (timed.first?.start ?? 0) - Self.pad)
        let pairs = Self.pairs(given, timed.map(\.text))
        // Borders at which both sides have the same word, with the rest that follows.
        let last = timed.count - 1
        var borders = pairs.filter { timed[$0.heard].end - start <= longest }.map { pair in
            (pair: pair, rest: pair.heard == last ? Double.infinity : timed[pair.heard + 1].start - timed[pair.heard].end)
        }
        if given.count == pairs.last.map({ $0.given + 1 }), audio.seconds - start <= longest { borders = borders.suffix(1) }
        // The longest rest in the later half, the last of equal ones: where a speaker pauses the voice is down.
        let half = (borders.last.map { timed[$0.pair.heard].end } ?? 0) - (longest / 2)
        guard let border = borders.filter({ timed[$0.pair.heard].end >= half }).max(by: { ($0.rest, $0.pair.heard) < ($1.rest, $1.pair.heard) })
        else {
            throw SynthesisError(.engineFailed, "the reference cannot be cut between two words; record a few short sentences with pauses")
        }
        let lastWord = timed[border.pair.heard]
        let limit = border.pair.heard == last ? audio.seconds : timed[border.pair.heard + 1].end
        let cut = Self.quietest(audio, from: lastWord.end - 0.05, to: min(limit, max(lastWord.end + 0.4, (lastWord.end + limit) / 2)))
        let rate = Double(audio.sampleRate)
        let kept = Self.trimmed(
            Array(audio.samples[min(audio.samples.count, Int(start * rate))..<min(audio.samples.count, Int(cut * rate))]), rate: audio.sampleRate)
        guard Double(kept.count) / rate >= Self.shortest else {
            throw SynthesisError(
                .engineFailed, "less than \(Int(Self.shortest)) seconds of the reference can be used; record some seconds of clear speech")
        }
        self.audio = AudioBuffer(samples: kept, sampleRate: audio.sampleRate)
        words = given[...border.pair.given].joined(separator: " ")
    }

    /// Words that stand on both sides, by a shortest list of edits; both indexes rise.
    static func pairs(_ given: [String], _ heard: [String]) -> [(given: Int, heard: Int)] {
        let left = given.map { TranscriptNormalizer.words($0).joined(separator: " ") }
        let right = heard.map { TranscriptNormalizer.words($0).joined(separator: " ") }
        var costs = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for row in 0...left.count { costs[row][0] = row }
        for column in 0...right.count { costs[0][column] = column }
        for row in 1...max(1, left.count) where left.isEmpty == false {
            for column in 1...max(1, right.count) where right.isEmpty == false {
                let change = costs[row - 1][column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                costs[row][column] = min(change, costs[row - 1][column] + 1, costs[row][column - 1] + 1)
            }
        }
        var pairs: [(given: Int, heard: Int)] = []
        var (row, column) = (left.count, right.count)
        while row > 0, column > 0 {
            let isSame = left[row - 1] == right[column - 1]
            if costs[row][column] == costs[row - 1][column - 1] + (isSame ? 0 : 1) {
                (row, column) = (row - 1, column - 1)
                if isSame { pairs.append((row, column)) }
            } else if costs[row][column] == costs[row - 1][column] + 1 {
                row -= 1
            } else {
                column -= 1
            }
        }
        return pairs.reversed()
    }

    /// The middle of the quietest 20 ms between two times, the first of several.
    static func quietest(_ audio: AudioBuffer, from start: Double, to end: Double) -> Double {
        let rate = Double(audio.sampleRate)
        let width = max(1, audio.sampleRate / 50)
        let first = max(0, Int(start * rate))
        let last = min(audio.samples.count, Int(end * rate)) - width
        guard last > first else { return min(Double(audio.samples.count) / rate, max(start, end)) }
        var best = (at: first, power: Float.infinity)
        for position in stride(from: first, through: last, by: max(1, width / 4)) {
            let power = audio.samples[position..<(position + width)].reduce(0) { $0 + $1 * $1 }
            if power < best.power { best = (position, power) }
        }
        return Double(best.at + width / 2) / rate
    }

    /// The samples with their silences at the ends brought to the set length, and those inside to the longest allowed.
    static func trimmed(_ samples: [Float], rate: Int) -> [Float] {
        let width = max(1, rate / 100)
        let powers = stride(from: 0, to: samples.count, by: width).map { start -> Float in
            let frame = samples[start..<min(samples.count, start + width)]
            return frame.reduce(0) { $0 + $1 * $1 } / Float(frame.count)
        }
        guard let loudest = powers.max(), loudest > 0 else { return [] }
        let isSound = powers.map { $0 > loudest * silence }
        guard let first = isSound.firstIndex(of: true), let last = isSound.lastIndex(of: true) else { return [] }
        let ends = [Float](repeating: 0, count: Int(pad * Double(rate)))
        let longest = Int(longestRest * Double(rate)) / width
        var kept: [Float] = []
        var quiet = 0
        for frame in first...last {
            quiet = isSound[frame] ? 0 : quiet + 1
            // Half of the rest that is allowed stays on either side.
            let isDropped = quiet > longest / 2 && isSound[(frame + 1)...min(last, frame + longest / 2)].contains(true) == false
            if isDropped == false { kept += samples[(frame * width)..<min(samples.count, (frame + 1) * width)] }
        }
        return ends + kept + ends
    }
}
