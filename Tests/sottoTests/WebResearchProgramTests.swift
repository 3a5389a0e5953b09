import Foundation
import Testing

private struct Answer: Decodable {
    struct Source: Decodable {
        var location: String
        var level: String
        var reason: String
        var published: String?
    }
    struct Web: Decodable {
        var read: Int
        var failed: Int
        var searches: [Search]
    }
    struct Search: Decodable {
        var query: String
        var verdict: String
    }
    struct Claim: Decodable { var text: String }
    var status: String
    var sources: [Source]
    var claims: [Claim]
    var web: Web?
    var findings: String
}

private struct Ledger: Decodable {
    struct Row: Decodable {
        var url: String
        var purpose: String
        var origin: String
        var job: Int64?
    }
    var requests: [Row]
}

/// The web as one server that is its proxy: two pages, a search engine that finds them and one that is gone, and nothing else.
private func web() throws -> RecordedServer {
    try RecordedServer { target in
        if target.contains("/search?") {
            let hits = ["http://lights.example/hexham?utm_source=mail", "http://gone.example/page"].map {
                #"{"title": "Hexham lighthouse", "url": "\#($0)", "content": "A lighthouse."}"#
            }
            return .init(body: Array(#"{"query": "x", "results": [\#(hits.joined(separator: ","))], "unresponsive_engines": []}"#.utf8))
        }
        guard target.hasPrefix("http://lights.example/hexham") else { return .init(status: 404, type: "text/html", body: Array("<p>no</p>".utf8)) }
        let more = String(repeating: "<p>The keepers of the tower rowed to the village every week and told what they had seen at sea.</p>", count: 12)
        let page = """
            <!doctype html><html lang="en"><head><title>Hexham lighthouse</title><meta property="article:published_time" content="2024-03-02T08:00:00Z"></head>
            <body><article><h1>Hexham lighthouse</h1><p>The Hexham lighthouse is 41 metres tall and was built in 1874.</p>\(more)</article></body></html>
            """
        return .init(type: "text/html; charset=utf-8", body: Array(page.utf8))
    }
}

extension RealProgram {
    @Suite struct WebResearchProgramTests {
        private let question = "How tall is the Hexham lighthouse?"

        private func program(_ server: RecordedServer) throws -> Program {
            let program = try Program(allowsWeb: true)
            let settings = ["proxy": server.address, "searxngAddress": server.address, "searchProviders": "searxng"]
            _ = try program.file(".config/sotto/config.json", try JSONSerialization.data(withJSONObject: settings))
            return program
        }

        @Test("a question is searched on the web, its pages are read, and every request is in the ledger")
        func ask() async throws {
            let server = try web()
            defer { server.stop() }
            let program = try program(server)
            defer { program.remove() }
            let none = ["SOTTO_MODELS": program.home + "/none"]
            let result = try await program.run("ask", question, "--json", environment: none)
            #expect(result.status == 0, "\(result.errors)")
            let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
            #expect(answer.status == "digest")
            #expect(answer.claims.contains { $0.text.contains("41 metres tall") })
            #expect(answer.sources.map(\.level) == ["full", "failed"])
            #expect(answer.sources[0].location == "http://lights.example/hexham")
            #expect(answer.sources[0].published?.hasPrefix("2024-03-02") == true)
            #expect(answer.web?.read == 1 && answer.web?.failed == 1)
            #expect(answer.web?.searches.map(\.query) == [question])
            #expect(result.errors.contains("1 search of the web, 1 page read, 1 could not be read"))
            let ledger = try JSONDecoder().decode(Ledger.self, from: Data(try await program.run("ledger", "--json").output.utf8))
            #expect(ledger.requests.contains { $0.url.hasPrefix("http://lights.example/hexham") && $0.purpose == "page" && $0.origin.contains("searxng") })
            #expect(ledger.requests.contains { $0.purpose == "search" && $0.origin.contains("task") })
        }

        @Test("--no-web and --library ask nothing of the web, and with nowhere to look the error says what to do")
        func home() async throws {
            let server = try web()
            defer { server.stop() }
            let program = try program(server)
            defer { program.remove() }
            let none = ["SOTTO_MODELS": program.home + "/none"]
            let empty = try await program.run("ask", question, "--no-web", environment: none)
            #expect(empty.status == 1 && empty.errors.contains("sotto library add"))
            _ = try program.file("docs/note.md", Data("The spare key hangs behind the boathouse door.".utf8))
            let named = try await program.run("ask", "Where does the spare key hang?", "--library", program.home + "/docs", environment: none)
            #expect(named.status == 0, "\(named.errors)")
            _ = try await program.run("settings", "set", "research", "off")
            let off = try await program.run("ask", "Where does the spare key hang?", environment: none)
            #expect(off.status == 0 && off.output.contains("boathouse"))
            #expect(server.targets.isEmpty)
        }

        @Test("a job's requests carry its number; when search is down, it ends short of the request and says why")
        func jobs() async throws {
            let server = try web()
            defer { server.stop() }
            let program = try program(server)
            defer { program.remove() }
            let none = ["SOTTO_MODELS": program.home + "/none"]
            #expect(try await program.run("agents", "add", question).status == 0)
            let run = try await program.run("agents", "run", "--until-idle", environment: none)
            #expect(run.status == 0, "\(run.errors)")
            let ledger = try JSONDecoder().decode(Ledger.self, from: Data(try await program.run("ledger", "--json").output.utf8))
            #expect(ledger.requests.isEmpty == false && ledger.requests.allSatisfy { $0.job == 1 })
            _ = try await program.run("settings", "set", "searxngAddress", "http://127.0.0.1:9")
            _ = try await program.run("settings", "set", "proxy", "")
            #expect(try await program.run("agents", "add", "Who painted the Hexham lighthouse?").status == 0)
            #expect(try await program.run("agents", "run", "--until-idle", environment: none).status == 0)
            let shown = try await program.run("agents", "show", "2")
            #expect(shown.output.contains("could not be searched") && shown.output.contains("searxng"), "\(shown.output)")
        }
    }
}
