import Foundation
import Glibc
import SottoAgents
import SottoJobStore
import SottoOwnership
import SottoStreams
import Testing

@testable import sotto

/// Counts the words of its question: real work, in two steps, that waits where a test wants it to.
private struct WordCounter: JobHandler {
    let kind = "research"
    /// Awaited inside the second step of questions that begin with "wait".
    let gate: CancellationFlag

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        let question = try ResearchJob.read(job.payload).question
        if question.hasPrefix("fail") { throw JobFailure("this question cannot be counted; ask another", isPassing: false) }
        let words = try await steps.step("split", limit: .seconds(30)) { question.split(separator: " ").map(String.init) }
        let count = try await steps.step("count", limit: .seconds(30)) { [gate] in
            if question.hasPrefix("wait") {
                while gate.isCancelled == false { try await Task.sleep(for: .milliseconds(5)) }
            }
            return words.count
        }
        let isShort = count < 3
        return JobResult(
            body: #"{"sources": [{"id": 1, "location": "https://words.example/"}]}"#, findings: "There are \(count) words. [1]", summary: "\(count) words.",
            outcome: isShort ? .short(gaps: ["Too few words."]) : .done)
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? {
        guard let split = steps.first(where: { $0.name == "split" }) else { return nil }
        return JobResult(body: "{}", findings: "Split: \(split.output)", summary: "", outcome: .short(gaps: ["Not counted."]))
    }
}

/// A host in this process, in folders of its own; guests are the built program.
private final class TestHost: Sendable {
    let program: Program
    let gate = CancellationFlag()
    private let task: Task<Void, any Error>

