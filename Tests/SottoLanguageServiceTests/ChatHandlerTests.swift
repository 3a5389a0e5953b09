import Foundation
import SottoLanguageModels
import SottoLanguageService
import SottoServiceExchange
import SottoStreams
import SottoTestSupport
import Testing

@Suite struct ChatHandlerTests {
    private func request(_ more: String = "", messages: String = #"[{"role": "user", "content": "Hello there"}]"#) -> String {
        "{\"model\": \"scripted\", \"messages\": \(messages)\(more.isEmpty ? "" : ", " + more)}"
    }

    @Test("a whole answer, letter by letter")
    func whole() async throws {
        let response = try await ChatHandler(ScriptedChat("Good \"day\"\nto you")).respond(request())
        #expect(response.status == 200 && response.header("Content-Type") == "application/json" && response.header("Sotto-Ignored") == nil)
        // Three words, one mark for each role: 4 + 1.
        #expect(
            String(decoding: try await response.bytes, as: UTF8.self)
                == #"{"choices":[{"finish_reason":"stop","index":0,"logprobs":null,"message":{"content":"Good \"day\"\nto you","refusal":null,"role":"assistant"}}],"#
                + #""created":1700000000,"id":"chatcmpl-0123456789abcdef0123456789abcdef","model":"scripted","object":"chat.completion","#
                + #""usage":{"completion_tokens":4,"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":8}}"#)
    }

