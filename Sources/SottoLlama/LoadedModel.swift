import SottoLanguageModels
import SottoStreams

/// A model in memory with its one context; confined to the actor that owns it.
final class LoadedModel {
    let model: ModelHandle
    let context: ContextHandle
    /// What the context's memory holds.
    var cache: PrefixCache
    private let template: String

    init(configuration: LlamaModel.Configuration, contextLength: Int, flag: CancellationFlag) throws {
        model = try ModelHandle(path: configuration.path, flag: flag)
        context = try ContextHandle(
            model: model, length: contextLength, step: configuration.promptStep, threads: configuration.threads,
            polling: configuration.polling)
        cache = PrefixCache(step: configuration.promptStep)
        let own = model.chatTemplate ?? "chatml"
        // ChatML is what most small chat models were tuned on, and the best guess for one that does not say.
        template = ChatPrompt([ChatMessage(.user, "?")], template: own) == nil ? "chatml" : own
    }

    /// The tokens of a conversation, up to where the answer begins.
    func tokens(_ messages: [ChatMessage]) throws(LanguageModelError) -> [Int32] {
        guard messages.isEmpty == false else { throw LanguageModelError(.engineFailed, "a conversation needs at least one message") }
        guard let prompt = ChatPrompt(messages, template: template) ?? ChatPrompt(messages, template: "chatml") else {
            throw LanguageModelError(.engineFailed, "the model's chat template cannot hold this conversation")
        }
        var tokens: [Int32] = []
        for (index, part) in prompt.parts.enumerated() {
            switch part {
            case .template(let text): tokens += try model.tokenize(text, parsingControlTokens: true, beginning: index == 0)
            case .content(let text): tokens += try model.tokenize(text, parsingControlTokens: false, beginning: index == 0)
            }
        }
        return tokens
    }

    /// Brings the bookkeeping and the context's memory to the same state, whatever happened before.
    func truncate(to count: Int) {
        cache.truncate(to: context.truncate(to: count) ? count : 0)
    }

    /// Computes tokens and records them; when that fails, memory and bookkeeping hold what they held before.
    ///
    /// - Throws: ``StepInterrupted`` when `interruption` was raised meanwhile; `CancellationError` when `flag` was.
    func decode(
        _ tokens: ArraySlice<Int32>, asPrompt: Bool, wantingLogits: Bool, threads: Int, flag: CancellationFlag,
        interruption: CancellationFlag? = nil
    ) throws {
        do {
            try context.decode(tokens, wantingLogits: wantingLogits, threads: threads, flags: StopFlags(cancelled: flag, interrupted: interruption))
        } catch {
            truncate(to: cache.tokens.count)
            throw error
        }
        cache.append(tokens, asPrompt: asPrompt)
    }
}
