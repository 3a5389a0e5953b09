import Foundation
import SottoJobStore
import SottoSQLiteStore

/// Kills a worker at moments spread evenly over each part of a scripted job, and then looks at what is left.
struct KillHarness {
    struct Report: Codable {
        var harness = "kills"
        var queue: String
        var kills = 0
        var killsByPhase: [String: Int] = [:]
        var killsInsideSteps: [Int] = []
        var killsInCommits = 0
        var jobs = 0
        var acknowledged = 0
        /// Acknowledged jobs that are gone.
        var lost = 0
        var completedOnce = 0
        /// Jobs that did not end, ended twice or have another's result.
        var notCompletedOnce = 0
        /// Steps that were done again although they had been kept.
        var keptStepsDoneAgain = 0
        /// Steps of completed jobs that have no effect at all.
        var stepsNotDone = 0
        /// Steps that were done and killed before they were kept, and done again: allowed, and shown.
        var unkeptStepsDoneAgain = 0
        var workerFailures = 0
        var integrity = ""
        var seconds = 0.0
        var passed = false
    }

    let queue: String
    let count: Int
    /// The golden ratio's multiples fill the interval evenly, however many are drawn.
    private var drawn = 0
    private var report: Report

    init(queue: String, count: Int) {
        self.queue = queue
        self.count = count
        report = Report(queue: queue)
    }

