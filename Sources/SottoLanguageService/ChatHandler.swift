public import Foundation
import SottoLanguageModels
public import SottoServiceExchange
import SottoStreams

/// `POST /v1/chat/completions` of the OpenAI interface, without a server.
///
/// ```swift
/// let handler = ChatHandler(engines: engines)
/// let response = try await handler.respond(to: request)
/// ```
/// Understood: `model`, `messages` (system, developer, user, assistant; text, whole or in parts), `max_completion_tokens` and `max_tokens`,
/// `temperature`,
/// `top_p`, `seed`, `stop`, `response_format` (text, json_object, and json_schema as far as `GenerationSchema(jsonSchema:)` goes: the engine can
/// write nothing
/// else then), `stream` with `stream_options.include_usage`. Tools, pictures, sound, several answers and probabilities are refused; penalties and
/// unknown fields
/// have no effect, and the header `Sotto-Ignored` names them. All counts of tokens are exact. Nothing is stored.
///
/// A client that goes away drops the stream or cancels the task, and either stops the model.
public struct ChatHandler: Sendable {
    public struct Configuration: Sendable {
        /// Bytes of the request.
        public var bodyBytes: Int
        /// When the client names none, 0 to 2. OpenAI's 1 is too wild for models of a few billion parameters; 0.7 is what their makers advise
        /// (generation_config.json of Qwen2.5).
        public var temperature: Double
        /// When the client names none, 0 to 1.
        public var topP: Double

        public init(bodyBytes: Int = 4 << 20, temperature: Double = 0.7, topP: Double = 0.95) {
            self.bodyBytes = bodyBytes
            self.temperature = temperature
            self.topP = topP
        }
    }

    private let engines: any ChatEngines
    private let configuration: Configuration
    private let now: @Sendable () -> Date
    private let chance: @Sendable () -> UInt64

    /// - Parameters:
    ///   - now: For `created`.
    ///   - chance: For the answer's id, and for the seed when the client names none.
    public init(
        engines: any ChatEngines, configuration: Configuration = Configuration(), now: @escaping @Sendable () -> Date = { Date() },
        chance: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.engines = engines
        self.configuration = configuration
        self.now = now
        self.chance = chance
    }

    /// - Returns: The answer, an error object where something is wrong.
    /// - Throws: `CancellationError` alone, and what the request's own body throws when its connection breaks.
    public func respond(to request: ServiceRequest) async throws -> ServiceResponse {
        let bytes: [UInt8]
        do {
            bytes = try await request.json(limit: configuration.bodyBytes)
        } catch let error as ServiceError {
            return error.response
        }
        do {
            let form = try ChatForm(bytes)
            return try await answer(form).naming(ignored: form.ignored)
        } catch {
            guard let error = ServiceError.of(error) else { throw error }
            return error.response
        }
    }

    private func answer(_ form: ChatForm) async throws -> ServiceResponse {
        let model = try await engines.languageModel(form.model)
        let limit = try await limit(form, of: model)
        let options = GenerationOptions(
            maximumTokens: limit, temperature: form.temperature ?? configuration.temperature, topP: form.topP ?? configuration.topP,
            seed: form.seed ?? UInt32(truncatingIfNeeded: chance()), schema: form.schema, stopSequences: form.stops)
        let head = ChatAnswer.Head(
            id: "chatcmpl-" + hexadecimal(chance()) + hexadecimal(chance()), created: Int(now().timeIntervalSince1970), model: model.name)
        let events = try await model.makeSession().respond(to: form.messages, options: options)
        if form.isStream { return .events(Self.chunks(events, head, includesUsage: form.includesUsage)) }
        let (text, stop, usage) = try await events.collect()
        return try .json(ChatAnswer.Whole(head, text: text, stop: stop, usage: usage))
    }

    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// How many tokens the answer may have.
    ///
    /// - Throws: ``ServiceError`` with the exact counts when they do not fit.
    private func limit(_ form: ChatForm, of model: any LanguageModel) async throws -> Int {
        let prompt = try await model.tokenCount(form.messages)
        let room = model.contextLength - prompt
        func tooLong(_ asked: String, _ parameter: String) -> ServiceError {
            .bad(
                "This model's maximum context length is \(model.contextLength) tokens. However, \(asked). "
                    + "Please reduce the length of the messages or completion.",
                parameter, code: "context_length_exceeded")
        }
        guard room >= 1 else { throw tooLong("your messages resulted in \(prompt) tokens", "messages") }
        guard let wanted = form.maximumTokens else { return room }
        guard wanted <= room else {
            let (total, isHuge) = prompt.addingReportingOverflow(wanted)
            throw tooLong(
                "you requested \(isHuge ? "more" : "\(total)") tokens (\(prompt) in the messages, \(wanted) in the completion)", form.limitName)
        }
        return wanted
    }

    /// The answer while it is written. What can be wrong with the request is known by now, so the client hears at once that work has begun: reading a
    /// long prompt
    /// takes a while.
    private static func chunks(_ events: GenerationStream, _ head: ChatAnswer.Head, includesUsage: Bool) -> ProducedSequence<[UInt8]> {
        ProducedSequence { emit in
            func send(_ role: String?, _ content: String?, reason: String? = nil) async throws {
                try await emit(
                    try ServiceJSON.event(
                        ChatAnswer.Chunk(
                            head: head, choices: [(.init(role: role, content: content), reason)], usage: nil, includesUsage: includesUsage)))
            }
            do {
                try await send("assistant", "")
                for try await event in events {
                    switch event {
                    case .text(let text): try await send(nil, text)
                    case .finished(let stop, let usage):
                        try await send(nil, nil, reason: ChatAnswer.reason(stop))
                        guard includesUsage else { continue }
                        try await emit(try ServiceJSON.event(ChatAnswer.Chunk(head: head, choices: [], usage: .init(usage), includesUsage: true)))
                    }
                }
            } catch {
                guard let told = ServiceError.of(error) else { throw error }
                // Too late for a status: the stream itself says that it is not whole.
                return try await emit(try ServiceJSON.event(ServiceError.Report(told)))
            }
            try await emit(Array("data: [DONE]\n\n".utf8))
        }
    }
}
