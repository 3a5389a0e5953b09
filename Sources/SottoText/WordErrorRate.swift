/// Word error rate by Levenshtein alignment over whole words.
public struct WordErrorRate: Sendable, Equatable {
    public var substitutions: Int
    public var insertions: Int
    public var deletions: Int
    /// Words that were really said.
    public var referenceWords: Int

    public init(substitutions: Int = 0, insertions: Int = 0, deletions: Int = 0, referenceWords: Int = 0) {
        self.substitutions = substitutions
        self.insertions = insertions
        self.deletions = deletions
        self.referenceWords = referenceWords
    }

    public var errors: Int { substitutions + insertions + deletions }

    /// Errors a reference word; can exceed 1. 0 for an empty reference without insertions, infinite with them.
    public var rate: Double {
        referenceWords == 0 ? (errors == 0 ? 0 : .infinity) : Double(errors) / Double(referenceWords)
    }

    public static func + (left: Self, right: Self) -> Self {
        Self(
            substitutions: left.substitutions + right.substitutions, insertions: left.insertions + right.insertions,
            deletions: left.deletions + right.deletions, referenceWords: left.referenceWords + right.referenceWords)
    }

    /// Aligns two lists of words with the fewest edits.
    ///
    /// - Complexity: O(*n* · *m*) time, O(*m*) memory.
    public init(reference: [String], hypothesis: [String]) {
        var previous = (0...hypothesis.count).map { Self(insertions: $0) }
        for word in reference {
            var current = [Self(deletions: previous[0].deletions + 1)]
            current.reserveCapacity(previous.count)
            for (column, said) in hypothesis.enumerated() {
                var best = previous[column]
                if word != said { best.substitutions += 1 }
                var deletion = previous[column + 1]
                deletion.deletions += 1
                var insertion = current[column]
                insertion.insertions += 1
                if deletion.errors < best.errors { best = deletion }
                if insertion.errors < best.errors { best = insertion }
                current.append(best)
            }
            previous = current
        }
        self = previous[hypothesis.count]
        referenceWords = reference.count
    }
}
