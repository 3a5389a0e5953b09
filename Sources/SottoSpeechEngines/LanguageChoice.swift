/// Decides from stretch to stretch which language is spoken.
///
/// A short word sounds like something in many languages ("Continue" like Korean), so the network's opinion of one counts only when it is sure and had
/// enough to hear; until then the language stays what it was, or is the one that the listener expects. Pure: probabilities in, language out.
public struct LanguageChoice: Sendable, Equatable {
    public struct Configuration: Sendable, Equatable {
        /// Seconds of speech from which on a stretch can change the language.
        public var enoughSpeech: Double
        /// Probability, among the languages allowed, from which on it can.
        public var enoughConfidence: Float
        /// Probability from which on the first stretch, too short to change anything later, begins with its language.
        public var certainty: Float

        public init(enoughSpeech: Double = 2, enoughConfidence: Float = 0.5, certainty: Float = 0.9) {
            self.enoughSpeech = enoughSpeech
            self.enoughConfidence = enoughConfidence
            self.certainty = certainty
        }
    }

    /// A language and how sure the network was of it, among those allowed.
    public struct Choice: Sendable, Equatable {
        public var language: String
        /// `nil` when it was not asked.
        public var probability: Float?

        public init(language: String, probability: Float?) {
            self.language = language
            self.probability = probability
        }
    }

    public let spoken: SpokenLanguage
    private let configuration: Configuration
    private let expected: String?
    /// The language of the newest stretch that settled one.
    public private(set) var settled: String?

    /// - Parameter expected: What is taken before any stretch was long enough, if it is allowed.
    public init(_ spoken: SpokenLanguage, expected: String? = nil, configuration: Configuration = Configuration()) {
        self.spoken = spoken
        self.configuration = configuration
        self.expected = expected
    }

    /// Whether the network has to be asked at all.
    public var isOpen: Bool {
        switch spoken {
        case .fixed: false
        case .detected(let among): among.count != 1
        }
    }

    /// The language of a stretch of speech.
    ///
    /// - Parameters:
    ///   - probabilities: By language, of all that the network knows; any scale.
    ///   - seconds: Length of the speech.
    public mutating func choose(_ probabilities: [String: Float], seconds: Double) -> Choice {
        let choice = peek(probabilities, seconds: seconds)
        if choice.isSettling { settled = choice.choice.language }
        return choice.choice
    }

    /// As ``choose(_:seconds:)``, for a stretch that has not ended: nothing is settled by it.
    public func preview(_ probabilities: [String: Float], seconds: Double) -> Choice { peek(probabilities, seconds: seconds).choice }

    private func peek(_ probabilities: [String: Float], seconds: Double) -> (choice: Choice, isSettling: Bool) {
        switch spoken {
        case .fixed(let language): return (Choice(language: language, probability: nil), false)
        case .detected(let among) where among.count == 1: return (Choice(language: among[0], probability: nil), false)
        case .detected(let among):
            let allowed = among.isEmpty ? probabilities : probabilities.filter { among.contains($0.key) }
            let sum = allowed.values.reduce(0, +)
            // Ties go by name, so that the same recording gives the same text.
            guard sum > 0, let best = allowed.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
                return (Choice(language: settled ?? expected ?? among.first ?? "en", probability: nil), false)
            }
            let probability = best.value / sum
            func of(_ language: String) -> Choice { Choice(language: language, probability: (allowed[language] ?? 0) / sum) }
            if seconds >= configuration.enoughSpeech, probability >= configuration.enoughConfidence { return (of(best.key), true) }
            if let settled { return (of(settled), false) }
            if probability >= configuration.certainty, seconds >= configuration.enoughSpeech / 2 { return (of(best.key), true) }
            if let expected, allowed[expected] != nil { return (of(expected), false) }
            return (of(best.key), false)
        }
    }
}