    init(_ program: Program, untilIdle: Bool = false) async throws {
        self.program = program
        // Without models an answer is a digest, which takes no time.
        let environment = program.environment.merging(["SOTTO_MODELS": program.home + "/none"]) { $1 }
        let places = try Places(environment: environment)
        let lock = try await Self.lock(places, environment)
        let console = Console(forwardingTo: { _ in })
        let context = try Context(console: console, environment: environment, role: .host, lock: lock)
        let host = Host(context: context, lock: lock, handlers: [WordCounter(gate: gate)])
        task = Task { try await host.run(untilIdle: untilIdle) }
        let ownership = try Ownership(places: places, environment: environment)
        // A socket tells nobody that it is there.
        while untilIdle == false, try await ownership.host() == nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func lock(_ places: Places, _ environment: [String: String]) async throws -> OwnerLock {
        let ownership = try Ownership(places: places, environment: environment)
        guard case .owner(let lock) = try await ownership.turn(console: Console(forwardingTo: { _ in })) else { throw CommandError("somebody serves already") }
        return lock
    }

    func stop() async {
        task.cancel()
        _ = await task.result
    }

    func end() async throws { try await task.value }
}

private struct Listing: Decodable {
    struct Row: Decodable {
        var id: Int64
        var state: String
        var title: String
        var outcome: String?
        var gaps: [String]
        var parent: Int64?
        var attempt: Int
    }
    struct ScheduleRow: Decodable {
        var id: Int64
        var rule: String
        var zone: String
        var nextRun: String?
    }
    var schemaVersion: Int
    var served: Bool
    var jobs: [Row]
    var schedules: [ScheduleRow]
}

extension Program {
    fileprivate func listing() async throws -> Listing {
        let result = try await run("agents", "list", "--json")
        #expect(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode(Listing.self, from: Data(result.output.utf8))
    }
}

extension RealProgram {
    @Suite(.timeLimit(.minutes(10))) struct HostTests {
        @Test("the life of a job: added, done, shown, exported, followed up, removed")
        func life() async throws {
            let program = try Program()
            defer { program.remove() }
            let host = try await TestHost(program)
            let added = try await program.run("agents", "add", "How many words are these?", "--json")
            #expect(added.status == 0)
            #expect(try JSONSerialization.jsonObject(with: Data(added.output.utf8)) as? [String: Any] != nil)
            #expect(added.output.contains("\"id\" : 1"))
            #expect(added.errors.contains("Nobody works") == false)
            let shown = try await program.run("agents", "show", "1", "--follow")
            #expect(shown.status == 0)
            #expect(shown.output.contains("State: done\n"))
            #expect(shown.output.contains("There are 5 words. [1]"))
            #expect(shown.output.contains("split done"))
            let html = try await program.run("agents", "export", "1", "--format", "html", "--output", "answers", folder: program.home + "/run")
            #expect(html.status == 0)
            // A relative path is the guest's, not the owner's.
            let page = try String(contentsOfFile: program.home + "/run/answers", encoding: .utf8)
            #expect(page.contains(#"<a href="https://words.example/">[1]</a>"#))
            let named = try await program.run("agents", "export", "1", "--output", program.home + "/run")
            #expect(named.status == 0)
            #expect(FileManager.default.fileExists(atPath: program.home + "/run/how-many-words-are-these-1.md"))
            let markdown = try await program.run("agents", "export", "1")
            #expect(markdown.output.contains("There are 5 words. [1]"))
            let followed = try await program.run("agents", "follow-up", "1", "And these?")
            #expect(followed.status == 0)
            #expect(followed.output == "2\n")
            _ = try await program.run("agents", "show", "2", "--follow")
            let listing = try await program.listing()
            #expect(listing.served)
            #expect(listing.jobs.map(\.id) == [2, 1])
            #expect(listing.jobs[0].parent == 1)
            #expect(listing.jobs[0].outcome == "short")
            #expect(listing.jobs[0].gaps == ["Too few words."])
            let table = try await program.run("agents", "list")
            #expect(table.output.contains("done, short of the request (1 gap)"))
            #expect(try await program.run("agents", "remove", "1", "2").status == 0)
            #expect(try await program.listing().jobs.isEmpty)
            await host.stop()
        }

        @Test("cancel ends a running job within a second and keeps what it found; retry goes on; wrong states are told")
        func cancel() async throws {
            let program = try Program()
            defer { program.remove() }
            let host = try await TestHost(program)
            _ = try await program.run("agents", "add", "wait for the gate")
            let watching = try Running(program, ["agents", "show", "1", "--follow"])
            #expect(await watching.writes("count begun"))
            #expect(try await program.run("agents", "remove", "1").status == 1)
            #expect(try await program.run("agents", "retry", "1").status == 1)
            let early = try await program.run("agents", "follow-up", "1", "And then?")
            #expect(early.status == 1)
            #expect(early.errors.contains("running"))
            let start = ContinuousClock.now
            let cancelled = try await program.run("agents", "cancel", "1")
            #expect(cancelled.status == 0)
            #expect(await watching.status() == 0)
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(watching.text.contains("Split:"))
            #expect(try await program.listing().jobs[0].state == "cancelled")
            host.gate.cancel()
            #expect(try await program.run("agents", "retry", "1").status == 0)
            let shown = try await program.run("agents", "show", "1", "--follow")
            #expect(shown.output.contains("There are 4 words."))
            // The first step was done once.
            #expect(shown.output.components(separatedBy: "split done").count == 2)
            #expect(try await program.run("agents", "cancel", "1").errors.contains("had ended already"))
            await host.stop()
        }

        @Test("a job that fails for good says why, in list and log")
        func failure() async throws {
            let program = try Program()
            defer { program.remove() }
            let host = try await TestHost(program)
            _ = try await program.run("agents", "add", "fail at once")
            let shown = try await program.run("agents", "show", "1", "--follow")
            #expect(shown.output.contains("Cause: this question cannot be counted; ask another"))
            #expect(try await program.run("agents", "list").output.contains("this question cannot be counted"))
            let export = try await program.run("agents", "export", "1")
            #expect(export.status == 1)
            #expect(export.errors.contains("nothing to export"))
            await host.stop()
        }

        @Test("a host that is stopped gives its jobs back, and the next one finishes them")
        func handOver() async throws {
            let program = try Program()
            defer { program.remove() }
            let first = try await TestHost(program)
            _ = try await program.run("agents", "add", "wait for the next host")
            let watching = try Running(program, ["agents", "show", "1", "--follow"])
            #expect(await watching.writes("count begun"))
            await first.stop()
            #expect(await watching.status() == 130)
            let between = try await program.listing()
            #expect(between.served == false)
            #expect(between.jobs[0].state == "queued")
            let second = try await TestHost(program)
            second.gate.cancel()
            let shown = try await program.run("agents", "show", "1", "--follow")
            #expect(shown.output.contains("There are 5 words."))
            await second.stop()
        }

        @Test("until idle: what is due is done, then it ends; what is for later stays")
        func untilIdle() async throws {
            let program = try Program()
            defer { program.remove() }
            let added = try await program.run("agents", "add", "Count these words now")
            #expect(added.errors.contains("start with: sotto agents run"))
            _ = try await program.run("agents", "add", "Count these later", "--at", "in 2 hours")
            let host = try await TestHost(program, untilIdle: true)
            try await host.end()
            let listing = try await program.listing()
            #expect(listing.jobs.map(\.state) == ["queued", "completed"])
        }

        @Test("until idle beside a host: waits for its queue, and ends with it")
        func untilIdleGuest() async throws {
            let program = try Program()
            defer { program.remove() }
            let host = try await TestHost(program)
            #expect(try await program.run("agents", "run", "--until-idle").status == 0)
            _ = try await program.run("agents", "add", "wait for me")
            let waiting = try Running(program, ["agents", "run", "--until-idle"])
            #expect(await waiting.writes("Working"))
            host.gate.cancel()
            #expect(await waiting.status() == 0)
            #expect(try await program.listing().jobs[0].state == "completed")
            let again = try await program.run("agents", "run")
            #expect(again.status == 1)
            #expect(again.errors.contains("process \(getpid())"))
            await host.stop()
        }

        @Test("a time is the guest's, whatever zone the host is in")
        func zones() async throws {
            let program = try Program()
            defer { program.remove() }
            let host = try await TestHost(program)
            let tokyo = try await program.run(
                "agents", "add", "What is new?", "--at", "2099-01-01 18:00", "--json", environment: ["TZ": "Asia/Tokyo"])
            #expect(tokyo.output.contains("2099-01-01T09:00:00.000Z"), "\(tokyo.errors)")
            let list = try await program.run("agents", "list", environment: ["TZ": "Asia/Tokyo"])
            #expect(list.output.contains("queued for 2099-01-01 18:00"))
            let schedule = try await program.run("agents", "add", "What else?", "--every", "day at 09:00", environment: ["TZ": "Asia/Tokyo"])
            #expect(schedule.errors.contains("09:00 Asia/Tokyo"))
            await host.stop()
        }

        @Test("a library is read and a question answered in the host, with the guest's folder; both at once")
        func library() async throws {
            let program = try Program()
            defer { program.remove() }
            for name in ["one", "two"] {
                _ = try program.file("\(name)/key.md", Data("# Keys\n\nThe spare key of boathouse \(name) hangs behind the blue door.\n".utf8))
            }
            let host = try await TestHost(program)
            async let one = program.run("library", "add", "one", folder: program.home)
            async let two = program.run("library", "add", "./two/", folder: program.home)
            #expect(try await one.status == 0)
            #expect(try await two.status == 0)
            let roots = try await program.run("library", "list")
            #expect(roots.output.contains(program.home + "/one\t1 documents"))
            #expect(roots.output.contains(program.home + "/two\t1 documents"))
            let answer = try await program.run("ask", "Where does the spare key of boathouse two hang?", "--library", "two", folder: program.home)
            #expect(answer.status == 0, "\(answer.errors)")
            #expect(answer.output.contains("boathouse two"))
            let removed = try await program.run("library", "remove", "one", folder: program.home)
            #expect(removed.status == 0)
            await host.stop()
        }
    }
}

extension RealProgram {
    /// Research as jobs, in processes of the built program.
    @Suite(.timeLimit(.minutes(10))) struct ResearchJobTests {
        private func library(_ program: Program) async throws {
            _ = try program.file("notes/key.md", Data("# Keys\n\nThe spare key of the boathouse hangs behind the blue door.\n".utf8))
            #expect(try await program.run("library", "add", program.home + "/notes").status == 0)
        }

        @Test("without a model: a digest, told as short of the request, in list, page and JSON")
        func digest() async throws {
            let program = try Program()
            defer { program.remove() }
            try await library(program)
            let added = try await program.run("agents", "add", "Where does the spare key of the boathouse hang?")
            #expect(added.output == "1\n")
            let run = try await program.run("agents", "run", "--until-idle", environment: ["SOTTO_MODELS": program.home + "/none"])
            #expect(run.status == 0, "\(run.errors)")
            let list = try await program.run("agents", "list")
            #expect(list.output.contains("done, short of the request (1 gap)"))
            let shown = try await program.run("agents", "show", "1")
            #expect(shown.output.contains("hangs behind the blue door. [1]"))
            #expect(shown.output.contains("search done"))
            let json = try await program.run("agents", "show", "1", "--json")
            let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(report["schemaVersion"] as? Int == 1)
            #expect(((report["result"] as? [String: Any])?["sources"] as? [[String: Any]])?.first?["location"] as? String == program.home + "/notes/key.md")
            let page = try await program.run("agents", "export", "1", "--format", "html")
            #expect(page.output.contains("behind the blue door"))
        }

        @Test("an empty library fails for good and says what to do; a retry after that works")
        func emptyLibrary() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try await program.run("agents", "add", "Where is the key?")
            _ = try await program.run("agents", "run", "--until-idle", environment: ["SOTTO_MODELS": program.home + "/none"])
            #expect(try await program.run("agents", "show", "1").output.contains("sotto library add DIR"))
            try await library(program)
            #expect(try await program.run("agents", "retry", "1").status == 0)
            _ = try await program.run("agents", "run", "--until-idle", environment: ["SOTTO_MODELS": program.home + "/none"])
            #expect(try await program.run("agents", "show", "1").output.contains("blue door"))
        }

