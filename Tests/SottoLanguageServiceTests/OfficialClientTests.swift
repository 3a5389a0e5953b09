import Foundation
import SottoHTTPServer
import SottoLanguageModels
import SottoLanguageService
import SottoServiceExchange
import SottoServing
import SottoStreams
import SottoSubprocess
import SottoTestSupport
import Testing

enum OfficialClient {
    /// A Python that has it.
    static let python: String? = {
        let candidate = ProcessInfo.processInfo.environment["SOTTO_OPENAI_PYTHON"] ?? "python3"
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = [candidate, "-c", "import openai"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return nil }
        probe.waitUntilExit()
        return probe.terminationStatus == 0 ? candidate : nil
    }()
}

/// OpenAI's own Python client against the handler behind the real server. `SOTTO_OPENAI_PYTHON` names a Python that has it (`pip install openai`).
@Suite(.enabled(if: OfficialClient.python != nil, "needs a Python with the package openai; name it with SOTTO_OPENAI_PYTHON"))
struct OfficialClientTests {
    private func ask(_ what: String, _ models: [String: ScriptedLanguageModel] = [:]) async throws -> [String: Any] {
        let all = models.merging(["scripted": ScriptedLanguageModel { _, _ in "Good day to you" }]) { given, _ in given }
        let handler = ChatHandler(engines: ScriptedChat(all))
        let served = [ServedModel(id: "scripted", created: 1_700_000_000, ownedBy: "sotto")]
        let socket = try ListeningSocket.loopback(port: 0)
        let port = socket.port
        let routes: [Route] = [
            .change(.post, "/v1/chat/completions", body: .json(maximumBytes: 4 << 20)) { request in
                let body = try await request.body.collect()
                return Self.response(try await handler.respond(to: ServiceRequest(headers: [("Content-Type", "application/json")], body: body)))
            },
            .read("/v1/models") { _ in Self.response(.models(served)) },
            .read("/v1/models/:id") { request in Self.response(.model(request.parameters["id"] ?? "", among: served)) },
        ]
        let policy = SecurityPolicy(
            hosts: SecurityPolicy.loopbackHosts(port: port), key: Secret("the-key"), cookieName: "sotto-\(port)", isSession: { _ in false })
        let server = HTTPServer(socket: socket, router: Router(routes), policy: policy)
        async let running: Void = server.run()
        let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients/official.py").path
        let output: Result<[UInt8], any Error>
        do {
            output = .success(
                try await Subprocess.run(Subprocess.Request(OfficialClient.python ?? "python3", [client, String(port), what])).checked())
        } catch {
            output = .failure(error)
        }
        server.stop()
        try await running
        return try JSONSerialization.jsonObject(with: Data(try output.get())) as? [String: Any] ?? [:]
    }

    private static func response(_ response: ServiceResponse) -> HTTPResponse {
        let body: HTTPResponse.Body =
            switch response.body {
            case .whole(let bytes): .whole(bytes)
            case .stream(let stream): .stream(stream)
            }
        return HTTPResponse(status: response.status, headers: HTTPHeaders(response.headers.map { .init($0.name, $0.value) }), body: body)
    }

    @Test("whole answers are of the client's types, strictly, and have nothing that it does not know")
    func whole() async throws {
        let got = try await ask("whole")
        #expect(got["text"] as? String == "Good day to you" && got["reason"] as? String == "stop" && got["object"] as? String == "chat.completion")
        #expect(got["prompt"] as? Int == 6 && got["completion"] as? Int == 4 && got["total"] as? Int == 10)
        #expect(got["extra"] as? [String] == [])
    }

    @Test("streams are read to their end, with usage")
    func stream() async throws {
        let got = try await ask("stream")
        #expect((got["pieces"] as? [Any])?.compactMap { $0 as? String } == ["", "Good", " day", " to", " you"])
        #expect((got["reasons"] as? [Any])?.compactMap { $0 as? String } == ["stop"])
        #expect(got["total"] as? Int == 10 && got["extra"] as? [String] == [])
    }

    @Test("the client's own way to structured answers works: a pydantic model in, one out")
    func schema() async throws {
        let plan = ScriptedLanguageModel { _, options in
            // The shape that a pydantic model with a nested one has.
            let step = GenerationSchema.object([.init("text", .text), .init("score", .any(of: [.number, .literal("null")]))])
            let isAsked = options.schema == .object([.init("title", .text), .init("steps", .array(of: step, minimum: 0, maximum: .max))])
            return isAsked ? #"{"title":"Tea","steps":[{"text":"Boil water","score":null},{"text":"Wait","score":0.5}]}"# : "\(options.schema as Any)"
        }
        let got = try await ask("schema", ["plan": plan])
        #expect(got["title"] as? String == "Tea" && got["steps"] as? [String] == ["Boil water", "Wait"])
    }

    @Test("refusals become the client's own errors")
    func errors() async throws {
        let failing = ScriptedLanguageModel(steps: { _, _ in [.text("One"), .fail(LanguageModelError(.engineFailed, "the engine broke"))] })
        let got = try await ask("errors", ["failing": failing])
        func parts(_ name: String) -> [String] { (got[name] as? [Any] ?? []).map { "\($0)" } }
        #expect(parts("model") == ["NotFoundError", "404", "model_not_found", "model"])
        #expect(parts("tools") == ["BadRequestError", "400", "unsupported_parameter", "tools"])
        #expect(parts("n") == ["BadRequestError", "400", "unsupported_parameter", "n"])
        #expect(parts("length") == ["BadRequestError", "400", "context_length_exceeded", "max_tokens"])
        #expect(parts("absent") == ["InternalServerError", "503", "model_not_installed", "model"])
        #expect(parts("stream") == ["APIError", "the engine broke"])
    }

    @Test("models are listed")
    func models() async throws {
        let got = try await ask("models")
        #expect(got["ids"] as? [String] == ["scripted"] && got["owner"] as? String == "sotto" && got["created"] as? Int == 1_700_000_000)
        #expect((got["missing"] as? NSNumber)?.boolValue == true)
    }

    @Test("a client that closes its stream leaves nothing running: the server stops at once", .timeLimit(.minutes(2)))
    func leave() async throws {
        let endless = ScriptedLanguageModel(contextLength: 100_000) { _, _ in String(repeating: "word ", count: 99_000) }
        let got = try await ask("leave", ["endless": endless])
        #expect((got["pieces"] as? [Any])?.count == 3)
    }
}
