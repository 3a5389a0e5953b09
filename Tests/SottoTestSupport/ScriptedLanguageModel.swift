public import SottoLanguageModels
import SottoStreams
import Synchronization

/// A language model that answers from a script and records what it was asked.
///
/// It keeps every promise of the protocol but thinking: tokens are words, prefixes are reused, answers are cut at their
/// limit, and cancelling works.
public final class ScriptedLanguageModel: LanguageModel {
    /// What a call asked for.
    public struct Call: Sendable, Equatable {
        /// Which session, numbered from 1.
        public var session: Int
        /// The conversation.
        public var messages: [ChatMessage]
        /// The options, schema included.
        public var options: GenerationOptions
    }

    /// One step of an answer.
    public enum Step: Sendable {
        /// Writes a text, word by word.
        case text(String)
        /// Fails here.
        case fail(any Error & Sendable)
        /// Waits here until the reader cancels.
        case hang
    }

    public let name = "scripted"
    public let contextLength: Int
    private let script: @Sendable ([ChatMessage], GenerationOptions) -> [Step]
    private let state = Mutex((calls: [Call](), sessions: 0))

    /// - Parameters:
    ///   - contextLength: Words of prompt and answer together.
    ///   - script: The steps of an answer, from the conversation and its options.
    public init(contextLength: Int = 8192, steps script: @escaping @Sendable ([ChatMessage], GenerationOptions) -> [Step]) {
        self.contextLength = contextLength
        self.script = script
    }

    /// - Parameters:
    ///   - contextLength: Words of prompt and answer together.
    ///   - answer: The whole answer, from the conversation and its options.
    public convenience init(contextLength: Int = 8192, answer: @escaping @Sendable ([ChatMessage], GenerationOptions) -> String) {
        self.init(contextLength: contextLength) { messages, options in [.text(answer(messages, options))] }
    }

    /// Every call so far, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    public func tokenCount(_ text: String) async throws -> Int { Self.words(text).count }

    public func tokenCount(_ messages: [ChatMessage]) async throws -> Int { Self.prompt(messages).count }

    public func makeSession() async throws -> any LanguageModelSession {
        Session(
            model: self,
            number: state.withLock { state in
                state.sessions += 1
                return state.sessions
            })
    }

    /// A word with the white space before it.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text {
            if character.isWhitespace, word.last?.isWhitespace == false {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func prompt(_ messages: [ChatMessage]) -> [String] {
        messages.flatMap { ["<\($0.role.rawValue)>"] + words($0.content) } + ["<assistant>"]
    }

    private func steps(_ call: Call) -> [Step] {
        state.withLock { $0.calls.append(call) }
        return script(call.messages, call.options)
    }

    private final class Session: LanguageModelSession {
        private let model: ScriptedLanguageModel
        private let number: Int
        private let previous = Mutex<[String]>([])

        init(model: ScriptedLanguageModel, number: Int) {
            self.model = model
            self.number = number
        }

        func respond(to messages: [ChatMessage], options: GenerationOptions) -> GenerationStream {
            GenerationStream(capacity: options.maximumTokens + 2) { [self] emit in
                let prompt = ScriptedLanguageModel.prompt(messages)
                guard prompt.count + options.maximumTokens <= model.contextLength else {
                    throw LanguageModelError(
                        .contextOverflow,
                        "the prompt has \(prompt.count) tokens and the answer may have \(options.maximumTokens), "
                            + "but scripted holds \(model.contextLength) together")
                }
                _ = try options.schema?.grammar()
                let reused = previous.withLock { previous in
                    defer { previous = prompt }
                    return min(zip(previous, prompt).prefix { $0 == $1 }.count, prompt.count - 1)
                }
                var usage = GenerationUsage(promptTokens: prompt.count, reusedTokens: reused)
                var stop = GenerationEvent.Stop.endOfTurn
                var stops = StopSequences(options.stopSequences)
                steps: for step in model.steps(Call(session: number, messages: messages, options: options)) {
                    switch step {
                    case .text(let text):
                        for word in ScriptedLanguageModel.words(text) {
                            guard usage.generatedTokens < options.maximumTokens else {
                                stop = .length
                                break steps
                            }
                            usage.generatedTokens += 1
                            let (text, isStopped) = stops.add(word)
                            if text.isEmpty == false { try await emit(.text(text)) }
                            if isStopped {
                                stop = .sequence
                                break steps
                            }
                        }
                    case .fail(let error): throw error
                    case .hang: try await Task.sleep(for: .seconds(86_400))
                    }
                }
                if stop != .sequence {
                    let (text, isStopped) = stops.finish()
                    if text.isEmpty == false { try await emit(.text(text)) }
                    if isStopped { stop = .sequence }
                }
                try await emit(.finished(stop, usage))
            }
        }
    }
}
