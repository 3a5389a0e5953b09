import Foundation
import SottoSubprocess
import Synchronization
import Testing

/// A client that shares no code with the server: Python's standard library, and `jsonschema`, which judges each answer by `openapi.json`.
enum ServeClient {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients").path

    /// A Python that has what it needs, `Tests/requirements.txt`.
    static let python: String? = {
        let candidate = ProcessInfo.processInfo.environment["SOTTO_API_PYTHON"] ?? "python3"
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = [candidate, "-c", "import jsonschema; jsonschema.Draft202012Validator"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return nil }
        probe.waitUntilExit()
        return probe.terminationStatus == 0 ? candidate : nil
    }()
    static let corpora = ProcessInfo.processInfo.environment["SOTTO_CORPORA"]

    /// One scenario of `Clients/api.py`, once in this process.
    ///
    /// - Returns: The operations that were asked, with the class of each answer, as `agents 2xx`.
    /// - Throws: ``Failed`` with what the client said.
    static func ask(_ scenario: String) async throws -> Set<String> {
        if let known = asked.withLock({ $0[scenario] }) { return known }
        var request = Subprocess.Request(
            "/usr/bin/env", [python ?? "python3", folder + "/api.py", Program.path, scenario, Program.models, corpora ?? ""])
        request.deadline = .seconds(540)
        let result = try await Subprocess.run(request)
        guard result.status == .exited(0) else { throw Failed(message: String(decoding: result.standardError.suffix(4_000), as: UTF8.self)) }
        struct Report: Decodable { var covered: Set<String> }
        let covered = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput)).covered
        asked.withLock { $0[scenario] = covered }
        return covered
    }

    private static let asked = Mutex<[String: Set<String>]>([:])

    struct Failed: Error, CustomStringConvertible {
        var message: String
        var description: String { message }
    }
}

extension RealProgram {
    /// The whole interface of `sotto serve`, with the built program. What each scenario asks is said in `Clients/api.py`.
    @Suite(.serialized, .timeLimit(.minutes(20))) struct ServeProgramTests {
        private static let plain = [
            "openness", "agents", "events", "settings", "sessions", "network", "ports", "bare", "traversal", "bodies", "library",
            "models", "ledger", "data",
        ]
        private static let withModels = ["cancelling", "stopping", "speaking", "voices", "services"]
        private static var hasPython: Bool { ServeClient.python != nil }
        private static var hasModels: Bool { Program.hasModels && FileManager.default.fileExists(atPath: Program.models + "/ge2e/pretrained.pt") }
        private static let needsPython: Comment = "needs a Python with the package jsonschema; name it with SOTTO_API_PYTHON"

        private struct Description: Decodable {
            struct Operation: Decodable { var operationId: String }
            enum Member: Decodable {
                case operation(Operation)
                case other

                init(from decoder: any Decoder) { self = (try? Operation(from: decoder)).map { .operation($0) } ?? .other }
            }
            struct Nothing: Decodable {}
            var paths: [String: [String: Member]]
            var webSockets: [String: Nothing]

            enum CodingKeys: String, CodingKey {
                case paths
                case webSockets = "x-websockets"
            }

            /// By `METHOD PATH`.
            var operations: [String: String] {
                var operations: [String: String] = [:]
                for (path, item) in paths {
                    for case (let method, .operation(let operation)) in item { operations["\(method.uppercased()) \(path)"] = operation.operationId }
                }
                return operations
            }

            static func read() throws -> Description {
                let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Web/openapi.json")
                return try JSONDecoder().decode(Description.self, from: try Data(contentsOf: file))
            }
        }

        @Test("openapi.json describes every route, and no other")
        func routes() async throws {
            let program = try Program()
            defer { program.remove() }
            let listed = try await program.run("serve", "--routes")
            #expect(listed.status == 0 && listed.errors.isEmpty, "\(listed.errors)")
            let lines = Set(listed.output.split(separator: "\n").map(String.init))
            let description = try Description.read()
            let described = Set(description.operations.keys).union(description.webSockets.keys.map { "GET \($0) websocket" })
            #expect(lines.subtracting(described) == [], "routes that are not described")
            #expect(described.subtracting(lines) == [], "what is described and is no route")
            #expect(Set(description.operations.values).count == description.operations.count, "two operations of one name")
        }

        @Test("asked by an independent client", .enabled(if: hasPython, needsPython), arguments: plain)
        func asked(scenario: String) async throws { _ = try await ServeClient.ask(scenario) }

        @Test(
            "asked by an independent client, with models", .enabled(if: hasPython && hasModels, "needs the models, and a Python with jsonschema"),
            arguments: withModels)
        func askedWithModels(scenario: String) async throws { _ = try await ServeClient.ask(scenario) }

        @Test(
            "people's speech is heard whatever the client does",
            .enabled(if: hasPython && hasModels && ServeClient.corpora != nil, "needs the models, SOTTO_CORPORA and jsonschema"))
        func hearing() async throws { _ = try await ServeClient.ask("hearing") }

        @Test(
            "every operation was asked with good and bad input",
            .enabled(if: hasPython && hasModels && ServeClient.corpora != nil, "needs the models, SOTTO_CORPORA and jsonschema"))
        func everything() async throws {
            var covered: Set<String> = []
            for scenario in Self.plain + Self.withModels + ["hearing"] { covered.formUnion(try await ServeClient.ask(scenario)) }
            // No machine of a test is in a network for certain.
            let exceptions: Set = ["pair 2xx"]
            let wanted = Set(try Description.read().operations.values.flatMap { ["\($0) 2xx", "\($0) 4xx"] }).subtracting(exceptions)
            #expect(wanted.subtracting(covered) == [])
        }
    }
}
