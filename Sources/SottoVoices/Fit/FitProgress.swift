/// How far the fit of a voice is: all that is needed to go on with it, after a restart too.
public struct FitProgress: Sendable, Equatable, Codable {
    public static let currentSchema = 1

    public var schemaVersion = FitProgress.currentSchema
    /// Of the sample's voice, by the speaker encoder.
    public var target: [Float]
    /// Of the sample, in hertz; `nil` when it has none.
    public var pitch: Double?
    /// Of two halves of the sample; `nil` when it is too short for that.
    public var ceiling: Double?
    /// The nearest stock voice, as a style.
    public var start: [Float]
    public var startName: String
    /// What the map alone gives: where the search begins.
    public var first: [Float]
    /// Along the map's ways, from ``first``.
    public var search: EvolutionStrategy
    /// Of the points of the round that is on its way.
    public var costs: [Double] = []
    /// Tries that gave no speech.
    public var failures = 0

    public init(target: [Float], pitch: Double?, ceiling: Double?, start: [Float], startName: String, first: [Float], search: EvolutionStrategy) {
        self.target = target
        self.pitch = pitch
        self.ceiling = ceiling
        self.start = start
        self.startName = startName
        self.first = first
        self.search = search
    }

    /// Sentences that were made so far.
    public var tries: Int { search.evaluations + costs.count }
}
