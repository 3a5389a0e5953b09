import Foundation
import SottoHTTPServer
import SottoServing
import SottoStreams
import SottoSubprocess

/// A real server on a free port of loopback, and clients in Python that know nothing of it.
struct TestServer: Sendable {
    let server: HTTPServer
    let port: Int

    static let clients = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients").path

    /// Runs `body` beside a server, and stops it gracefully.
    static func with<Value: Sendable>(
        limits: ServerLimits = ServerLimits(), routes: [Route], socket: ListeningSocket? = nil, _ body: (TestServer) async throws -> Value
    ) async throws -> Value {
        let socket = try socket ?? ListeningSocket.loopback(port: 0)
        let port = socket.port
        let policy = SecurityPolicy(
            hosts: SecurityPolicy.loopbackHosts(port: port), scheme: socket.certificate == nil ? "http" : "https", key: Secret("the-key"),
            cookieName: "sotto-\(port)", isSession: { $0 == "living" })
        var limits = limits
        // The clients of a test come as fast as they can.
        limits.requestsPerSecond = max(limits.requestsPerSecond, 100_000)
        let server = HTTPServer(socket: socket, router: Router(routes), policy: policy, limits: limits)
        async let running: Void = server.run()
        do {
            let value = try await body(TestServer(server: server, port: port))
            server.stop()
            try await running
            return value
        } catch {
            server.stop()
            try await running
            throw error
        }
    }

    /// Runs a client to its end; its JSON.
    func client(_ name: String, _ arguments: [String] = [], input: [UInt8] = []) async throws -> JSONObject {
        let output = try await Subprocess.run(
            Subprocess.Request("python3", ["\(Self.clients)/\(name).py", String(port)] + arguments, input: input.isEmpty ? .none : .bytes(input)))
        return try JSONObject(output.checked())
    }

    /// What the raw client got for a text; `PORT` in it becomes the port.
    func raw(_ text: String, bytewise: Bool = false) async throws -> (statuses: [Int], text: String) {
        let result = try await client("raw", [bytewise ? "bytewise" : "whole"], input: Array(text.replacing("PORT", with: String(port)).utf8))
        return (result.integers("statuses"), result.string("text"))
    }
}

/// What a client printed.
struct JSONObject: @unchecked Sendable {
    // Of property-list values, which nobody changes.
    let values: [String: Any]

    init(_ bytes: [UInt8]) throws {
        values = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }

    func string(_ name: String) -> String { values[name] as? String ?? "" }
    func integer(_ name: String) -> Int { (values[name] as? NSNumber)?.intValue ?? -1 }
    func isTrue(_ name: String) -> Bool { (values[name] as? NSNumber)?.boolValue ?? false }
    func integers(_ name: String) -> [Int] { (values[name] as? [Any] ?? []).compactMap { ($0 as? NSNumber)?.intValue } }
    func list(_ name: String) -> [Any] { values[name] as? [Any] ?? [] }
    func fields(_ name: String) -> [String: String] { values[name] as? [String: String] ?? [:] }
}

/// Opens once, for all who wait.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
