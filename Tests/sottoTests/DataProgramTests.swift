import Foundation
import SottoSubprocess
import Testing

@testable import sotto

extension RealProgram {
    /// What Sotto keeps: shown, handed out, erased.
    @Suite(.timeLimit(.minutes(10))) struct DataProgramTests {
        /// A word that nobody else writes, in several forms that would betray it.
        private static let canary = "Quetzalcoatlus"

        /// Files below the program's folders that hold the bytes of a word, whatever its case.
        private func files(holding word: String, of program: Program) -> [String] {
            DataFolder([program.home]).files.filter { path in
                guard let data = FileManager.default.contents(atPath: path) else { return false }
                let lowered = Data(data.map { (65...90).contains($0) ? $0 + 32 : $0 })
                return lowered.range(of: Data(word.lowercased().utf8)) != nil
            }
        }

        private func show(_ program: Program, _ environment: [String: String] = [:]) async throws -> [String: (
            bytes: Int, items: Int, days: Double?, canErase: Bool
        )] {
            let result = try await program.run(["data", "show", "--json"], environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            #expect(
                object["schemaVersion"] as? Int == 1 && object["folder"] as? String == program.home + "/.local/share/sotto"
                    && (object["freeBytes"] as? Int ?? 0) > 0)
            var parts: [String: (bytes: Int, items: Int, days: Double?, canErase: Bool)] = [:]
            for part in object["parts"] as? [[String: Any]] ?? [] {
                parts[part["id"] as? String ?? ""] = (
                    part["bytes"] as? Int ?? -1, part["items"] as? Int ?? -1, part["days"] as? Double,
                    (part["canErase"] as? NSNumber)?.boolValue ?? false
                )
            }
            return parts
        }

        /// Models of its own: erasing must not reach those of the tests.
        private func program() throws -> (Program, [String: String]) {
            let program = try Program()
            return (program, ["SOTTO_MODELS": program.home + "/models"])
        }

        /// Tasks, a library, a take, settings, secrets, caches: something of each.
        private func fill(_ program: Program) async throws {
            for number in 1...40 {
                let added = try await program.run(
                    "agents", "add", "\(Self.canary) question \(number): \(String(repeating: "why and when? ", count: 20))", "--no-web", "--at",
                    "in 3 hours")
                #expect(added.status == 0, "\(added.errors)")
                // Forty processes are slow; most of the words come with the first ones.
                if number == 4 { break }
            }
            _ = try await program.run("agents", "add", "Again \(Self.canary)?", "--no-web", "--every", "day at 09:00")
            let notes = try program.file(
                "notes/one.md", Data("# \(Self.canary)\n\nThe \(Self.canary) flew over the marshes of Texas, and nobody saw it.\n".utf8))
            #expect(try await program.run("library", "add", URL(fileURLWithPath: notes).deletingLastPathComponent().path).status == 0)
            let take = "\(program.home)/.local/share/sotto/takes/2026-11-01-101112-ab12"
            try FileManager.default.createDirectory(atPath: take, withIntermediateDirectories: true)
            try Data(
                #"{"id": "2026-11-01-101112-ab12", "started": "2026-11-01T10:11:12Z", "state": "finished", "seconds": 1, "text": "\#(Self.canary) again"}"#
                    .utf8
            )
            .write(to: URL(fileURLWithPath: take + "/take.json"))
            try Data(count: 44).write(to: URL(fileURLWithPath: take + "/audio.wav"))
            _ = try program.file(".config/sotto/secrets.json", Data(#"{"brave": "secret-\#(Self.canary)"}"#.utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: program.home + "/.config/sotto/secrets.json")
            _ = try program.file(".config/sotto/replacements.txt", Data("\(Self.canary) = bird\n".utf8))
            _ = try program.file(".cache/sotto/pages/abc", Data("page about \(Self.canary)".utf8))
            _ = try program.file(".cache/sotto/speech/abc.f32", Data("speech \(Self.canary)".utf8))
            _ = try program.file(".cache/sotto/transcripts/abc.jsonl", Data("{\"path\": \"\(Self.canary).wav\"}\n".utf8))
            _ = try program.file(".local/share/sotto/ledger.jsonl", Data("{\"model\": \"\(Self.canary)\"}\n".utf8))
            _ = try program.file(".local/share/sotto/devices.json", Data("[\"\(Self.canary)\"]".utf8))
            _ = try program.file(".local/share/sotto/documents/given.md", Data("A \(Self.canary) given to the app".utf8))
            _ = try program.file("models/silero-vad/silero_vad.onnx", Data("half of \(Self.canary)".utf8))
            _ = try program.file(".local/share/sotto/from-tomorrow.bin", Data("?".utf8))
            _ = try program.file(".local/share/sotto/installation.key", Data("key \(Self.canary)".utf8))
        }

        @Test("every part is shown with its size, its number and its days, also before there is anything")
        func shown() async throws {
            let (program, models) = try program()
            defer { program.remove() }
            let empty = try await program.run(["data", "show", "--json"], environment: models)
            #expect(empty.status == 0, "\(empty.errors)")
            // Looking makes no data.
            #expect(FileManager.default.fileExists(atPath: program.home + "/.local/share/sotto") == false)
            try await fill(program)
            let parts = try await show(program, models)
            #expect(parts["models"]?.items == 1 && parts["models"]?.bytes == "half of \(Self.canary)".utf8.count)
            #expect(Set(parts.keys) == Set(DataPart.allCases.map(\.rawValue)))
            #expect(parts["agents"]?.items == 5 && (parts["agents"]?.bytes ?? 0) >= 4096)
            #expect(parts["library"]?.items == 1 && (parts["library"]?.bytes ?? 0) >= 4096)
            #expect(parts["ledger"]?.items == 1 && parts["ledger"]?.days == 90)
            #expect(parts["takes"]?.items == 1 && parts["takes"]?.days == 7 && (parts["takes"]?.bytes ?? 0) > 44)
            #expect(parts["pages"]?.items == 1 && parts["pages"]?.days == 30 && parts["pages"]?.bytes == "page about \(Self.canary)".utf8.count)
            #expect(
                parts["secrets"]?.items == 1 && parts["settings"]?.items == 2 && parts["key"]?.items == 1 && parts["speech"]?.items == 1
                    && parts["transcripts"]?.items == 1)
            // A file of nobody: seen, and left alone.
            #expect(
                parts["access"]?.items == 1 && (parts["other"]?.items ?? 0) >= 1 && parts["other"]?.canErase == false
                    && parts["agents"]?.canErase == true)
            let text = try await program.run("data", "show")
            #expect(text.output.contains("agents\t5\t") && text.output.contains("for 7 days"))
        }

        @Test("after erasing everything, the words of tasks, documents, recordings and secrets are in no file")
        func erased() async throws {
            let (program, models) = try program()
            defer { program.remove() }
            try await fill(program)
            try FileManager.default.removeItem(atPath: program.home + "/notes")
            // The words are there, so that not finding them means something: in the database, its log, files.
            #expect(files(holding: Self.canary, of: program).count >= 8, "\(files(holding: Self.canary, of: program))")
            let result = try await program.run(["data", "erase", "all", "--yes"], environment: models)
            #expect(result.status == 0, "\(result.errors)")
            #expect(files(holding: Self.canary, of: program) == [])
            // Stemmed or in lower case, as the full-text index holds words.
            #expect(files(holding: "quetzalcoatl", of: program) == [])
            let list = try await program.run("agents", "list")
            #expect(list.status == 0 && list.output.isEmpty, "\(list.output)")
            #expect(try await program.run("library", "search", "marshes").output.isEmpty)
            // Everything still works, and numbers are not given again.
            #expect(try await program.run("agents", "add", "New?", "--at", "in 3 hours").output.trimmingCharacters(in: .newlines) == "5")
        }

        @Test("each part goes for itself", arguments: ["agents", "library", "takes", "pages"])
        func parts(part: String) async throws {
            let (program, models) = try program()
            defer { program.remove() }
            try await fill(program)
            let before = try await show(program)
            let result = try await program.run(["data", "erase", part, "--yes"], environment: models)
            #expect(result.status == 0, "\(result.errors)")
            let after = try await show(program)
            for (id, size) in after
            where ["agents", "library", "takes", "pages", "ledger", "secrets", "settings", "key", "speech", "transcripts"].contains(id) {
                #expect(size.items == (id == part ? 0 : before[id]?.items), "\(id)")
            }
        }

        @Test("a part of the database leaves nothing behind in the file or its log", arguments: [("agents", "question"), ("library", "marshes")])
        func canaries(part: String, word: String) async throws {
            let (program, models) = try program()
            defer { program.remove() }
            try await fill(program)
            try FileManager.default.removeItem(atPath: program.home + "/notes")
            #expect(files(holding: word, of: program).isEmpty == false)
            #expect(try await program.run(["data", "erase", part, "--yes"], environment: models).status == 0)
            #expect(files(holding: word, of: program) == [])
        }

        @Test(
            "without the word nothing is erased, and with it all is",
            arguments: [("", false), ("yes\n", false), ("erase", true), (" Erase \nmore", true)])
        func asked(input: String, goes: Bool) async throws {
            let (program, models) = try program()
            defer { program.remove() }
            _ = try await program.run("agents", "add", "Keep me?", "--at", "in 3 hours")
            let result = try await program.run(["data", "erase", "agents"], input: Array(input.utf8), environment: models)
            #expect(result.status == (goes ? 0 : 1), "\(result.errors)")
            #expect(result.errors.contains("agents\t1\t"))
            #expect(try await program.run("agents", "list").output.contains("Keep me?") == (goes == false))
        }

        @Test(
            "wrong calls say what there is",
            arguments: [
                ["data"], ["data", "erase"], ["data", "erase", "other", "--yes"], ["data", "erase", "agent", "--yes"], ["data", "export"],
                ["data", "show", "--yes"], ["data", "shwo"], ["data", "show", "x"],
            ])
        func wrong(words: [String]) async throws {
            let (program, _) = try program()
            defer { program.remove() }
            let result = try await program.run(words)
            #expect(result.status == 2 && result.errors.contains("usage: sotto data"))
        }

        @Test("the archive has everything that is the user's, readable by others, and no secrets unless wanted", arguments: [false, true])
        func exported(withSecrets: Bool) async throws {
            let (program, models) = try program()
            defer { program.remove() }
            try await fill(program)
            let archive = program.home + "/out/all.zip"
            try FileManager.default.createDirectory(atPath: program.home + "/out", withIntermediateDirectories: true)
            let result = try await program.run(
                ["data", "export", "--output", "out/all.zip"] + (withSecrets ? ["--with-secrets"] : []), environment: models, folder: program.home)
            #expect(result.status == 0, "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: program.home + "/out") == ["all.zip"])
            #expect(try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions] as? Int == 0o600)
            // Python's own readers of ZIP, JSON and SQLite.
            let script = """
                import json, os, sqlite3, sys, tempfile, zipfile
                with zipfile.ZipFile(sys.argv[1]) as z, tempfile.TemporaryDirectory() as folder:
                    assert z.testzip() is None
                    names = sorted(z.namelist())
                    z.extract("sotto.sqlite", folder)
                    base = sqlite3.connect(os.path.join(folder, "sotto.sqlite"))
                    print(json.dumps({
                        "names": names, "check": base.execute("PRAGMA integrity_check").fetchone()[0],
                        "jobs": base.execute("SELECT count(*) FROM jobs").fetchone()[0], "documents": base.execute("SELECT count(*) FROM documents").fetchone()[0],
                        "task": json.loads(z.read("tasks/1.json"))["job"]["title"], "secret": any(b"secret-" in z.read(n) for n in names),
                    }))
                """
            let output = try await Subprocess.run(Subprocess.Request("python3", ["-c", script, archive])).checked()
            let found = try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any])
            let names = Set(found["names"] as? [String] ?? [])
            var expected: Set = [
                "README.md", "sotto.sqlite", "tasks/tasks.json", "tasks/1.json", "tasks/2.json", "tasks/3.json", "tasks/4.json",
                "takes/2026-11-01-101112-ab12/audio.wav",
                "takes/2026-11-01-101112-ab12/take.json", "settings/config.json", "settings/replacements.txt", "transcripts/abc.jsonl",
                "documents/given.md", "ledger/ledger.jsonl",
            ]
            if withSecrets { expected.formUnion(["secrets/secrets.json", "secrets/installation.key"]) }
            #expect(names == expected)
            #expect(found["check"] as? String == "ok" && found["jobs"] as? Int == 4 && found["documents"] as? Int == 1)
            #expect((found["task"] as? String)?.contains(Self.canary) == true)
            #expect((found["secret"] as? NSNumber)?.boolValue == withSecrets)
        }

        @Test("while a process serves, it shows, exports and erases for others")
        func served() async throws {
            let (program, models) = try program()
            defer { program.remove() }
            try await fill(program)
            let owner = try Running(program, ["agents", "run"], environment: models)
            #expect(await owner.writes("Working on the queue"), "\(owner.text)")
            #expect(try await show(program)["agents"]?.items == 5)
            try FileManager.default.createDirectory(atPath: program.home + "/out", withIntermediateDirectories: true)
            let exported = try await program.run("data", "export", "--output", "all.zip", folder: program.home + "/out")
            #expect(exported.status == 0 && FileManager.default.fileExists(atPath: program.home + "/out/all.zip"), "\(exported.errors)")
            try FileManager.default.removeItem(atPath: program.home + "/out")
            try FileManager.default.removeItem(atPath: program.home + "/notes")
            // Asked through the owner, answered by this process's input.
            let refused = try await program.run("data", "erase", "agents", input: Array("no\n".utf8))
            #expect(refused.status == 1 && refused.errors.contains("nothing was erased"))
            let erased = try await program.run("data", "erase", "agents", "library", input: Array("erase\n".utf8))
            #expect(erased.status == 0, "\(erased.errors)")
            #expect(files(holding: "question", of: program) == [])
            #expect(files(holding: "marshes", of: program) == [])
            owner.signal(SIGINT)
            #expect(await owner.status() == 130)
        }
    }
}
