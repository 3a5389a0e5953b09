/// One sentence of a text, as it was written and as it is said.
public struct SpokenSentence: Sendable, Equatable {
    /// Without Markdown's marks, numbers and signs as they stand.
    public var written: String
    /// In words.
    public var spoken: String

    public init(written: String, spoken: String) {
        self.written = written
        self.spoken = spoken
    }
}
