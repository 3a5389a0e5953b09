public import SottoStreams

/// A chat model on this machine.
public protocol LanguageModel: Sendable {
    /// For people and reports: "qwen2.5-coder-1.5b-instruct-q4_k_m".
    var name: String { get }
    /// How many tokens prompt and answer may have together.
    var contextLength: Int { get }

    /// Exact token count of plain text, without any template.
    func tokenCount(_ text: String) async throws -> Int
    /// Exact token count of a conversation as the model sees it: its own template, up to where the answer begins.
    func tokenCount(_ messages: [ChatMessage]) async throws -> Int

    /// Opens a session: the passes of one job, whose common prefix is computed once.
    ///
    /// The model is loaded when a session first needs it and may be unloaded after an idle time.
    func makeSession() async throws -> any LanguageModelSession
}

/// The passes of one job against one model.
public protocol LanguageModelSession: Sendable {
    /// Answers a conversation, token by token.
    ///
    /// Cancelling the consuming task stops within one second, in the prompt too.
    /// - Throws: While iterating: ``LanguageModelError``.
    func respond(to messages: [ChatMessage], options: GenerationOptions) -> GenerationStream

    /// How likely the model is to begin its answer with each of some words: a judgement with a degree.
    ///
    /// - Parameter choices: Words that differ in their first token, such as "Yes" and "No".
    /// - Returns: One value a choice, from 0 to 1, together 1. An engine that gives no probabilities answers 1 and 0.
    /// - Throws: ``LanguageModelError``; `CancellationError` within a second of a cancel.
    func likelihoods(of choices: [String], after messages: [ChatMessage]) async throws -> ChoiceLikelihoods
}

/// What a model thinks of some choices.
public struct ChoiceLikelihoods: Sendable, Equatable {
    /// In the order of the choices; together 1.
    public var values: [Double]
    public var usage: GenerationUsage

    public init(values: [Double], usage: GenerationUsage) {
        self.values = values
        self.usage = usage
    }
}

extension LanguageModelSession {
    public func likelihoods(of choices: [String], after messages: [ChatMessage]) async throws -> ChoiceLikelihoods {
        let answer = try await respond(to: messages, options: GenerationOptions(maximumTokens: 8, schema: .choice(choices))).collect()
        return ChoiceLikelihoods(values: choices.map { answer.text.contains($0) ? 1 : 0 }, usage: answer.usage)
    }
}

public struct ChatMessage: Sendable, Equatable, Codable {
    public enum Role: String, Sendable, Codable { case system, user, assistant }
    public var role: Role
    public var content: String

    public init(_ role: Role, _ content: String) {
        self.role = role
        self.content = content
    }
}

public struct GenerationOptions: Sendable, Equatable {
    /// The answer stops here with ``GenerationEvent/Stop/length``.
    public var maximumTokens: Int
    /// 0 is greedy.
    public var temperature: Double
    /// Keeps the most likely tokens that together reach this probability.
    public var topP: Double
    /// Makes sampled answers repeatable.
    public var seed: UInt32
    /// Every answer obeys this shape when set.
    public var schema: GenerationSchema?
    /// The answer ends before the first of these texts, with ``GenerationEvent/Stop/sequence``; see ``StopSequences``.
    public var stopSequences: [String]

    public init(
        maximumTokens: Int = 512, temperature: Double = 0, topP: Double = 0.95, seed: UInt32 = 1, schema: GenerationSchema? = nil, stopSequences: [String] = []
    ) {
        self.maximumTokens = maximumTokens
        self.temperature = temperature
        self.topP = topP
        self.seed = seed
        self.schema = schema
        self.stopSequences = stopSequences
    }
}

/// What happens during one answer.
public enum GenerationEvent: Sendable, Equatable {
    public enum Stop: String, Sendable, Codable { case endOfTurn, length, sequence }
    /// Whole characters only; a character split over tokens waits for its end.
    case text(String)
    /// Always last.
    case finished(Stop, GenerationUsage)
}

public struct GenerationUsage: Sendable, Equatable, Codable {
    /// Tokens of the whole prompt.
    public var promptTokens: Int
    /// Those of them that an earlier pass had left computed.
    public var reusedTokens: Int
    public var generatedTokens: Int
    public var promptSeconds: Double
    public var generationSeconds: Double

    public init(promptTokens: Int = 0, reusedTokens: Int = 0, generatedTokens: Int = 0, promptSeconds: Double = 0, generationSeconds: Double = 0) {
        self.promptTokens = promptTokens
        self.reusedTokens = reusedTokens
        self.generatedTokens = generatedTokens
        self.promptSeconds = promptSeconds
        self.generationSeconds = generationSeconds
    }

    /// Tokens that cost work: read anew or written.
    public var computedTokens: Int { promptTokens - reusedTokens + generatedTokens }

    public static func + (left: Self, right: Self) -> Self {
        Self(
            promptTokens: left.promptTokens + right.promptTokens, reusedTokens: left.reusedTokens + right.reusedTokens,
            generatedTokens: left.generatedTokens + right.generatedTokens, promptSeconds: left.promptSeconds + right.promptSeconds,
            generationSeconds: left.generationSeconds + right.generationSeconds)
    }
}

/// The events of one answer, in order.
public typealias GenerationStream = ProducedSequence<GenerationEvent>

extension ProducedSequence where Element == GenerationEvent {
    /// The whole answer, how it stopped, and what it cost.
    public func collect() async throws -> (text: String, stop: GenerationEvent.Stop, usage: GenerationUsage) {
        var text = ""
        var last: (GenerationEvent.Stop, GenerationUsage)?
        for try await event in self {
            switch event {
            case .text(let piece): text += piece
            case .finished(let stop, let usage): last = (stop, usage)
            }
        }
        guard let (stop, usage) = last else { throw CancellationError() }
        return (text, stop, usage)
    }
}

/// Why a model failed; the message says what to do.
public struct LanguageModelError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable { case modelNotLoaded, contextOverflow, badSchema, malformedOutput, engineFailed }
    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