    private mutating func fraction() -> Double {
        drawn += 1
        return (Double(drawn) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
    }

    mutating func run() async throws -> Report {
        let shop = try Workshop("kills-\(queue)")
        defer { shop.remove() }
        let began = monotonic()
        let usual = try calibrate(shop)
        // The parts of a job in their order, so that one job can be killed in each of them.
        let steps = 1...CourseHandler.stepCount
        let parts: [Int64] = queue == "store"
            ? [Phase.opening, Phase.takingOver, Phase.claiming] + steps.flatMap { [Phase.starting($0), Phase.inside($0), Phase.keeping($0)] }
                + [Phase.completing]
            : [Phase.opening, Phase.claiming] + steps.map(Phase.inside) + [Phase.completing]
        while report.kills < count {
            try add(shop, usual)
            let start = try shop.start(["work", queue])
            usleep(useconds_t(fraction() * Double(usual["start"] ?? 20_000)))
            start.signal(SIGKILL)
            start.wait()
            tally(start)
            for part in parts where report.kills < count {
                // The control has no steps to go on from: each kill needs a job of its own.
                if queue != "store" { try addOne(shop) }
                let kill = "\(part):\(Int(fraction() * Double(usual["\(part)"] ?? 0)))"
                let worker = try shop.run(["work", queue], kill: kill)
                tally(worker)
                if worker.wasKilled { continue }
                // The last kill came later than it was aimed, and the job was past this part: another one.
                try addOne(shop)
                tally(try shop.run(["work", queue], kill: kill))
            }
            let last = try shop.run(["work", queue])
            if last.hasFailed { report.workerFailures += 1 }
        }
        try await inspect(shop)
        report.seconds = Double((monotonic() - began) / 1_000_000) / 1_000
        // At least 20 of 1 000 inside each step; a few kills cannot be shared out so evenly.
        let insides = report.killsInsideSteps.min() ?? 0
        report.passed = report.lost == 0 && report.notCompletedOnce == 0 && report.keptStepsDoneAgain == 0 && report.stepsNotDone == 0
            && report.workerFailures == 0 && report.integrity == "ok" && report.kills >= count && insides >= count / 50 && report.jobs > 0
        return report
    }

    /// Runs jobs undisturbed and measures how long they usually stay in each part, in microseconds.
    private func calibrate(_ shop: Workshop) throws -> [String: Int64] {
        for _ in 0..<7 { try addOne(shop) }
        let child = try shop.run(["work", queue])
        guard let durations = try? JSONDecoder().decode([String: Int64].self, from: Data(child.text().utf8)) else {
            throw JobStoreError(.failed, "the calibrating worker failed")
        }
        var all = durations
        // From the start of the process to the claim, by which the parent aims.
        all["start"] = max(5_000, (durations["sinceStart"] ?? 0))
        return all
    }

    private mutating func add(_ shop: Workshop, _ usual: [String: Int64]) throws {
        let delay = Int(fraction() * Double(usual["\(Phase.adding)"] ?? 2_000))
        if drawn.isMultiple(of: 2) == false { tally(try shop.run(["add", queue, "3"], kill: "\(Phase.adding):\(delay)")) }
        try addOne(shop)
    }

    private func addOne(_ shop: Workshop) throws {
        let child = try shop.run(["add", queue, "1"])
        guard child.hasFailed == false else { throw JobStoreError(.failed, "a job could not be added") }
    }

    private mutating func tally(_ child: Child) {
        if child.hasFailed { report.workerFailures += 1 }
        guard child.wasKilled else { return }
        let phase = child.phase.phase
        report.kills += 1
        report.killsByPhase[Phase.name(phase), default: 0] += 1
        if Phase.isCommit(phase) { report.killsInCommits += 1 }
    }

    private mutating func inspect(_ shop: Workshop) async throws {
        report.killsInsideSteps = (1...CourseHandler.stepCount).map { report.killsByPhase[Phase.name(Phase.inside($0))] ?? 0 }
        let acknowledged = Set(shop.acknowledged.lines().compactMap { $0.last })
        report.acknowledged = acknowledged.count
        var completed: Set<String> = []
        if queue == "store" {
            let database = try SQLiteDatabase(path: shop.database, role: .writer, migrations: StoreSchema.migrations)
            let store = SQLiteJobStore(database: database)
            let jobs = try await store.jobs(states: Set(JobState.allCases), limit: .max)
            report.jobs = jobs.count
            report.lost = acknowledged.subtracting(jobs.map { "\($0.id)" }).count
            for job in jobs {
                let endings = try await store.events(after: 0, job: job.id, limit: .max).count { $0.text.hasPrefix("completed") }
                let steps = try await store.steps(of: job.id)
                let result = try await store.result(of: job.id)
                let isRight = job.state == .completed && endings == 1 && result?.findings == "result of \(job.id)"
                    && steps.map(\.name) == (1...CourseHandler.stepCount).map { "step\($0)" }
                    && steps.enumerated().allSatisfy { $1.output == "\"output of \(job.id) \($0 + 1)\"" }
                if isRight { completed.insert("\(job.id)") }
            }
            report.integrity = try await integrity(database)
        } else {
            let naive = try NaiveQueue(path: shop.database)
            let statuses = try await naive.statuses()
            report.jobs = statuses.count
            report.lost = acknowledged.subtracting(statuses.keys.map { "\($0)" }).count
            completed = Set(statuses.filter { $0.value == "completed" }.keys.map { "\($0)" })
            report.integrity = try await integrity(naive.database)
        }
        report.completedOnce = completed.count
        report.notCompletedOnce = report.jobs - completed.count
        countEffects(shop, completed: completed)
    }

    /// Reads the side file in its order: an effect after the same step was kept is a step that was done twice.
    private mutating func countEffects(_ shop: Workshop, completed: Set<String>) {
        var kept: Set<[String]> = []
        var done: [[String]: Int] = [:]
        for line in shop.side.lines() where line.count >= 3 {
            let step = Array(line[1...2])
            if line[0] == "kept" { kept.insert(step) }
            guard line[0] == "effect" else { continue }
            done[step, default: 0] += 1
            if kept.contains(step) { report.keptStepsDoneAgain += 1 }
        }
        report.unkeptStepsDoneAgain = done.values.reduce(0) { $0 + $1 - 1 } - report.keptStepsDoneAgain
        for job in completed {
            for number in 1...CourseHandler.stepCount where done[[job, "\(number)"]] == nil { report.stepsNotDone += 1 }
        }
    }

    private func integrity(_ database: SQLiteDatabase) async throws -> String {
        try await database.withoutTransaction { connection in try connection.query("PRAGMA integrity_check") { $0.text(0) }.joined(separator: "; ") }
    }
}
