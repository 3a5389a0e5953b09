import Foundation
import Testing

private struct Listing: Decodable {
    struct Hit: Decodable {
        var title: String
        var address: String
        var snippet: String
        var provider: String
        var date: String?
        var alsoFoundBy: [String]
    }
    struct Attempt: Decodable {
        var provider: String
        var outcome: String
        var asked: Bool
        var cause: String
        var page: String?
    }
    var schemaVersion: Int
    var verdict: String?
    var hits: [Hit]?
    var attempts: [Attempt]?
    var providers: [Attempt]?
}

extension RealProgram {
    @Suite struct SearchTests {
        private static let engines = """
            {"query": "harbor ferry", "results": [
              {"title": "Ferries of the harbor", "url": "https://ferries.example/times?utm_source=feed&line=2", "content": "The ferry leaves at 07:15 and 12:40.", "publishedDate": "2026-03-01T00:00:00Z"},
              {"title": "Old harbor", "url": "https://harbor.example/", "content": "A harbor since 1601."},
              {"title": "Other scheme", "url": "gopher://harbor.example/"}], "unresponsive_engines": []}
            """

        private static func kiwix(_ name: String) throws -> [UInt8] {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return [UInt8](try Data(contentsOf: tests.appendingPathComponent("SottoSearchTests/Fixtures/" + name)))
        }

        private func listing(_ text: String) throws -> Listing { try JSONDecoder().decode(Listing.self, from: Data(text.utf8)) }

