import Foundation
import Glibc
import SottoOwnership
import Testing

@testable import sotto

extension RealProgram {
    /// Owner and guests are processes of the built program, and are treated roughly.
    @Suite(.timeLimit(.minutes(10))) struct OwnerProcessTests {
        private func owner(_ program: Program) async throws -> Running {
            let owner = try Running(program, ["agents", "run"])
            #expect(await owner.writes("Working on the queue"), "\(owner.text)")
            return owner
        }

        @Test("two guests at once, and Ctrl-C ends owner and guests in order")
        func two() async throws {
            let program = try Program()
            defer { program.remove() }
            let owner = try await owner(program)
            async let one = program.run("agents", "add", "What is one?", "--at", "in 3 hours")
            async let two = program.run("agents", "add", "What is two?", "--at", "in 3 hours")
            #expect(try await one.status == 0)
            #expect(try await two.status == 0)
            let watching = try Running(program, ["agents", "show", "1", "--follow"])
            #expect(await watching.writes("queued"))
            owner.signal(SIGINT)
            #expect(await owner.status() == 130)
            #expect(await watching.status() == 130)
            let list = try await program.run("agents", "list")
            #expect(list.status == 0)
            #expect(list.output.contains("What is one?"))
            #expect(list.output.contains("What is two?"))
        }

        @Test("Ctrl-C in a guest ends its command there, and leaves the owner at work", arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let program = try Program()
            defer { program.remove() }
            let owner = try await owner(program)
            _ = try await program.run("agents", "add", "Later?", "--at", "in 3 hours")
            let watching = try Running(program, ["agents", "show", "1", "--follow"])
            #expect(await watching.writes("queued"))
            watching.signal(signal)
            #expect(await watching.status() == 130)
            #expect(watching.text.contains("stopped"))
            #expect(try await program.run("agents", "list").status == 0)
            owner.signal(SIGTERM)
            #expect(await owner.status() == 130)
        }

        @Test("kill -9 of the owner: the guest is told, the stale socket is replaced, nothing is lost")
        func killed() async throws {
            let program = try Program()
            defer { program.remove() }
            let first = try await owner(program)
            _ = try await program.run("agents", "add", "Later?", "--at", "in 3 hours")
            let watching = try Running(program, ["agents", "show", "1", "--follow"])
            #expect(await watching.writes("queued"))
            first.signal(SIGKILL)
            #expect(await first.status() == -SIGKILL)
            #expect(await watching.status() == 1)
            #expect(watching.text.contains("process \(first.processID), which did the work, has ended"))
            let alone = try await program.run("agents", "list")
            #expect(alone.status == 0)
            #expect(alone.output.contains("Later?"))
            #expect(alone.errors.contains("Nobody works"))
            let second = try await owner(program)
            #expect(try await program.run("agents", "add", "And later?", "--at", "in 3 hours").output == "2\n")
            second.signal(SIGINT)
            #expect(await second.status() == 130)
        }

        @Test("a stopped owner gives an error within seconds that names it; when it goes on, so does the work")
        func stopped() async throws {
            let program = try Program()
            defer { program.remove() }
            let owner = try await owner(program)
            owner.signal(SIGSTOP)
            let start = ContinuousClock.now
            let result = try await program.run("agents", "list")
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(result.status == 1)
            #expect(result.errors.contains("kill -CONT \(owner.processID)"))
            owner.signal(SIGCONT)
            #expect(try await program.run("agents", "list").status == 0)
            owner.signal(SIGINT)
            #expect(await owner.status() == 130)
        }

        @Test("a command that writes waits for a short-lived owner, and says for whom; Ctrl-C gives up")
        func waits() async throws {
            let program = try Program()
            defer { program.remove() }
            let ownership = try Ownership(places: try Places(environment: program.environment), environment: program.environment)
            let patient: Running
            do {
                let lock = try #require(try OwnerLock.acquire(ownership.folder, version: Sotto.version))
                let impatient = try Running(program, ["agents", "add", "What is one?"])
                #expect(await impatient.writes("Waiting: process \(getpid())"))
                impatient.signal(SIGINT)
                #expect(await impatient.status() == 130)
                patient = try Running(program, ["agents", "add", "What is two?"])
                #expect(await patient.writes("Waiting: process \(getpid())"))
                withExtendedLifetime(lock) {}
            }
            #expect(await patient.status() == 0)
            let list = try await program.run("agents", "list")
            #expect(list.output.contains("What is two?"))
            #expect(list.output.contains("What is one?") == false)
        }

        @Test("many short-lived owners at once: each waits its turn, and all is kept")
        func crowd() async throws {
            let program = try Program()
            defer { program.remove() }
            let results = try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 1...8 { group.addTask { try await program.run("agents", "add", "What is \(number)?").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == Array(repeating: 0, count: 8))
            let list = try await program.run("agents", "list")
            for number in 1...8 { #expect(list.output.contains("What is \(number)?")) }
        }

        @Test("a run-time folder that others may enter is refused, with the command that mends it")
        func openFolder() async throws {
            let program = try Program()
            defer { program.remove() }
            #expect(try await program.run("agents", "add", "What is one?").status == 0)
            let folder = program.home + "/run/sotto"
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            let result = try await program.run("agents", "list")
            #expect(result.status == 1)
            #expect(result.errors.contains("chmod 700 \(folder)"))
        }

        @Test("bad calls say what is wrong", arguments: [
            (["agents"], 2, "add, list, show"), (["agents", "lists"], 2, "did you mean \"list\"?"), (["agents", "add"], 2, "question"),
            (["agents", "add", "?!"], 2, "question"), (["agents", "add", "Q1", "--at", "yesterday"], 2, "--at:"),
            (["agents", "add", "Q1", "--at", "2001-01-01 10:00"], 2, "over"), (["agents", "add", "Q1", "--every", "now and then"], 2, "--every:"),
            (["agents", "add", "Q1", "--at", "18:00", "--every", "hour"], 2, "not both"), (["agents", "add", "Q1", "--zone", "UTC"], 2, "--zone"),
            (["agents", "add", "Q1", "--at", "18:00", "--zone", "Mars/Base"], 2, "time zone"), (["agents", "add", "Q1", "--library", "/no/such"], 1, "/no/such"),
            (["agents", "add", "Q1", "--mode", "slow"], 2, "quick, balanced, deep"), (["agents", "add", "Q1", "--follow"], 2, "takes no --follow"),
            (["agents", "show"], 2, "needed"), (["agents", "show", "x"], 2, "not a job's number"), (["agents", "show", "99"], 1, "no job 99"),
            (["agents", "show", "s9"], 1, "no schedule s9"), (["agents", "show", "99999999999999999999"], 2, "not a job's number"),
            (["agents", "cancel", "99"], 1, "no job 99"), (["agents", "cancel", "s1"], 2, "remove s1"), (["agents", "retry", "-5"], 2, "unknown option"),
            (["agents", "follow-up", "99", "Q1"], 1, "no job 99"), (["agents", "export", "99"], 1, "no job 99"),
            (["agents", "export", "1", "--format", "pdf"], 2, "markdown, html"), (["agents", "remove", "99"], 1, "no job 99"),
            (["agents", "remove", "s99"], 1, "no schedule s99"), (["agents", "list", "--limit", "0"], 2, "--limit"), (["agents", "run", "fast"], 2, "no words"),
        ])
        func badCalls(words: [String], status: Int32, hint: String) async throws {
            let program = try Program()
            defer { program.remove() }
            let running = try Running(program, words)
            #expect(await running.status() == status)
            #expect(running.text.contains(hint), "\(running.text)")
        }

        @Test("schedules: added, listed with next run and zone, removed")
        func schedules() async throws {
            let program = try Program()
            defer { program.remove() }
            let added = try await program.run("agents", "add", "What is new?", "--every", "day at 9am", "--zone", "america/new_york")
            #expect(added.status == 0)
            #expect(added.output == "s1\n")
            let json = try await program.run("agents", "add", "What else?", "--every", "30 minutes", "--json")
            #expect(json.output.contains("\"schedule\" : 2"))
            let list = try await program.run("agents", "list")
            #expect(list.output.contains("day at 09:00"))
            #expect(list.output.contains("09:00 America/New_York"))
            #expect(list.output.contains("Europe/Berlin"))
            #expect(try await program.run("agents", "show", "s1").output.contains("What is new?"))
            #expect(try await program.run("agents", "remove", "s1").status == 0)
            #expect(try await program.run("agents", "list").output.contains("What is new?") == false)
        }

        @Test("an empty queue and no data folder: list says how to add, and makes nothing")
        func empty() async throws {
            let program = try Program()
            defer { program.remove() }
            let list = try await program.run("agents", "list")
            #expect(list.status == 0)
            #expect(list.errors.contains("sotto agents add"))
            #expect(FileManager.default.fileExists(atPath: program.home + "/.local/share/sotto") == false)
        }
    }
}
