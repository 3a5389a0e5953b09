import Foundation
import SottoSubprocess
import SottoText
import Testing

/// All that runs the built program: one after the other, for two cores are few.
@Suite(.serialized, .enabled(if: Program.isBuilt, "the program is not built"))
struct RealProgram {}

extension RealProgram {
    @Suite struct ProgramTests {
        @Test("a wrong call has status 2 and names what was meant", arguments: [(["libary"], "library"), (["ask", "--jsn", "x"], "--json"), (["ask"], "question")])
        func usage(words: [String], hint: String) async throws {
            let program = try Program()
            defer { program.remove() }
            var request = Subprocess.Request(Program.path, words)
            request.environment = ["HOME": program.home, "PATH": "/usr/bin:/bin"]
            let result = try await Subprocess.run(request)
            #expect(result.status == .exited(2))
            #expect(String(decoding: result.standardError, as: UTF8.self).contains(hint))
            #expect(result.standardOutput.isEmpty)
        }

        @Test("a question to an empty library says how to fill it")
        func emptyLibrary() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("ask", "Where is the key?")
            #expect(result.status == 1)
            #expect(result.errors.contains("sotto library add DIR"))
            #expect(result.output.isEmpty)
        }

        @Test("files that cannot be read are named, and do not stop the others")
        func badFiles() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try program.file("notes/empty.html", Data())
            _ = try program.file("notes/bytes.txt", Data((0..<4096).map { UInt8($0 * 7 & 255) }))
            _ = try program.file("notes/key.md", Data("# Keys\n\nThe spare key of the boathouse hangs behind the blue door.\n".utf8))
            let added = try await program.run("library", "add", program.home + "/notes")
            #expect(added.status == 0)
            #expect(added.errors.contains("empty.html"))
            #expect(added.errors.contains("bytes.txt"))
            let found = try await program.run("library", "search", "spare boathouse key", "--json")
            #expect(found.status == 0)
            #expect(found.output.contains("behind the blue door"))
            let gone = try await program.run("library", "add", program.home + "/nowhere")
            #expect(gone.status == 1)
            #expect(gone.errors.contains("nowhere"))
        }

        @Test("no language model: the digest says so, and its sentences are the source's")
        func digest() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try program.file("notes/key.md", Data("# Keys\n\nThe spare key of the boathouse hangs behind the blue door.\n".utf8))
            _ = try await program.run("library", "add", program.home + "/notes")
            let result = try await program.run("ask", "Where does the spare key of the boathouse hang?", environment: ["SOTTO_MODELS": program.home + "/none"])
            #expect(result.status == 0)
            #expect(result.output.contains("Extractive digest"))
            #expect(result.output.contains("The spare key of the boathouse hangs behind the blue door. [1]"))
            #expect(result.errors.contains("sotto models pull"))
        }

        @Test("a result's place is checked before any work is done")
        func unwritable() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("say", "Hello.", "--output", program.home + "/no/such/folder/a.wav")
            #expect(result.status == 1)
            #expect(result.errors.contains("there is no folder"))
        }

        @Test("a model that is missing is named, with the command that brings it")
        func missingModel() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("say", "Hello.", "--output", program.home + "/a.wav", environment: ["SOTTO_MODELS": program.home + "/none"])
            #expect(result.status == 1)
            #expect(result.errors.contains("sotto models pull kokoro-82m-int8"))
            #expect(FileManager.default.fileExists(atPath: program.home + "/a.wav") == false)
        }

        @Test("the whole way: speech to question to checked answer to speech", .enabled(if: Program.hasModels, "needs the small set of models"))
        func wholeWay() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try program.file("notes/key.md", Data("# Keys\n\nThe spare key of the boathouse hangs behind the blue door.\n".utf8))
            _ = try await program.run("library", "add", program.home + "/notes")
            let wav = program.home + "/question.wav"
            let said = try await program.run("say", "Where does the spare key hang?", "--output", wav)
            #expect(said.status == 0)
            let heard = try await program.run("transcribe", wav)
            #expect(heard.status == 0)
            let score = WordErrorRate(reference: Terms.tokens("Where does the spare key hang?"), hypothesis: Terms.tokens(heard.output))
            #expect(score.rate <= 0.34)
            let settings = ["languageModel": "smollm2-135m-instruct-q4_1", "research": "off"]
            _ = try program.file(".config/sotto/config.json", try JSONSerialization.data(withJSONObject: settings))
            let answered = try await program.run("ask", "--listen", wav, "--speak", program.home + "/answer.wav", "--json")
            #expect(answered.status == 0)
            let result = try #require(try JSONSerialization.jsonObject(with: Data(answered.output.utf8)) as? [String: Any])
            #expect(result["schemaVersion"] as? Int == 1)
            #expect(result["model"] as? String == "smollm2-135m-instruct-q4_1")
            #expect((result["sources"] as? [[String: Any]])?.first?["location"] as? String == program.home + "/notes/key.md")
            #expect(try Data(contentsOf: URL(fileURLWithPath: program.home + "/answer.wav")).prefix(4) == Data("RIFF".utf8))
        }

        @Test("silence asks nothing and invents nothing", .enabled(if: Program.hasModels, "needs the small set of models"))
        func silence() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try program.file("notes/key.md", Data("# Keys\n\nThe spare key hangs behind the blue door.\n".utf8))
            _ = try await program.run("library", "add", program.home + "/notes")
            var header = Data("RIFF".utf8) + Data([0x24, 0xFA, 0, 0]) + Data("WAVEfmt ".utf8)
            header += Data([16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0]) + Data("data".utf8) + Data([0, 0xFA, 0, 0])
            let wav = try program.file("silence.wav", header + Data(count: 64_000))
            let heard = try await program.run("transcribe", wav)
            #expect(heard.status == 0)
            #expect(heard.output.isEmpty)
            #expect(heard.errors.contains("no speech"))
            let asked = try await program.run("ask", "--listen", wav)
            #expect(asked.status == 1)
            #expect(asked.errors.contains("nothing was asked"))
            let empty = try program.file("empty.wav", Data())
            #expect(try await program.run("transcribe", empty).status == 1)
        }
    }
}
