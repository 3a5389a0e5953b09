/// What of a growing hypothesis is settled, so that no word that was shown as settled ever changes.
///
/// A word is settled once two hypotheses in a row agree on it and a further word follows. Greedy transducers never take a token back, so
/// there only the newest word, which may still get its ending, stays open; models that do revise are held to what they said.
struct GrowingText: Sendable, Equatable {
    private(set) var settled: [String] = []
    private var newest: [String] = []

    /// Takes the next hypothesis.
    ///
    /// - Returns: The words that are settled, and those that may still change.
    mutating func observe(_ text: String) -> (settled: [String], open: [String]) {
        let words = Self.words(text)
        let same = zip(newest, words).prefix { $0 == $1 }.count
        newest = words
        let end = min(same, words.count - 1)
        if end > settled.count { settled += words[settled.count..<end] }
        return (settled, Array(words.dropFirst(settled.count)))
    }

    /// The whole text at its end: what is settled, and what the last hypothesis says beyond.
    mutating func finish(_ text: String) -> String {
        let words = settled + Self.words(text).dropFirst(settled.count)
        self = GrowingText()
        return words.joined(separator: " ")
    }

    private static func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}
