import Foundation
import SottoJobStore
import SottoSQLiteStore

/// Two workers on one queue: each job once.
struct RaceHarness {
    struct Report: Codable {
        var harness = "race"
        /// `tasks`: two workers of one owner; `processes`: two processes that share the file.
        var workers: String
        var jobs: Int
        var doneOnce = 0
        var doneTwice = 0
        var notDone = 0
        var completed = 0
        /// How many jobs each took.
        var shares: [Int] = []
        var integrity = ""
        var jobsPerSecond = 0.0
        var passed = false
    }

    static func run(_ workers: String, jobs count: Int) async throws -> Report {
        let shop = try Workshop("race-\(workers)")
        defer { shop.remove() }
        var report = Report(workers: workers, jobs: count)
        do {
            let store = try SQLiteJobStore(path: shop.database, role: .writer)
            let now = try LinuxJobClock.make()
            for number in 0..<count { _ = try await store.add(NewJob(kind: "tiny", title: "\(number)", payload: ""), at: now()) }
        }
        let began = monotonic()
        if workers == "processes" {
            let children = try ["a", "b"].map { try shop.start(["share", $0, "60000"], phase: "phase-\($0)") }
            for child in children { child.wait() }
        } else {
            _ = try shop.run(["work", "store", "2"])
        }
        report.jobsPerSecond = (Double(count) / (Double(monotonic() - began) / 1e9)).rounded()
        var done: [String: Int] = [:]
        var shares: [String: Int] = [:]
        for line in shop.side.lines() where line.count >= 3 {
            done[line[1], default: 0] += 1
            shares[line[2], default: 0] += 1
        }
        report.doneOnce = done.values.count { $0 == 1 }
        report.doneTwice = done.values.count { $0 > 1 }
        report.notDone = count - done.count
        report.shares = shares.values.sorted()
        let database = try SQLiteDatabase(path: shop.database, role: .writer, migrations: StoreSchema.migrations)
        report.completed = try await SQLiteJobStore(database: database).jobs(states: [.completed], limit: .max).count { $0.attempt == 1 }
        report.integrity = try await database.withoutTransaction { connection in
            try connection.query("PRAGMA integrity_check") { $0.text(0) }.joined(separator: "; ")
        }
        // Both processes must have had a share, or nothing was raced.
        report.passed = report.doneOnce == count && report.doneTwice == 0 && report.completed == count && report.integrity == "ok"
            && (workers != "processes" || report.shares.count == 2)
        return report
    }
}

/// A worker that sleeps through its lease: another finishes the job, and the sleeper, woken, changes nothing.
struct StopHarness {
    struct Report: Codable {
        var harness = "stop"
        var rounds: Int
        var secondFinished = 0
        /// Rows that differ between before the sleeper woke and after it had gone.
        var changedBySleeper = 0
        var sleepersToldLeaseLost = 0
        var integrity = ""
        var passed = false
    }

    static func run(rounds: Int) async throws -> Report {
        var report = Report(rounds: rounds)
        for round in 0..<rounds {
            let shop = try Workshop("stop-\(round)")
            defer { shop.remove() }
            do {
                let store = try SQLiteJobStore(path: shop.database, role: .writer)
                // The sleeper holds its step for a while, so that it can be stopped inside.
                _ = try await store.add(NewJob(kind: "hold", title: "", payload: "400"), at: LinuxJobClock.make()())
            }
            let sleeper = try shop.start(["share", "sleeper", "1000"], phase: "phase-sleeper")
            guard sleeper.reached(Phase.inside(2)) else { throw JobStoreError(.failed, "the sleeper did not start") }
            usleep(useconds_t(round % 10) * 20_000)
            sleeper.signal(SIGSTOP)
            let second = try shop.start(["share", "second", "1000"], phase: "phase-second")
            let began = monotonic()
            while try await ending(shop) != .completed, monotonic() - began < 20_000_000_000 { usleep(20_000) }
            second.wait()
            let before = try await rows(shop)
            if try await ending(shop) == .completed, before.contains(where: { $0.contains("second") }) { report.secondFinished += 1 }
            sleeper.signal(SIGCONT)
            sleeper.wait()
            if try await rows(shop) != before { report.changedBySleeper += 1 }
            if sleeper.text().contains("the lease was lost") { report.sleepersToldLeaseLost += 1 }
            let database = try SQLiteDatabase(path: shop.database, role: .writer, migrations: StoreSchema.migrations)
            report.integrity = try await database.withoutTransaction { connection in
                try connection.query("PRAGMA integrity_check") { $0.text(0) }.joined(separator: "; ")
            }
        }
        report.passed = report.secondFinished == rounds && report.changedBySleeper == 0 && report.sleepersToldLeaseLost == rounds && report.integrity == "ok"
        return report
    }

    private static func reader(_ shop: Workshop) throws -> SQLiteDatabase {
        try SQLiteDatabase(path: shop.database, role: .reader, migrations: StoreSchema.migrations)
    }

    private static func ending(_ shop: Workshop) async throws -> JobState? {
        try await SQLiteJobStore(database: reader(shop)).job(JobID(1))?.state
    }

    /// Every value of every table of jobs.
    private static func rows(_ shop: Workshop) async throws -> [String] {
        try await reader(shop).read { connection in
            try ["jobs", "job_steps", "job_events", "job_results", "job_tokens"].flatMap { table in
                let columns = try connection.query("SELECT name FROM pragma_table_info('\(table)')") { $0.text(0) }
                return try connection.query("SELECT \(columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")) FROM \(table)") { "\(table): \($0.text(0))" }
            }
        }
    }
}

/// How soon an orphan runs again after its owner was killed and a new one starts.
struct RecoveryHarness {
    struct Report: Codable {
        var harness = "recovery"
        var rounds: Int
        /// From the start of the new process to the orphan's step running again, in milliseconds.
        var medianMilliseconds = 0.0
        var maximumMilliseconds = 0.0
        var firstStepDone = 0
        var passed = false
    }

    static func run(rounds: Int) async throws -> Report {
        let shop = try Workshop("recovery")
        defer { shop.remove() }
        var report = Report(rounds: rounds)
        do {
            let store = try SQLiteJobStore(path: shop.database, role: .writer)
            _ = try await store.add(NewJob(kind: "hold", title: "", payload: "250000", maximumAttempts: 1_000_000), at: LinuxJobClock.make()())
        }
        var times: [Double] = []
        for round in 0...rounds {
            let owner = try shop.start(["work", "store"])
            guard owner.reached(Phase.inside(2)) else { throw JobStoreError(.failed, "the orphan did not run again") }
            if round > 0 { times.append(Double(owner.phase.time - owner.started) / 1e6) }
            owner.signal(SIGKILL)
            owner.wait()
        }
        times.sort()
        report.medianMilliseconds = times[times.count / 2]
        report.maximumMilliseconds = times.last ?? 0
        report.firstStepDone = shop.side.lines().count { $0.first == "effect" }
        report.passed = report.maximumMilliseconds <= 1_000 && report.firstStepDone == 1
        return report
    }
}
