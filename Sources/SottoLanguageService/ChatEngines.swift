public import SottoLanguageModels
import SottoServiceExchange

/// What chat needs of the program around it.
public protocol ChatEngines: Sendable {
    /// The language model for a request.
    ///
    /// - Parameter model: As the client named it.
    /// - Throws: ``LanguageModelError`` `.modelNotLoaded` when it is known and not installed; ``ServiceError/unknownModel(_:)`` when nobody knows it.
    func languageModel(_ model: String) async throws -> any LanguageModel
}
