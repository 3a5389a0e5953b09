import SottoLanguageModels

/// How answers stand in JSON.
enum ChatAnswer {
    /// What all parts of one answer have.
    struct Head: Sendable {
        /// As `chatcmpl-…`.
        var id: String
        /// Seconds since 1970.
        var created: Int
        var model: String
    }

    static func reason(_ stop: GenerationEvent.Stop) -> String {
        switch stop {
        case .endOfTurn, .sequence: "stop"
        case .length: "length"
        }
    }

    struct Usage: Encodable {
        struct PromptDetails: Encodable {
            var cached_tokens: Int
        }

        var prompt_tokens: Int
        var completion_tokens: Int
        var total_tokens: Int
        var prompt_tokens_details: PromptDetails

        init(_ usage: GenerationUsage) {
            prompt_tokens = usage.promptTokens
            completion_tokens = usage.generatedTokens
            total_tokens = usage.promptTokens + usage.generatedTokens
            prompt_tokens_details = PromptDetails(cached_tokens: usage.reusedTokens)
        }
    }

    /// Written as `null`, where clients expect a member to be there.
    struct Nothing: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    struct Whole: Encodable {
        struct Message: Encodable {
            var role = "assistant"
            var content: String
            var refusal = Nothing()
        }

        struct Choice: Encodable {
            var index = 0
            var message: Message
            var logprobs = Nothing()
            var finish_reason: String
        }

        var id: String
        var object = "chat.completion"
        var created: Int
        var model: String
        var choices: [Choice]
        var usage: Usage

        init(_ head: Head, text: String, stop: GenerationEvent.Stop, usage: GenerationUsage) {
            (id, created, model) = (head.id, head.created, head.model)
            choices = [Choice(message: Message(content: text), finish_reason: reason(stop))]
            self.usage = Usage(usage)
        }
    }

    struct Chunk: Encodable {
        struct Delta: Encodable {
            var role: String?
            var content: String?
        }

        var head: Head
        /// Empty in the last chunk, which has the usage.
        var choices: [(delta: Delta, reason: String?)]
        /// Null in all chunks but the last where usage was asked for.
        var usage: Usage?
        var includesUsage: Bool

        private enum Key: String, CodingKey { case id, object, created, model, choices, usage, index, delta, logprobs, finish_reason }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(head.id, forKey: .id)
            try container.encode("chat.completion.chunk", forKey: .object)
            try container.encode(head.created, forKey: .created)
            try container.encode(head.model, forKey: .model)
            var list = container.nestedUnkeyedContainer(forKey: .choices)
            for choice in choices {
                var item = list.nestedContainer(keyedBy: Key.self)
                try item.encode(0, forKey: .index)
                try item.encode(choice.delta, forKey: .delta)
                try item.encodeNil(forKey: .logprobs)
                try item.encode(choice.reason, forKey: .finish_reason)
            }
            if includesUsage { try container.encode(usage, forKey: .usage) }
        }
    }
}
