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
    /// What it cost.
    public var usage: GenerationUsage

    /// - Parameters:
    ///   - value: The decoded answer.
    ///   - completeness: Whether anything is missing.
    ///   - usage: What it cost.
    public init(value: Value, completeness: Completeness, usage: GenerationUsage) {
        self.value = value
        self.completeness = completeness
        self.usage = usage
    }
}
