import Foundation
import Glibc
import Testing

extension RealProgram {
    /// The web as the command line shows it. A listener on this machine stands for all that must not be reached.
    @Suite struct WebProgramTests {
        /// A socket that listens and is never asked to accept: who connects, waits in its queue.
        private final class Listener: Sendable {
            let socket: Int32
            let port: Int

            init() throws {
                socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var name = sockaddr_in()
                name.sin_family = sa_family_t(AF_INET)
                name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let descriptor = socket
                unsafe withUnsafeMutablePointer(to: &name) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = unsafe bind(descriptor, $0, size)
                        _ = listen(descriptor, 16)
                        _ = unsafe getsockname(descriptor, $0, &size)
                    }
                }
                port = Int(UInt16(bigEndian: name.sin_port))
                _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            }

            deinit { close(socket) }

            var isTouched: Bool { accept(socket, nil, nil) >= 0 }
        }

        private func ledger(_ program: Program) async throws -> [[String: Any]] {
            let result = try await program.run("ledger", "--json", "--limit", "100")
            #expect(result.status == 0)
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect(object?["schemaVersion"] as? Int == 1)
            return try #require(object?["requests"] as? [[String: Any]])
        }

        @Test("an address of this machine is refused with a clear word, and is in the ledger")
        func refused() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let listener = try Listener()
            for host in ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
                let result = try await program.run("page", "http://\(host):\(listener.port)/")
                #expect(result.status == 1 && result.output.isEmpty)
                #expect(result.errors.contains("is not asked: that address belongs to"), "\(result.errors)")
            }
            #expect(listener.isTouched == false)
            let rows = try await ledger(program)
            #expect(rows.filter { $0["purpose"] as? String == "page" }.count == 4)
            #expect(
                rows.allSatisfy { $0["outcome"] as? String == "refused" && $0["reason"] as? String == "forbiddenAddress" && $0["address"] == nil })
            let text = try await program.run("ledger", "--limit", "1")
            #expect(text.output.contains("refused: forbiddenAddress"))
        }

        @Test(
            "with research off, offline, or settings that cannot be read, nothing is opened",
            arguments: [
                (#"{"research": false}"#, "researchOff"), (#"{"offline": true}"#, "offline"), (#"{"research": "perhaps"}"#, "researchOff"),
                (#"{"research": fal"#, "researchOff"),
            ])
        func switches(settings: String, reason: String) async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let listener = try Listener()
            _ = try program.file(".config/sotto/config.json", Data(settings.utf8))
            // Were it asked, the environment would send it to the listener.
            let proxy = "http://127.0.0.1:\(listener.port)"
            let result = try await program.run("page", "http://example.com/", environment: ["http_proxy": proxy, "all_proxy": proxy])
            #expect(result.status == 1)
            #expect(result.errors.contains("nothing is asked of the web"), "\(result.errors)")
            #expect(listener.isTouched == false)
            let rows = try await ledger(program)
            #expect(rows.map { $0["reason"] as? String } == [reason])
            if reason == "offline" {
                let pull = try await program.run("models", "pull")
                #expect(pull.status == 1 && pull.errors.contains("offline"))
            }
        }

        @Test("the two switches are settings like the others")
        func settings() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            #expect(try await program.run("settings", "get", "research").output == "on\n")
            #expect(try await program.run("settings", "set", "research", "off").status == 0)
            #expect(try await program.run("settings", "get", "research").output == "off\n")
            #expect(try await program.run("settings", "set", "offline", "maybe").status == 1)
            #expect(try await program.run("ledger").errors.contains("Nothing has left this machine"))
            let row = #"{"bytes":5,"kind":"model","model":"m","outcome":"failed","reason":"no","source":"https://models.example/m","time":"2026-01-01T00:00:00Z"}"#
            _ = try program.file(".local/share/sotto/ledger.jsonl", Data((row + "\n{broken\n").utf8))
            let rows = try await ledger(program)
            #expect(rows.map { $0["host"] as? String } == ["models.example"] && rows.first?["purpose"] as? String == "model")
            #expect(try await program.run("ledger", "--limit", "0").status == 2)
        }
    }
}
