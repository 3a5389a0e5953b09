import Foundation
import Glibc
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoSQLiteStore

/// Harnesses that need processes: what a kill, a stop and a race do to the job store. Prints one line of JSON for each harness.
///
/// `job-store-probe kills COUNT [store|naive|naive-reset]`, `race tasks|processes JOBS`, `stop ROUNDS`, `recovery ROUNDS`,
/// `cancel ROUNDS`.
/// It starts itself as `work`, `share` and `add`. Exit status 1 when the harness did not pass.
@main struct Probe {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        let second = arguments.count > 1 ? arguments[1] : ""
        let third = arguments.count > 2 ? arguments[2] : ""
        switch arguments.first {
        case "kills":
            var harness = KillHarness(queue: third.isEmpty ? "store" : third, count: Int(second) ?? 30)
            let report = try await harness.run()
            try show(report, passed: report.passed)
        case "race":
            let report = try await RaceHarness.run(second, jobs: Int(third) ?? 100)
            try show(report, passed: report.passed)
        case "stop":
            let report = try await StopHarness.run(rounds: Int(second) ?? 1)
            try show(report, passed: report.passed)
        case "recovery":
            let report = try await RecoveryHarness.run(rounds: Int(second) ?? 5)
            try show(report, passed: report.passed)
        case "cancel":
            let report = try await CancelHarness.run(rounds: Int(second) ?? 5)
            try show(report, passed: report.passed)
        case "work": try await work(queue: second, workers: Int(third) ?? 1)
        case "share": try await share(worker: second, lease: .milliseconds(Int(third) ?? 1_000))
        case "add": try await add(queue: second, count: Int(third) ?? 1)
        default:
            print("usage: job-store-probe kills COUNT [store|naive|naive-reset] | race tasks|processes JOBS | stop ROUNDS | recovery ROUNDS | cancel ROUNDS")
            exit(2)
        }
    }

    private static func show(_ report: some Encodable, passed: Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
        if passed == false { exit(1) }
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let folder = environment["PROBE_FOLDER"] ?? "."
    private static let database = folder + "/jobs.sqlite"
    private static let side = SideFile(path: folder + "/effects.txt")
    private static func phaseFile() -> PhaseFile { PhaseFile(path: environment["PROBE_PHASE"] ?? folder + "/phase", kill: environment["PROBE_KILL"]) }

    /// The only owner: runs all jobs that are due, and ends.
    private static func work(queue: String, workers: Int) async throws {
        let phases = phaseFile()
        phases.enter(Phase.opening)
        let began = monotonic()
        let course = CourseHandler(side: side, phases: phases)
        if let recovery = NaiveQueue.Recovery(rawValue: queue) {
            try await NaiveQueue(path: database).run(course, recovery: recovery, phases: phases)
        } else {
            let worker = "\(getpid())-\(began)"
            let store = PhasedStore(base: try SQLiteJobStore(path: database, role: .writer), phases: phases)
            // What is kept in the database now, whether or not its worker lived to hear of it.
            for job in try await store.jobs(states: [.queued, .running], limit: .max) {
                for step in try await store.steps(of: job.id) { side.write("kept \(job.id) \(step.name.drop { $0.isNumber == false })") }
            }
            let runner = JobRunner(
                store: store,
                handlers: [course, TinyHandler(side: side, worker: worker), HoldHandler(side: side, phases: phases, worker: worker)], worker: worker,
                configuration: .init(workers: workers), now: try LinuxJobClock.make())
            try await runner.run(untilIdle: true)
        }
        var durations = phases.durations()
        durations["sinceStart"] = (durations["\(Phase.opening)"] ?? 0) + 20_000
        print(String(decoding: try JSONEncoder().encode(durations), as: UTF8.self))
    }

    /// One of two processes on one file, without the lock that forbids it: see `SQLiteDatabase.Sharing`.
    private static func share(worker: String, lease: Duration) async throws {
        let phases = phaseFile()
        let shared = try SQLiteDatabase(path: database, role: .writer, migrations: StoreSchema.migrations, sharing: .withoutCheckpoints)
        let store = SQLiteJobStore(database: shared)
        let log = Log(minimum: .info) { _, message in print(message) }
        let runner = JobRunner(
            store: store, handlers: [TinyHandler(side: side, worker: worker), HoldHandler(side: side, phases: phases, worker: worker)],
            worker: "\(worker)-\(getpid())",
            configuration: .init(lease: lease, retry: RetryPolicy(first: .milliseconds(100)), isOnlyOwner: false), now: try LinuxJobClock.make(), log: log)
        if worker == "second" {
            // Waits for the sleeper's lease to run out, and ends when its job has ended.
            let lifetime = Task { try await runner.run() }
            _ = try await runner.end(of: JobID(1))
            lifetime.cancel()
            _ = try? await lifetime.value
        } else {
            if worker == "a" || worker == "b" { try await meet(worker) }
            try await runner.run(untilIdle: true)
        }
    }

    /// Waits until both workers of a race are ready: on a busy machine one would have done everything before the other had begun.
    private static func meet(_ worker: String) async throws {
        _ = FileManager.default.createFile(atPath: "\(folder)/ready-\(worker)", contents: nil)
        while ["a", "b"].allSatisfy({ FileManager.default.fileExists(atPath: "\(folder)/ready-\($0)") }) == false {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Adds jobs and writes down each that was acknowledged.
    private static func add(queue: String, count: Int) async throws {
        let phases = phaseFile()
        let acknowledged = SideFile(path: folder + "/acknowledged.txt")
        if queue == "store" {
            let store = PhasedStore(base: try SQLiteJobStore(path: database, role: .writer), phases: phases)
            let now = try LinuxJobClock.make()
            for _ in 0..<count {
                let job = try await store.add(NewJob(kind: "course", title: "", payload: "", maximumAttempts: 1_000_000), at: now())
                acknowledged.write("acknowledged \(job.id)")
            }
        } else {
            let naive = try NaiveQueue(path: database)
            for _ in 0..<count {
                phases.enter(Phase.adding)
                let id = try await naive.add()
                phases.enter(Phase.between)
                acknowledged.write("acknowledged \(id)")
            }
        }
    }
}
