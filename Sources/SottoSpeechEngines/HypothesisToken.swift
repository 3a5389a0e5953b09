/// One token of what an engine takes the open segment to say, for policies that know no engine's vocabulary.
public struct HypothesisToken: Sendable, Equatable {
    /// Its number in the engine's vocabulary.
    public var id: Int
    /// The engine's probability of it given those before it, in (0, 1].
    public var probability: Float
    /// Whether a new word begins with it.
    public var startsWord: Bool

    public init(id: Int, probability: Float = 1, startsWord: Bool) {
        self.id = id
        self.probability = probability
        self.startsWord = startsWord
    }
}