    @Test("a stream: the role, pieces, the reason, the usage where asked for, and the end", arguments: [false, true])
    func stream(includesUsage: Bool) async throws {
        let options = includesUsage ? #", "stream_options": {"include_usage": true}"# : ""
        let response = try await ChatHandler(ScriptedChat("One two three")).respond(request(#""stream": true"# + options))
        #expect(response.status == 200 && response.header("Content-Type") == "text/event-stream")
        let events = try await response.events
        let usage = includesUsage ? #","usage":null"# : ""
        func chunk(_ choices: String, _ usage: String) -> String {
            #"{"choices":[\#(choices)],"created":1700000000,"id":"chatcmpl-0123456789abcdef0123456789abcdef","model":"scripted","object":"chat.completion.chunk"\#(usage)}"#
        }
        func choice(_ delta: String, _ reason: String = "null") -> String {
            #"{"delta":{\#(delta)},"finish_reason":\#(reason),"index":0,"logprobs":null}"#
        }
        var expected = [#""content":"","role":"assistant""#, #""content":"One""#, #""content":" two""#, #""content":" three""#].map {
            chunk(choice($0), usage)
        }
        expected.append(chunk(choice("", #""stop""#), usage))
        if includesUsage {
            expected.append(
                chunk("", #","usage":{"completion_tokens":3,"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":7}"#))
        }
        #expect(events == expected + ["[DONE]"])
    }

    @Test("roles, parts, and what asks for something reach the model")
    func passedOn() async throws {
        let model = ScriptedLanguageModel { _, _ in "yes" }
        let response = try await ChatHandler(ScriptedChat(["scripted": model])).respond(
            request(
                #""max_completion_tokens": 7, "temperature": 1.5, "top_p": 0.25, "seed": 4294967299, "stop": ["a", "b"], "response_format": {"type": "json_object"}"#,
                messages: #"""
                    [{"role": "developer", "content": "d"}, {"role": "system", "content": "s"}, {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "u1 "}, {"type": "text", "text": "u2"}]},
                     {"role": "assistant", "content": "a", "tool_calls": null, "refusal": null}, {"role": "user", "content": ""}]
                    """#))
        #expect(response.status == 200)
        #expect(response.header("Sotto-Ignored") == "messages.name")
        let call = try #require(model.calls.first)
        #expect(call.messages == [.init(.system, "d"), .init(.system, "s"), .init(.user, "u1 u2"), .init(.assistant, "a"), .init(.user, "")])
        #expect(
            call.options
                == GenerationOptions(maximumTokens: 7, temperature: 1.5, topP: 0.25, seed: 3, schema: .anyObject, stopSequences: ["a", "b"]))
    }

    @Test("what the client leaves out is ours: the rest of the context, and chance for a seed")
    func defaults() async throws {
        let model = ScriptedLanguageModel(contextLength: 50) { _, _ in "yes" }
        _ = try await ChatHandler(ScriptedChat(["scripted": model]), configuration: .init(temperature: 0.5, topP: 0.75)).respond(request())
        #expect(model.calls.map(\.options) == [GenerationOptions(maximumTokens: 46, temperature: 0.5, topP: 0.75, seed: 0x89AB_CDEF)])
    }

    @Test("a schema's properties are written in the order of the request")
    func schema() async throws {
        let model = ScriptedLanguageModel { _, _ in "{}" }
        let format =
            #""response_format": {"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "number"}, "m": {"type": "null"}}}}}"#
        #expect(try await ChatHandler(ScriptedChat(["scripted": model])).respond(request(format)).status == 200)
        #expect(model.calls.first?.options.schema == .object([.init("z", .text), .init("a", .number), .init("m", .literal("null"))]))
    }

    @Test(
        "why it ended",
        arguments: [
            (#""max_tokens": 2"#, "One two", "length", 2), (#""max_tokens": 3"#, "One two three", "stop", 3),
            (#""stop": "o th""#, "One tw", "stop", 3),
        ])
    func reasons(more: String, text: String, reason: String, tokens: Int) async throws {
        let object = try await ChatHandler(ScriptedChat("One two three")).respond(request(more)).object
        let choice = try #require((object["choices"] as? [[String: Any]])?.first)
        #expect((choice["message"] as? [String: Any])?["content"] as? String == text)
        #expect(choice["finish_reason"] as? String == reason)
        #expect((object["usage"] as? [String: Any])?["completion_tokens"] as? Int == tokens)
    }

    @Test(
        "too long is refused with exact counts, before the model is asked",
        arguments: [
            ("", 95, "100 tokens. However, your messages resulted in 100 tokens", "messages"),
            (#""max_tokens": 7"#, 89, "you requested 101 tokens (94 in the messages, 7 in the completion)", "max_tokens"),
            (#""max_completion_tokens": 9223372036854775807"#, 1, "more", "max_completion_tokens"),
        ])
    func overflow(more: String, words: Int, message: String, parameter: String) async throws {
        let model = ScriptedLanguageModel(contextLength: 100) { _, _ in "yes" }
        // With the marks of two roles there are five more tokens than words of the user's, whose text begins with a system message of two.
        let content = (0..<words).map { "w\($0)" }.joined(separator: " ")
        let response = try await ChatHandler(ScriptedChat(["scripted": model])).respond(
            request(more, messages: "[{\"role\": \"system\", \"content\": \"be brief\"}, {\"role\": \"user\", \"content\": \"\(content)\"}]"))
        #expect(response.status == 400 && model.calls.isEmpty)
        let error = try await response.error
        #expect(
            error["code"] as? String == "context_length_exceeded" && error["param"] as? String == parameter
                && (error["message"] as? String)?.contains(message) == true, "\(error)")
    }

    @Test("a prompt that just fits is answered")
    func fits() async throws {
        let content = (0..<97).map { "w\($0)" }.joined(separator: " ")
        let response = try await ChatHandler(ScriptedChat("yes no")).respond(request(messages: "[{\"role\": \"user\", \"content\": \"\(content)\"}]"))
        let object = try await response.object
        #expect((object["usage"] as? [String: Any])?["total_tokens"] as? Int == 100)
        #expect((object["choices"] as? [[String: Any]])?.first?["finish_reason"] as? String == "length")
    }

    private static let unsupported: [(String, String)] = [
        (#""tools": [{"type": "function"}]"#, "tools"), (#""functions": [{"name": "f"}]"#, "functions"),
        (#""tool_choice": "required""#, "tool_choice"), (#""n": 2"#, "n"), (#""n": 0"#, "n"),
        (#""n": "1""#, "n"), (#""logprobs": true"#, "logprobs"), (#""top_logprobs": 3"#, "top_logprobs"),
        (#""modalities": ["text", "audio"]"#, "modalities"), (#""audio": {"voice": "x"}"#, "audio"),
        (#""temperature": 2.1"#, "temperature"), (#""temperature": -0.1"#, "temperature"), (#""temperature": "1""#, "temperature"),
        (#""temperature": true"#, "temperature"), (#""top_p": 1.01"#, "top_p"),
        (#""max_tokens": 0"#, "max_tokens"), (#""max_tokens": 1.5"#, "max_tokens"), (#""max_tokens": 3, "max_completion_tokens": 3"#, "max_tokens"),
        (#""max_completion_tokens": -4"#, "max_completion_tokens"),
        (#""seed": 1.5"#, "seed"), (#""seed": "x""#, "seed"), (#""stop": ["a", "b", "c", "d", "e"]"#, "stop"), (#""stop": """#, "stop"),
        (#""stop": [1]"#, "stop"), (#""stop": {}"#, "stop"),
        (#""stream": 1"#, "stream"), (#""stream": "true""#, "stream"), (#""stream_options": {"include_usage": true}"#, "stream_options"),
        (#""stream": true, "stream_options": {"include_usage": "yes"}"#, "stream_options.include_usage"),
        (#""presence_penalty": 3"#, "presence_penalty"), (#""frequency_penalty": "0""#, "frequency_penalty"),
        (#""response_format": {"type": "xml"}"#, "response_format.type"), (#""response_format": "json""#, "response_format"),
        (#""response_format": {"type": "json_schema"}"#, "response_format.json_schema"),
        (#""response_format": {"type": "json_schema", "json_schema": {"name": "x"}}"#, "response_format.json_schema.schema"),
        (#""response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}"#, "response_format.json_schema.name"),
        (
            #""response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "string", "pattern": "a"}}}"#,
            "response_format.json_schema.schema"
        ),
    ]

    @Test("what is not supported, out of range or of a wrong type is 400 with the field's name", arguments: unsupported)
    func refused(more: String, parameter: String) async throws {
        let model = ScriptedLanguageModel { _, _ in "yes" }
        let response = try await ChatHandler(ScriptedChat(["scripted": model])).respond(request(more))
        let error = try await response.error
        #expect(response.status == 400 && error["type"] as? String == "invalid_request_error", "\(error)")
        #expect(error["param"] as? String == parameter, "\(error)")
        #expect(model.calls.isEmpty)
    }

    private static let misunderstood: [(String, String)] = [
        ("[]", "messages"), ("null", "messages"), ("\"hi\"", "messages"), (#"["hi"]"#, "messages"), (#"[{"content": "x"}]"#, "messages[0].role"),
        (#"[{"role": "user", "content": "x"}, {"role": "king", "content": "x"}]"#, "messages[1].role"),
        (#"[{"role": "tool", "content": "x", "tool_call_id": "1"}]"#, "messages[0].role"), (#"[{"role": "user"}]"#, "messages[0].content"),
        (#"[{"role": "user", "content": null}]"#, "messages[0].content"),
        (#"[{"role": "user", "content": 5}]"#, "messages[0].content"), (#"[{"role": "user", "content": []}]"#, "messages[0].content"),
        (#"[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]"#, "messages[0].content[0].type"),
        (#"[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "input_audio"}]}]"#, "messages[0].content[1].type"),
        (#"[{"role": "user", "content": [{"text": "a"}]}]"#, "messages[0].content[0].type"),
        (#"[{"role": "user", "content": [{"type": "text"}]}]"#, "messages[0].content[0].text"),
        (#"[{"role": "assistant", "content": null, "tool_calls": [{"id": "x"}]}]"#, "messages[0].tool_calls"),
    ]

    @Test("messages that cannot be understood are 400 with their place", arguments: misunderstood)
    func badMessages(messages: String, parameter: String) async throws {
        let response = try await ChatHandler(ScriptedChat("yes")).respond(request(messages: messages))
        let error = try await response.error
        #expect(response.status == 400 && error["param"] as? String == parameter, "\(error)")
    }

    @Test("a body that is no object, is too large, or is of another type")
    func bodies() async throws {
        let handler = ChatHandler(ScriptedChat("yes"), configuration: .init(bodyBytes: 100))
        for body in ["", "[]", "{", "null", "7"] { #expect(try await handler.respond(body).status == 400) }
        #expect(try await handler.respond(String(repeating: " ", count: 101)).status == 413)
        #expect(try await handler.respond("{}", type: "text/plain").status == 415)
        #expect(try await handler.respond("{}").error["param"] as? String == "model")
    }

    @Test("a model that nobody knows is 404, one that is not installed 503")
    func models() async throws {
        let handler = ChatHandler(ScriptedChat("yes"))
        let unknown = try await handler.respond(#"{"model": "gpt-9", "messages": [{"role": "user", "content": "x"}]}"#)
        #expect(unknown.status == 404)
        #expect(try await unknown.error["code"] as? String == "model_not_found")
        let absent = try await handler.respond(#"{"model": "absent", "messages": [{"role": "user", "content": "x"}], "stream": true}"#)
        #expect(absent.status == 503)
        #expect(try await absent.error["code"] as? String == "model_not_installed")
    }

    @Test("fields without effect are named, and cannot write headers")
    func ignored() async throws {
        let response = try await ChatHandler(ScriptedChat("yes")).respond(
            request(
                #""presence_penalty": 0.5, "frequency_penalty": 0, "logit_bias": {"1": 2}, "user": "u", "tools": [], "tool_choice": "none", "logprobs": false, "n": 1, "evil\r\nSet-Cookie: a": 1"#
            ))
        #expect(response.status == 200)
        #expect(response.header("Sotto-Ignored") == "evil??Set-Cookie:?a, logit_bias, user, presence_penalty")
    }

    @Test("an engine that fails: a status while there is time, an event afterwards, and then no end that looks whole")
    func failures() async throws {
        let model = ScriptedLanguageModel(steps: { _, _ in [.text("One two"), .fail(LanguageModelError(.engineFailed, "the engine broke"))] })
        let handler = ChatHandler(ScriptedChat(["scripted": model]))
        let whole = try await handler.respond(request())
        #expect(whole.status == 500)
        #expect(try await whole.error["message"] as? String == "the engine broke")
        let events = try await handler.respond(request(#""stream": true"#)).events
        #expect(events.count == 4 && events.last == #"{"error":{"code":null,"message":"the engine broke","param":null,"type":"server_error"}}"#)
    }

    @Test("a client that leaves a stream stops the model", .timeLimit(.minutes(1)))
    func leaving() async throws {
        let (stopped, stopping) = AsyncStream.makeStream(of: Bool.self)
        let response = try await ChatHandler(engines: Endless(stopping)).respond(request(#""stream": true"#))
        guard case .stream(let stream) = response.body else { return #expect(Bool(false), "a stream is expected") }
        var count = 0
        for try await _ in stream {
            count += 1
            if count == 5 { break }
        }
        for await isCancelled in stopped {
            #expect(isCancelled)
            break
        }
    }

    @Test("a client that leaves while it waits for the whole stops the model", .timeLimit(.minutes(1)))
    func leavingWhole() async throws {
        let (stopped, stopping) = AsyncStream.makeStream(of: Bool.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let handler = ChatHandler(engines: Endless(stopping, beginning))
        let text = request()
        let task = Task { try await handler.respond(text) }
        for await _ in begun { break }
        task.cancel()
        for await isCancelled in stopped {
            #expect(isCancelled)
            break
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("models are listed, found and missed")
    func list() async throws {
        let models = [ServedModel(id: "qwen", created: 5, ownedBy: "sotto"), ServedModel(id: "a/b", created: 6, ownedBy: "sotto")]
        #expect(
            String(decoding: try await ServiceResponse.models(models).bytes, as: UTF8.self)
                == #"{"data":[{"created":5,"id":"qwen","object":"model","owned_by":"sotto"},{"created":6,"id":"a/b","object":"model","owned_by":"sotto"}],"object":"list"}"#
        )
        #expect(try await ServiceResponse.model("a/b", among: models).object["created"] as? Int == 6)
        #expect(ServiceResponse.model("c", among: models).status == 404)
    }
}

/// Writes until it is cancelled, and says so.
private struct Endless: ChatEngines, LanguageModel, LanguageModelSession {
    let name = "endless"
    let contextLength = 1_000_000
    let stopping: AsyncStream<Bool>.Continuation
    let beginning: AsyncStream<Void>.Continuation?

    init(_ stopping: AsyncStream<Bool>.Continuation, _ beginning: AsyncStream<Void>.Continuation? = nil) {
        self.stopping = stopping
        self.beginning = beginning
    }

    func languageModel(_ model: String) async throws -> any LanguageModel { self }
    func tokenCount(_ text: String) async throws -> Int { 1 }
    func tokenCount(_ messages: [ChatMessage]) async throws -> Int { 1 }
    func makeSession() async throws -> any LanguageModelSession { self }

    func respond(to messages: [ChatMessage], options: GenerationOptions) -> GenerationStream {
        GenerationStream { emit in
            do {
                while true {
                    try await emit(.text("and "))
                    beginning?.yield()
                }
            } catch {
                stopping.yield(error is CancellationError)
                throw error
            }
        }
    }
}
