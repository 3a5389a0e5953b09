public import SottoLanguageModels
public import SottoStreams

/// The passes of one job against one llama.cpp model.
public struct LlamaSession: LanguageModelSession {
    private let model: LlamaModel
    private let id: UInt64

    init(model: LlamaModel, id: UInt64) {
        self.model = model
        self.id = id
    }

    /// Answers a conversation, token by token; sessions of one model take turns.
    ///
    /// - Throws: While iterating: ``LanguageModelError`` with `.modelNotLoaded`, `.contextOverflow` before anything is
    ///   computed when prompt and answer cannot fit, `.badSchema` or `.engineFailed`; `CancellationError`.
    public func respond(to messages: [ChatMessage], options: GenerationOptions) -> GenerationStream {
        // Room for the whole answer, so that a slow reader never holds up the other sessions.
        GenerationStream(capacity: max(1, options.maximumTokens) + 2) { emit in
            try await model.generate(messages, options: options, session: id, emit: emit)
        }
    }

    public func likelihoods(of choices: [String], after messages: [ChatMessage]) async throws -> ChoiceLikelihoods {
        try await model.likelihoods(of: choices, after: messages, session: id)
    }
}