        @Test("the built program searches a SearXNG and an archive of the user's own, at private addresses")
        func servers() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let searXNG = try RecordedServer { _ in .init(body: Array(Self.engines.utf8)) }
            let page = try Self.kiwix("kiwix-harbor.html")
            let kiwix = try RecordedServer { _ in .init(type: "text/html; charset=utf-8", body: page) }
            defer {
                searXNG.stop()
                kiwix.stop()
            }
            #expect(try await program.run("settings", "set", "searxngAddress", searXNG.address).status == 0)
            #expect(try await program.run("settings", "set", "kiwixAddress", kiwix.address + "/").status == 0)
            let result = try await program.run("search", "harbor ferry", "--json", "--limit", "4", "--language", "en")
            #expect(result.status == 0, "\(result.errors)")
            let found = try listing(result.output)
            #expect(found.schemaVersion == 1 && found.verdict == "found")
            // In turn, tracking keys gone, the query kept.
            #expect(
                found.hits?.map(\.address) == [
                    "https://ferries.example/times?line=2", kiwix.address + "/harbor/index.html", "https://harbor.example/",
                    kiwix.address + "/harbor/ferry.html",
                ])
            #expect(found.hits?.first?.date == "2026-03-01T00:00:00Z")
            #expect(found.hits?.last?.snippet.contains("18:05") == true)
            #expect(searXNG.targets == ["/search?q=harbor%20ferry&format=json&language=en"])
            #expect(kiwix.targets == ["/search?pattern=harbor%20ferry&pageLength=4"])
            let text = try await program.run("search", "harbor ferry")
            #expect(text.output.contains("1. Ferries of the harbor\n   https://ferries.example/times?line=2\n   The ferry leaves"))
            // Both requests stand in the ledger.
            let ledger = try await program.run("ledger", "--json")
            #expect(ledger.output.contains("127.0.0.1") && ledger.output.contains("sotto search"))
        }

        @Test("with research off nothing is asked, and the switch is named")
        func researchOff() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let server = try RecordedServer { _ in .init(body: Array(Self.engines.utf8)) }
            defer { server.stop() }
            _ = try await program.run("settings", "set", "searxngAddress", server.address)
            _ = try await program.run("settings", "set", "research", "off")
            let result = try await program.run("search", "harbor", "--provider", "searxng")
            #expect(result.status == 1)
            #expect(result.errors.contains("sotto settings set research on"))
            #expect(server.targets.isEmpty)
        }

        @Test("a server that redirects elsewhere in the private network is not followed")
        func redirect() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let canary = try RecordedServer { _ in .init(body: Array(Self.engines.utf8)) }
            defer { canary.stop() }
            let target = canary.address
            let server = try RecordedServer { _ in .init(status: 302, type: "text/html\r\nLocation: \(target)/search", body: []) }
            defer { server.stop() }
            _ = try await program.run("settings", "set", "searxngAddress", server.address)
            let result = try await program.run("search", "harbor", "--provider", "searxng", "--json")
            #expect(result.status == 1)
            #expect(try listing(result.output).verdict == "failed")
            #expect(server.targets.count == 1 && canary.targets.isEmpty)
        }

        @Test(
            "each trouble has its name, its cause and its remedy",
            arguments: [
                (403, "text/html", "<html>", "misconfigured", "settings.yml"),
                (200, "text/html", "<!doctype html><html><body>Welcome", "misconfigured", "searxngAddress"),
                (429, "text/plain", "", "rateLimited", "too many"),
                (502, "text/html", "", "unreachable", "HTTP 502"),
                (200, "application/json", "{\"results\":{}}", "unrecognized", "no list of results"),
                (200, "application/json", "{\"results\":[],\"unresponsive_engines\":[[\"google\",\"CAPTCHA\"]]}", "blocked", "google (CAPTCHA)"),
            ])
        func check(status: Int, type: String, body: String, outcome: String, hint: String) async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let server = try RecordedServer { _ in .init(status: status, type: type, body: Array(body.utf8)) }
            defer { server.stop() }
            _ = try await program.run("settings", "set", "searxngAddress", server.address)
            let result = try await program.run("search", "--check", "--provider", "searxng", "--json")
            #expect(result.status == 1)
            let attempt = try #require(try listing(result.output).providers?.first)
            #expect(attempt.outcome == outcome)
            #expect(attempt.cause.contains(hint))
            if outcome == "unrecognized" {
                // The page is kept for a bug report, for its owner alone.
                let kept = try #require(attempt.page)
                #expect(try String(contentsOfFile: kept, encoding: .utf8) == body)
                #expect(try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int == 0o600)
            }
            // Who does not want us is not asked again, in another run of the program either.
            let again = try await program.run("search", "harbor", "--provider", "searxng", "--json")
            #expect(again.status == 1)
            let isRefused = ["blocked", "rateLimited", "unrecognized"].contains(outcome)
            #expect(try listing(again.output).attempts?.first?.asked == !isRefused)
            #expect(server.targets.count == (isRefused ? 1 : 2))
        }

        @Test("nothing found is an answer, with status 0")
        func nothingFound() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let page = try Self.kiwix("kiwix-none.html")
            let server = try RecordedServer { _ in .init(type: "text/html; charset=utf-8", body: page) }
            defer { server.stop() }
            _ = try await program.run("settings", "set", "kiwixAddress", server.address)
            let result = try await program.run("search", "zzqqxx", "--provider", "kiwix", "--json")
            #expect(result.status == 0)
            #expect(try listing(result.output).verdict == "nothingFound")
        }

        @Test("without a server and a key each provider says what is missing, quickly")
        func unconfigured() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let clock = ContinuousClock()
            let start = clock.now
            let closed = try RecordedServer { _ in .init(body: []) }
            closed.stop()
            _ = try await program.run("settings", "set", "searxngAddress", closed.address)
            let result = try await program.run("search", "harbor", "--provider", "searxng", "--provider", "brave", "--provider", "kiwix", "--json")
            #expect(clock.now - start < .seconds(20))
            #expect(result.status == 1)
            let attempts = try #require(try listing(result.output).attempts)
            #expect(attempts.map(\.outcome) == ["unreachable", "misconfigured", "misconfigured"])
            #expect(attempts[1].cause.contains("sotto settings secret brave-api-key"))
            #expect(attempts[2].cause.contains("kiwixAddress"))
        }

        @Test("a secret is kept from standard input, never shown, and forgotten on demand")
        func secret() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let kept = try await program.run("settings", "secret", "brave-api-key", input: Array("  s3cret-key\n".utf8))
            #expect(kept.status == 0 && (kept.output + kept.errors).contains("s3cret") == false)
            let file = program.home + "/.config/sotto/secrets.json"
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("s3cret-key"))
            #expect(try await program.run("settings", "list").output.contains("s3cret") == false)
            #expect(try await program.run("settings", "secret", "brave-api-key", "--remove").status == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("s3cret") == false)
            #expect(try await program.run("settings", "secret", "brave-api-kye", input: Array("x".utf8)).errors.contains("brave-api-key"))
        }

        @Test(
            "a wrong call has status 2 and names what was meant",
            arguments: [
                (["search"], "words"), (["search", "x", "--limit", "99"], "1 to 50"), (["search", "x", "--language", "english"], "--language"),
                (["search", "x", "--fresh", "decade"], "--fresh"), (["search", "--check", "x"], "--check"),
                (["search", "x", "--providr", "y"], "--provider"),
            ])
        func usage(words: [String], hint: String) async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let result = try await program.run(words)
            #expect(result.status == 2)
            #expect(result.errors.contains(hint))
        }

        @Test("an unknown provider names the nearest one")
        func unknown() async throws {
            let program = try Program(allowsWeb: true)
            defer { program.remove() }
            let result = try await program.run("search", "x", "--provider", "duckduckgoo")
            #expect(result.status == 1 && result.errors.contains("\"duckduckgo\""))
            let set = try await program.run("settings", "set", "searchProviders", "brave, google")
            #expect(set.status == 1 && set.errors.contains("google"))
        }
    }
}