        @Test("with a model: job and spoken question at once in one owner, killed and resumed, followed up", .enabled(if: Program.hasModels, "needs the small set of models"))
        func model() async throws {
            let program = try Program()
            defer { program.remove() }
            try await library(program)
            let settings = ["languageModel": "smollm2-135m-instruct-q4_1", "research": "off"]
            _ = try program.file(".config/sotto/config.json", try JSONSerialization.data(withJSONObject: settings))
            let wav = program.home + "/question.wav"
            #expect(try await program.run("say", "Where does the spare key hang?", "--output", wav).status == 0)
            let first = try Running(program, ["agents", "run"])
            #expect(await first.writes("Working on the queue"))
            _ = try await program.run("agents", "add", "Where does the spare key of the boathouse hang?")
            #expect(await first.writes("search done"), "\(first.text)")
            first.signal(SIGKILL)
            #expect(await first.status() == -SIGKILL)
            #expect(try await program.run("agents", "list").output.contains("broken off"))
            let second = try Running(program, ["agents", "run"])
            #expect(await second.writes("claims begun"), "\(second.text)")
            // Standard input goes through the owner, which listens with its own recognizer beside the job.
            let asked = try await program.run("ask", "--listen", "-", "--json", input: [UInt8](try Data(contentsOf: URL(fileURLWithPath: wav))))
            #expect(asked.status == 0, "\(asked.errors)")
            #expect(asked.errors.contains("Heard:"))
            let shown = try await program.run("agents", "show", "1", "--follow")
            #expect(shown.status == 0)
            #expect(shown.output.contains("State: done"))
            // The kept step was not done again.
            #expect(shown.output.components(separatedBy: "search done").count == 2)
            #expect(try await program.run("agents", "follow-up", "1", "Behind which door?").output == "2\n")
            let followed = try await program.run("agents", "show", "2", "--follow", "--json")
            let report = try #require(try JSONSerialization.jsonObject(with: Data(followed.output.utf8)) as? [String: Any])
            #expect((report["job"] as? [String: Any])?["state"] as? String == "completed")
            #expect((report["job"] as? [String: Any])?["parent"] as? Int == 1)
            second.signal(SIGINT)
            #expect(await second.status() == 130)
        }
    }
}
