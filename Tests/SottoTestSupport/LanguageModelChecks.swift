public import SottoLanguageModels
import SottoStreams
public import Testing

/// The promises every `LanguageModel` keeps: each engine's tests, and the scripted one's, call it.
///
/// - Parameter model: Must answer a request to count to twenty with more than two tokens.
public func checkLanguageModel(_ model: some LanguageModel, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let messages = [ChatMessage(.system, "You are brief."), ChatMessage(.user, "Count from one to twenty, in words.")]
    let session = try await model.makeSession()

    // Counts: exact for the prompt that is then computed, and sensible for plain text.
    let counted = try await model.tokenCount(messages)
    #expect(try await model.tokenCount("") == 0, sourceLocation: sourceLocation)
    #expect(try await model.tokenCount("one two three") >= 2, sourceLocation: sourceLocation)
    #expect(counted > 0 && counted < model.contextLength, sourceLocation: sourceLocation)

    // Events: text, then one end, which counts what was written.
    var events: [GenerationEvent] = []
    for try await event in session.respond(to: messages, options: GenerationOptions(maximumTokens: 24)) { events.append(event) }
    guard case .finished(_, let usage)? = events.last else {
        Issue.record("an answer must end with .finished", sourceLocation: sourceLocation)
        return
    }
    let ends = events.count { if case .finished = $0 { true } else { false } }
    #expect(ends == 1, sourceLocation: sourceLocation)
    #expect(usage.promptTokens == counted, sourceLocation: sourceLocation)
    #expect((3...24).contains(usage.generatedTokens), sourceLocation: sourceLocation)
    #expect(events.contains(.text("")) == false, "no empty pieces", sourceLocation: sourceLocation)

    // The same question again: the same greedy answer, the prefix reused.
    let first = text(events)
    let again = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 24)).collect()
    #expect(again.text == first, sourceLocation: sourceLocation)
    #expect(again.usage.reusedTokens > 0 && again.usage.reusedTokens < counted, sourceLocation: sourceLocation)

    // A limit cuts and says so.
    let short = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 2)).collect()
    #expect(short.stop == .length && short.usage.generatedTokens == 2, sourceLocation: sourceLocation)
    #expect(first.hasPrefix(short.text), sourceLocation: sourceLocation)

    // A stop sequence ends the answer before itself, though it may lie across tokens, and what was written for it is counted.
    let characters = Array(first)
    if characters.count > 8 {
        let middle = characters.count / 2
        let sequence = String(characters[(middle - 2)...(middle + 2)])
        let stopped = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 24, stopSequences: ["\u{1}", sequence])).collect()
        let expected = first.firstRange(of: sequence).map { String(first[..<$0.lowerBound]) }
        #expect(stopped.text == expected && stopped.stop == .sequence, sourceLocation: sourceLocation)
        #expect(stopped.usage.generatedTokens > 0 && stopped.usage.generatedTokens <= usage.generatedTokens, sourceLocation: sourceLocation)
    }

    // Another session does not see this one's conversation, and gives the same answer.
    let other = try await model.makeSession().respond(to: messages, options: GenerationOptions(maximumTokens: 24)).collect()
    #expect(other.text == first, sourceLocation: sourceLocation)

    // Too long is refused with the numbers, before anything is computed.
    let long = [ChatMessage(.user, String(repeating: "word ", count: model.contextLength + 10))]
    await expectCode(.contextOverflow, mentioning: "\(model.contextLength)", sourceLocation) {
        _ = try await session.respond(to: long, options: GenerationOptions(maximumTokens: 8)).collect()
    }
    // A schema that nothing satisfies is refused.
    await expectCode(.badSchema, mentioning: "choice", sourceLocation) {
        _ = try await session.respond(to: messages, options: GenerationOptions(schema: .choice([]))).collect()
    }

    // Cancelling throws CancellationError, and the session still works.
    let task = Task {
        for try await _ in session.respond(to: messages, options: GenerationOptions(maximumTokens: 24)) {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
    }
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await task.value }
    let after = try await session.respond(to: messages, options: GenerationOptions(maximumTokens: 24)).collect()
    #expect(after.text == first, sourceLocation: sourceLocation)
}

private func text(_ events: [GenerationEvent]) -> String {
    events.reduce(into: "") { text, event in if case .text(let piece) = event { text += piece } }
}

private func expectCode(
    _ code: LanguageModelError.Code, mentioning words: String, _ sourceLocation: SourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("expected \(code)", sourceLocation: sourceLocation)
    } catch let error as LanguageModelError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.message.contains(words), sourceLocation: sourceLocation)
    } catch {
        Issue.record("expected \(code), not \(error)", sourceLocation: sourceLocation)
    }
}
