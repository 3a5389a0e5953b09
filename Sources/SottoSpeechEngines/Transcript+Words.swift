extension Transcript {
    /// A word and when it was said.
    public struct Word: Sendable, Equatable, Codable {
        /// With the marks that belong to it.
        public var text: String
        /// Seconds from the start of the recording.
        public var start: Double
        /// Seconds from the start of the recording.
        public var end: Double

        public init(text: String, start: Double, end: Double) {
            self.text = text
            self.start = start
            self.end = end
        }
    }

    /// Silence that belongs to a segment on either side, as ``SpeechSegmenter`` keeps it.
    private static let padding = 0.3
    /// What a word's marks weigh, in letters: the pause that a speaker makes there.
    private static let comma = 5.0
    private static let fullStop = 8.0

    /// The words with estimated times: the segment's time shared out by letters, with pauses at marks.
    ///
    /// Against a forced alignment of 101 clips of human speech (1838 words) the starts were off by 0.13 s in the median and by less than
    /// 0.37 s nine times in ten. Times rise, never overlap, and lie within the segment.
    public var estimatedWords: [Word] { estimatedWords(padding: Self.padding) }

    /// The words with the times that the engine measured, else with estimated ones.
    public var words: [Word] { measuredWords ?? estimatedWords }

    /// Languages whose words are not told apart by spaces: each character counts as one. Source: openai/whisper `tokenizer.py`.
    package static let languagesWithoutSpaces: Set<String> = ["zh", "ja", "th", "lo", "my", "yue"]

    /// Whether spaces part its words.
    public var hasSpaces: Bool { language.map(Self.languagesWithoutSpaces.contains) != true }

    /// - Parameter padding: Silence that belongs to the segment on either side, in seconds; at most a quarter of it counts.
    package func estimatedWords(padding: Double) -> [Word] {
        let texts = hasSpaces ? text.split(whereSeparator: \.isWhitespace).map(String.init) : Self.characters(text)
        guard let last = texts.indices.last else { return [] }
        let length = max(0, end - start)
        let padding = min(padding, length / 4)
        let weights = texts.map { Double($0.count { $0.isLetter || $0.isNumber }) + 1 }
        let pauses = texts.indices.map { index -> Double in
            guard index < last, let mark = texts[index].last else { return 0 }
            return ".?!".contains(mark) ? Self.fullStop : ",;:".contains(mark) ? Self.comma : 0
        }
        let unit = (length - 2 * padding) / (weights.reduce(0, +) + pauses.reduce(0, +))
        var time = start + padding
        return texts.indices.map { index in
            let word = Word(text: texts[index], start: time, end: time + weights[index] * unit)
            time = word.end + pauses[index] * unit
            return word
        }
    }

    /// The characters of a text, marks with what they follow, Latin words whole.
    private static func characters(_ text: String) -> [String] {
        var words: [String] = []
        var isOpen = false
        for character in text {
            if character.isWhitespace {
                isOpen = false
                continue
            }
            let isLatin = character.isASCII && (character.isLetter || character.isNumber)
            let isMark = character.isLetter == false && character.isNumber == false
            if let last = words.indices.last, isMark || (isLatin && isOpen) {
                words[last].append(character)
            } else {
                words.append(String(character))
            }
            isOpen = isLatin
        }
        return words
    }
}
