import SottoLanguageModels
import SottoServiceExchange

/// The fields of a chat request, each checked.
struct ChatForm: Sendable {
    static let mostStops = 4

    var model: String
    var messages: [ChatMessage]
    /// `nil`: as many as there is room for.
    var maximumTokens: Int?
    /// Whether the limit came by its older name.
    var limitName = "max_completion_tokens"
    var temperature: Double?
    var topP: Double?
    var seed: UInt32?
    var stops: [String]
    var schema: GenerationSchema?
    var isStream: Bool
    var includesUsage = false
    /// Names of fields that have no effect.
    var ignored: [String]

    /// Reads JSON.
    ///
    /// - Throws: ``ServiceError`` that names the field.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        let fields = try JSONFields(bytes)
        guard let model: String = try fields.value("model", "a text"), model.isEmpty == false else { throw .bad("you must provide a model", "model") }
        self.model = model
        ignored = fields.names(except: Self.known)
        (messages, isStream) = ([], false)
        stops = try Self.stops(fields)
        try Self.refuseUnsupported(fields)
        guard let list: [JSONFields] = try fields.value("messages", "a list of messages"), list.isEmpty == false else {
            throw .bad("messages is to be a list with at least one message", "messages")
        }
        for (index, message) in list.enumerated() { messages.append(try Self.message(message, at: "messages[\(index)].", ignored: &ignored)) }
        try readLimit(fields)
        temperature = try Self.number("temperature", 0...2, fields)
        topP = try Self.number("top_p", 0...1, fields)
        // Sampling takes 32 bits; equal seeds stay equal.
        seed = try fields.value("seed", "a whole number", as: Int64.self).map { UInt32(truncatingIfNeeded: $0) }
        for name in ["presence_penalty", "frequency_penalty"] {
            if let penalty = try Self.number(name, -2...2, fields), penalty != 0 { ignored.append(name) }
        }
        try readStream(fields)
        schema = try Self.schema(fields, body: bytes)
    }

    private static let known: Set<String> = [
        "model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop", "response_format", "stream",
        "stream_options", "n", "tools", "functions", "tool_choice", "function_call", "logprobs", "top_logprobs", "modalities", "audio",
        "presence_penalty", "frequency_penalty",
    ]

    private static func number(_ name: String, _ range: ClosedRange<Double>, _ fields: JSONFields) throws(ServiceError) -> Double? {
        let kind = "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        guard let value: Double = try fields.value(name, kind) else { return nil }
        guard range.contains(value) else { throw .bad("\(name) is \(kind), not \(value)", name) }
        return value
    }

    private static func refuseUnsupported(_ fields: JSONFields) throws(ServiceError) {
        if let count: Int = try fields.value("n", "a whole number"), count != 1 {
            throw unsupported("one answer is given to a request; n is to be 1", "n")
        }
        for name in ["tools", "functions"] {
            if let tools: [JSONFields] = try fields.value(name, "a list"), tools.isEmpty == false {
                throw unsupported("tools are not supported; ask with response_format json_schema for an answer that a program can read", name)
            }
        }
        for name in ["tool_choice", "function_call"] where fields.has(name) {
            let choice = fields.ifIs(String.self, name)
            guard choice == "none" || choice == "auto" else { throw unsupported("tools are not supported", name) }
        }
        if try fields.value("logprobs", "true or false", as: Bool.self) == true {
            throw unsupported("probabilities of tokens are not given", "logprobs")
        }
        if let count: Int = try fields.value("top_logprobs", "a whole number"), count != 0 {
            throw unsupported("probabilities of tokens are not given", "top_logprobs")
        }
        if let kinds: [String] = try fields.value("modalities", "a list of texts"), kinds != ["text"] {
            throw unsupported("answers are text; modalities is to be [\"text\"]", "modalities")
        }
        if fields.has("audio") { throw unsupported("answers are text; POST /v1/audio/speech speaks them", "audio") }
    }

    private static func unsupported(_ message: String, _ parameter: String) -> ServiceError {
        .bad(message, parameter, code: "unsupported_parameter")
    }

    private static func message(_ fields: JSONFields, at place: String, ignored: inout [String]) throws(ServiceError) -> ChatMessage {
        let kind = "system, developer, user or assistant"
        guard let name: String = try fields.value("role", kind, in: place) else { throw .bad("\(place)role is missing", place + "role") }
        let role: ChatMessage.Role
        switch name {
        case "system", "developer": role = .system
        case "user": role = .user
        case "assistant": role = .assistant
        case "tool", "function": throw unsupported("\(place)role: tools are not supported", place + "role")
        default: throw .bad("\(place)role is \(kind), not \"\(name)\"", place + "role")
        }
        for name in ["tool_calls", "function_call", "audio"] where fields.has(name) {
            if name == "tool_calls", fields.ifIs([JSONFields].self, name)?.isEmpty == true { continue }
            throw unsupported("\(place)\(name) is not supported; messages are text", place + name)
        }
        for name in fields.names(except: ["role", "content", "tool_calls", "function_call", "audio"])
        where fields.has(name) && ignored.contains("messages." + name) == false {
            ignored.append("messages." + name)
        }
        return ChatMessage(role, try content(fields, role, at: place))
    }

    private static func content(_ fields: JSONFields, _ role: ChatMessage.Role, at place: String) throws(ServiceError) -> String {
        if let text = fields.ifIs(String.self, "content") { return text }
        guard let parts: [JSONFields] = try fields.value("content", "a text or a list of parts", in: place) else {
            throw .bad("\(place)content is missing", place + "content")
        }
        var text = ""
        for (index, part) in parts.enumerated() {
            let place = "\(place)content[\(index)]."
            switch try part.value("type", "a text", as: String.self, in: place) {
            case "text":
                guard let piece: String = try part.value("text", "a text", in: place) else { throw .bad("\(place)text is missing", place + "text") }
                text += piece
            case "refusal" where role == .assistant: text += try part.value("refusal", "a text", in: place) ?? ""
            case "image_url": throw unsupported("\(place)type: pictures are not supported", place + "type")
            case "input_audio":
                throw unsupported("\(place)type: sound is not supported here; POST /v1/audio/transcriptions makes text of it", place + "type")
            case let other?: throw unsupported("\(place)type: only text is supported, not \"\(other)\"", place + "type")
            case nil: throw .bad("\(place)type is missing", place + "type")
            }
        }
        guard parts.isEmpty == false else { throw .bad("\(place)content is empty", place + "content") }
        return text
    }

    private mutating func readLimit(_ fields: JSONFields) throws(ServiceError) {
        var limits: [(name: String, value: Int)] = []
        for name in ["max_completion_tokens", "max_tokens"] {
            guard let value: Int = try fields.value(name, "a whole number of at least 1") else { continue }
            guard value >= 1 else { throw .bad("\(name) is a whole number of at least 1, not \(value)", name) }
            limits.append((name, value))
        }
        guard limits.count <= 1 else { throw .bad("max_tokens and max_completion_tokens cannot be given both", "max_tokens") }
        guard let limit = limits.first else { return }
        (limitName, maximumTokens) = limit
    }

    private static func stops(_ fields: JSONFields) throws(ServiceError) -> [String] {
        let kind = "a text or a list of at most \(mostStops) texts"
        let stops: [String]
        if let stop = fields.ifIs(String.self, "stop") { stops = [stop] } else { stops = try fields.value("stop", kind) ?? [] }
        guard stops.count <= mostStops else { throw .bad("stop is \(kind), not of \(stops.count)", "stop") }
        guard stops.contains("") == false else { throw .bad("a stop sequence may not be empty", "stop") }
        return stops
    }

    private mutating func readStream(_ fields: JSONFields) throws(ServiceError) {
        isStream = try fields.value("stream", "true or false") ?? false
        guard let options: JSONFields = try fields.value("stream_options", "an object") else { return }
        guard isStream else { throw .bad("stream_options needs stream to be true", "stream_options") }
        includesUsage = try options.value("include_usage", "true or false", in: "stream_options.") ?? false
        ignored += options.names(except: ["include_usage"]).map { "stream_options." + $0 }
    }

    private static func schema(_ fields: JSONFields, body: [UInt8]) throws(ServiceError) -> GenerationSchema? {
        guard let format: JSONFields = try fields.value("response_format", "an object") else { return nil }
        switch try format.value("type", "a text", as: String.self, in: "response_format.") {
        case "text": return nil
        case "json_object": return .anyObject
        case "json_schema":
            // The order of properties is in the text alone.
            guard let named = JSONText(String(decoding: body, as: UTF8.self))?["response_format"]?["json_schema"], named.members != nil else {
                throw .bad("response_format.json_schema is missing, or nested too deeply", "response_format.json_schema")
            }
            guard named["name"]?.string?.isEmpty == false else {
                throw .bad("response_format.json_schema.name is missing", "response_format.json_schema.name")
            }
            guard let schema = named["schema"] else {
                throw .bad("response_format.json_schema.schema is missing", "response_format.json_schema.schema")
            }
            do throws(LanguageModelError) {
                return try GenerationSchema(jsonSchema: schema.text)
            } catch {
                throw .bad("response_format.json_schema.schema: \(error.message)", "response_format.json_schema.schema", code: "unsupported_schema")
            }
        case let other: throw .bad("response_format.type is text, json_object or json_schema, not \"\(other ?? "null")\"", "response_format.type")
        }
    }
}
