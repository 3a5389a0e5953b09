/// Finds decodes that have fallen into a loop, without touching what people really repeat.
///
/// A speaker's repetition ends: the model closes the sentence within the tokens that the audio can hold. A loop does not end:
/// it runs into the limit while repeating. So a repetition is cut only at the limit, back to its first two copies, or where
/// it has filled more of the decode than anyone says ("no no no no" is far from it).
package struct RepetitionGuard: Sendable {
    /// The longest phrase, in tokens, whose repetition is looked for.
    package var longestPhrase = 16
    /// Tokens that a repetition must span to count as one at the limit.
    package var shortestSpan = 8
    /// Tokens of one unbroken repetition after which waiting for its end is pointless.
    package var longestSpan = 48

    package init() {}

    /// A repetition at the end of the tokens.
    package struct Repetition: Equatable {
        /// Tokens of one copy.
        package var period: Int
        /// Tokens in all copies, a last one that is cut off included.
        package var span: Int

        package init(period: Int, span: Int) {
            self.period = period
            self.span = span
        }
    }

    /// The repetition with which the tokens end, at least three copies long and spanning `shortestSpan` or more.
    package func repetition(in tokens: [Int]) -> Repetition? {
        for period in 1...longestPhrase where tokens.count >= period * 3 {
            var span = period
            while span < tokens.count, tokens[tokens.count - 1 - span] == tokens[tokens.count - 1 - span + period] { span += 1 }
            if span >= max(period * 3, shortestSpan) { return Repetition(period: period, span: span) }
        }
        return nil
    }

    /// Whether to stop decoding now.
    package func isHopeless(_ tokens: [Int]) -> Bool { (repetition(in: tokens)?.span ?? 0) >= longestSpan }

    /// How many tokens to keep of a decode that was stopped before the model ended it.
    package func kept(of tokens: [Int]) -> Int {
        guard let repetition = repetition(in: tokens) else { return tokens.count }
        return tokens.count - repetition.span + 2 * repetition.period
    }
}
