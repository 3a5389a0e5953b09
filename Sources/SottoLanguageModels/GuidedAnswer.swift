/// A Swift value that a model wrote, and what is known about how it came to be.
public struct GuidedAnswer<Value: Generable>: Sendable {
    /// How much of the answer the model finished.
    public enum Completeness: String, Sendable, Codable {
        /// The model finished by itself.
        case whole
        /// The answer was cut at ``GenerationOptions/maximumTokens``; unfinished list elements at its end were dropped.
        case shortened
    }

    /// The decoded answer.
    public var value: Value
    /// Whether anything is missing; a `.shortened` answer must be shown as such.
    public var completeness: Completeness
    /// The answer letter by letter as the model wrote it, to be put back into a conversation that goes on.
    public var text: String
    /// What it cost.
    public var usage: GenerationUsage

    /// - Parameters:
    ///   - value: The decoded answer.
    ///   - text: The answer as the model wrote it.
    ///   - completeness: Whether anything is missing.
    ///   - usage: What it cost.
    public init(value: Value, text: String, completeness: Completeness, usage: GenerationUsage) {
        self.value = value
        self.text = text
        self.completeness = completeness
        self.usage = usage
    }
}
