import Foundation
import Testing

extension RealProgram {
    /// `sotto page` of a web that is one server on this machine, the program's proxy.
    @Suite struct PageProgramTests {
        private static let sentence = "The river rose by two meters in the night, and the people of the lower town carried their belongings to the church. "
        private static let pages = [
            "http://test.example/": "<html><head><title>Just a moment...</title></head><body><p>Verifying you are human.</p><div id=challenge-form></div></body></html>",
            "http://cookies.example/":
                "<html><body><div class=cookie-consent><h2>We value your privacy</h2><p>We and our partners store cookies.</p><button>Accept all</button></div></body></html>",
            "http://rest.example/":
                "<html><body><article><h1>Flood</h1><p>\(sentence)\(sentence)</p><div class=paywall><p>Subscribe to continue reading.</p></div></article></body></html>",
        ]

        private func program() throws -> (Program, RecordedServer) {
            let server = try RecordedServer { target in
                guard let page = Self.pages[target] else { return .init(status: 404, type: "text/plain", body: Array("not here\n".utf8)) }
                return .init(type: "text/html; charset=utf-8", body: Array(page.utf8))
            }
            let program = try Program(allowsWeb: true)
            _ = try program.file(".config/sotto/config.json", try JSONSerialization.data(withJSONObject: ["proxy": server.address]))
            return (program, server)
        }

        @Test(
            "a page that stands in the way is never printed as the page",
            arguments: [("http://test.example/", "shows a test for robots"), ("http://cookies.example/", "only a question about cookies"), ("http://none.example/", "404")])
        func refused(address: String, words: String) async throws {
            let (program, _) = try program()
            defer { program.remove() }
            let result = try await program.run("page", address)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains(words), "\(result.errors)")
        }

        @Test("the beginning of a page whose rest is held back is printed, and said to be one")
        func beginning() async throws {
            let (program, _) = try program()
            defer { program.remove() }
            let result = try await program.run("page", "http://rest.example/")
            #expect(result.status == 0)
            #expect(result.output.contains("The river rose"))
            #expect(result.errors.contains("only the beginning"), "\(result.errors)")
        }

        @Test("a file that looks like such a page is what the user gave, and is read")
        func file() async throws {
            let program = try Program()
            defer { program.remove() }
            let path = try program.file("saved.html", Data(try #require(Self.pages["http://test.example/"]).utf8))
            let result = try await program.run("page", path)
            #expect(result.status == 0)
            #expect(result.output.contains("Verifying you are human"))
        }
    }
}
