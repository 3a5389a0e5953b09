import Foundation

extension LanguageModelSession {
    /// Answers with a Swift value: the model can write nothing but its schema's shape.
    ///
    /// Engines that cannot force a shape are read leniently: reasoning tags, code fences and prose around the value are
    /// dropped. An answer cut at the token limit is closed after its last complete list element where the schema allows
    /// that, and says so; a cut text is never passed off as complete.
    ///
    /// - Parameters:
    ///   - messages: The conversation; say in it what the properties mean.
    ///   - type: What to decode.
    ///   - options: Its `schema` counts when it is set, as a narrower form of the type's; else the type's is used.
    /// - Throws: ``LanguageModelError`` with `.malformedOutput` when no value can be read, `.badSchema` when the type's
    ///   schema cannot be satisfied, and the engine's own errors; `CancellationError` when cancelled.
    public func respond<Value: Generable>(
        to messages: [ChatMessage], generating type: Value.Type, options: GenerationOptions = GenerationOptions()
    ) async throws -> GuidedAnswer<Value> {
        var guided = options
        let schema = options.schema ?? type.generationSchema
        guided.schema = schema
        let answer = try await respond(to: messages, options: guided).collect()
        let text = ReasoningTags.stripped(from: answer.text)
        for candidate in PartialJSON.values(in: text) {
            if candidate.isComplete, let value = try? JSONDecoder().decode(type, from: Data(candidate.text.utf8)) {
                return GuidedAnswer(value: value, text: answer.text, completeness: .whole, usage: answer.usage)
            }
        }
        if answer.stop == .length {
            for candidate in PartialJSON.values(in: text) where candidate.isComplete == false {
                guard let closed = candidate.closed(for: schema),
                    let value = try? JSONDecoder().decode(type, from: Data(closed.utf8))
                else { continue }
                return GuidedAnswer(value: value, text: answer.text, completeness: .shortened, usage: answer.usage)
            }
            throw LanguageModelError(
                .malformedOutput,
                "the answer was cut after \(answer.usage.generatedTokens) tokens, before anything in it was complete; allow more tokens")
        }
        throw LanguageModelError(.malformedOutput, "the model's answer does not have the shape of \(type); ask again or use another model")
    }
}
