/// What a ``SpokenStream`` gives: sentences, and where the voice rests longer than between sentences.
public enum SpokenPart: Sendable, Equatable {
    case sentence(SpokenSentence)
    /// An item of a list has ended.
    case itemEnd
    /// A paragraph, a heading, a table or a block of code has ended.
    case paragraphEnd
}
