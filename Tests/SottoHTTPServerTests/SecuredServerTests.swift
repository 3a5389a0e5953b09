import Foundation
import SottoHTTPServer
import SottoServing
import SottoSubprocess
import Testing

@Suite struct SecuredServerTests {
    private static let routes: [Route] = [
        .read("/parts/:name") { request in .text(request.parameters["name"] ?? "") },
        .change(.post, "/echo", body: BodyRule(maximumBytes: 64 << 20, contentTypes: ["application/octet-stream"])) { request in
            HTTPResponse(body: .whole(try await request.body.collect()))
        },
        .webSocket("/echo-socket") { _, session in while let message = try await session.next() { try await session.send(message) } },
    ]

    /// A server behind TLS on loopback, and a file with its certificate.
    private static func with(
        limits: ServerLimits = ServerLimits(), _ body: @Sendable (TestServer, ServerCertificate, String) async throws -> Void
    ) async throws {
        let certificate = try ServerCertificate.make(names: ["127.0.0.1", "localhost"], at: Int(Date().timeIntervalSince1970))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try certificate.certificate.write(toFile: file, atomically: true, encoding: .utf8)
        let socket = try ListeningSocket.secured(addresses: ["127.0.0.1"], port: 0, certificate: certificate)
        #expect(socket.address == "https://127.0.0.1:\(socket.port)/")
        try await TestServer.with(limits: limits, routes: routes, socket: socket) { server in try await body(server, certificate, file) }
    }

    @Test("a device that trusts the certificate gets the right server, TLS 1.2 or later, and a clean end; nobody else gets anything")
    func greeting() async throws {
        try await Self.with { server, certificate, file in
            let result = try await server.client("secured", [file, "greeting"])
            #expect(result.string("fingerprint") == certificate.fingerprintText.replacing(":", with: "").lowercased())
            #expect(result.string("version") == "TLSv1.3" && result.string("chosen") == "http/1.1")
            #expect(result.string("answer").hasPrefix("HTTP/1.1 200 OK\r\n") && result.string("answer").hasSuffix("\r\n\r\ngood"))
            let versions = result.list("versions").map { "\($0)" }
            #expect(versions.count == 3 && versions[0] != "none" && versions[1...] == ["none", "none"])
            #expect(result.string("stranger") == "SSLCertVerificationError CERTIFICATE_VERIFY_FAILED")
            #expect(result.string("misnamed") == "SSLCertVerificationError CERTIFICATE_VERIFY_FAILED")
            #expect(result.string("plain").contains("HTTP") == false)
        }
    }

    @Test("curl trusts it by the certificate alone, and only under its names") func curl() async throws {
        try await Self.with { server, _, file in
            let arguments = ["-sS", "--cacert", file, "-H", "Authorization: Bearer the-key"]
            for host in ["127.0.0.1", "localhost"] {
                let good = try await Subprocess.run(Subprocess.Request("curl", arguments + ["-4", "https://\(host):\(server.port)/parts/\(host)"]))
                #expect(String(decoding: good.standardOutput, as: UTF8.self) == host)
            }
            let resolve = ["--resolve", "other.example:\(server.port):127.0.0.1", "https://other.example:\(server.port)/parts/a"]
            let misnamed = try await Subprocess.run(Subprocess.Request("curl", arguments + resolve))
            #expect(misnamed.status != .exited(0) && misnamed.standardOutput.isEmpty)
            let stranger = try await Subprocess.run(Subprocess.Request("curl", ["-sS", "https://127.0.0.1:\(server.port)/parts/a"]))
            #expect(stranger.status != .exited(0) && stranger.standardOutput.isEmpty)
        }
    }

    @Test("much goes both ways, and the connection is kept") func load() async throws {
        try await Self.with { server, _, file in
            let result = try await server.client("secured", [file, "load", String(8 << 20)])
            #expect(result.integer("status") == 200 && result.isTrue("same"))
            #expect(result.string("kept") == "19")
            #expect(server.server.statistics.accepted == 1)
        }
    }

    @Test("a WebSocket of the app's own page works") func webSocket() async throws {
        try await Self.with { server, _, file in
            let result = try await server.client("secured", [file, "websocket"])
            #expect(result.integer("status") == 101 && result.isTrue("same"))
        }
    }

    @Test("a handshake that never ends holds up nobody; its time and a stop end it", arguments: [false, true])
    func stalledHandshake(_ stops: Bool) async throws {
        var limits = ServerLimits()
        limits.idleTime = stops ? .seconds(3_600) : .seconds(2)
        limits.drainTime = .seconds(3_600)
        try await Self.with(limits: limits) { server, _, file in
            let client = try Coprocess(Subprocess.Request("python3", ["\(TestServer.clients)/secured.py", String(server.port), file, "stall"]))
            defer { client.kill() }
            var output: [UInt8] = []
            while output.contains(UInt8(ascii: "}")) == false { output += try await client.read() }
            #expect(try JSONObject(output).string("good") == "good")
            if stops { server.server.stop() }
            client.write([0x0A])
            output = []
            while output.contains(UInt8(ascii: "}")) == false { output += try await client.read() }
            #expect(try JSONObject(output).list("ends").map { "\($0)" } == ["", ""])
        }
    }

    @Test("addresses that are not this machine's, and texts that are none, are refused", arguments: ["192.0.2.1", "example.com", "", "1.2.3"])
    func addresses(_ address: String) throws {
        let certificate = try ServerCertificate.make(names: ["a"], at: 1_796_040_000)
        let error = #expect(throws: ServingError.self) { try ListeningSocket.secured(addresses: [address], port: 0, certificate: certificate) }
        #expect(error?.code == .socketFailed)
    }

    @Test("several addresses share a port") func several() throws {
        let certificate = try ServerCertificate.make(names: ["a"], at: 1_796_040_000)
        let socket = try ListeningSocket.secured(addresses: ["127.0.0.2", "127.0.0.3"], port: 0, certificate: certificate)
        #expect(socket.address == "https://127.0.0.2:\(socket.port)/")
        for address in ["127.0.0.2", "127.0.0.3"] {
            let error = #expect(throws: ServingError.self) {
                try ListeningSocket.secured(addresses: [address], port: socket.port, certificate: certificate)
            }
            #expect(error?.code == .portTaken)
        }
    }
}
