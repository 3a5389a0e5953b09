internal import Foundation
internal import SottoJobStore
package import SottoSQLiteStore

/// Everything a job store is asked in a day, in an order that the seed gives: jobs added, claimed, their steps kept, completed, failed, cancelled,
/// tried again and removed, schedules added and fired, leases that run out.
package struct JobStoreWorkload: DiskWorkload {
    package var operations: Int
    package var seed: UInt64

    package init(operations: Int, seed: UInt64 = 1) {
        self.operations = operations
        self.seed = seed
    }

    package func run(on database: SQLiteDatabase, acknowledge: () async throws -> Void) async throws {
        var session = Session(store: SQLiteJobStore(database: database), random: SeededGenerator(seed: seed))
        for number in 0..<operations {
            do {
                guard try await session.next(number) else { continue }
            } catch let error as JobStoreError where [.leaseLost, .wrongState, .notFound].contains(error.code) {
                // A refusal is an answer too: nothing was written, nothing is promised.
                continue
            }
            try await acknowledge()
        }
    }

    package func goOn(with database: SQLiteDatabase) async throws {
        let store = SQLiteJobStore(database: database)
        for job in try await store.jobs(states: Set(JobState.allCases), limit: 10_000) {
            _ = try await store.steps(of: job.id)
            _ = try await store.result(of: job.id)
        }
        _ = try await store.schedules()
        let now = Session.instant(after: 1_000_000, boot: "next")
        try await store.endForeignLeases(keeping: "next", at: now)
        _ = try await store.add(NewJob(kind: "next", title: "after the power came back", payload: "{}"), at: now)
    }

    /// What one worker knows.
    private struct Session {
        let store: SQLiteJobStore
        var random: SeededGenerator
        var seconds = 0
        var claimed: [ClaimedJob] = []
        var stepsKept = 0

        static func instant(after seconds: Int, boot: String = "first") -> JobInstant {
            JobInstant(date: Date(timeIntervalSince1970: 1_796_000_000 + Double(seconds)), uptime: .seconds(seconds), boot: boot)
        }

        /// - Returns: Whether anything was done.
        mutating func next(_ number: Int) async throws -> Bool {
            seconds += Int.random(in: 1...20, using: &random)
            let now = Self.instant(after: seconds)
            let jobs = try await store.jobs(states: Set(JobState.allCases), limit: 10_000)
            let held = claimed.randomElement(using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<20:
                _ = try await store.add(NewJob(kind: "research", title: "Task \(number)", payload: text(1...9_000), parent: jobs.first?.id), at: now)
            case 20..<38:
                guard let job = try await store.claim(worker: "worker", kinds: ["research", "scheduled"], lease: .seconds(300), at: now) else { return false }
                claimed.append(job)
            case 38..<62:
                guard let held else { return false }
                stepsKept += 1
                let step = JobStep(
                    name: "step \(stepsKept)", attempt: held.job.attempt, startedAt: now.date, finishedAt: now.date, output: text(1...30_000))
                try await store.finish(step, claim: held.claim, at: now)
            case 62..<67:
                guard let held else { return false }
                try await store.note(.progress, step: "step", text: text(1...200), claim: held.claim, at: now)
            case 67..<71:
                guard let held else { return false }
                _ = try await store.heartbeat(held.claim, lease: .seconds(300), at: now)
            case 71..<80:
                guard let held else { return false }
                try await store.complete(held.claim, with: result(), at: now)
            case 80..<84:
                guard let held else { return false }
                try await store.fail(
                    held.claim, because: "the page did not answer", retryAt: Bool.random(using: &random) ? now.date : nil, partial: result(), at: now)
            case 84..<86:
                guard let held else { return false }
                try await store.release(held.claim, at: now)
            case 86..<89:
                guard let job = jobs.randomElement(using: &random) else { return false }
                try await store.requestCancel(job.id, at: now)
            case 89..<91:
                guard let job = jobs.randomElement(using: &random) else { return false }
                try await store.retry(job.id, at: now)
            case 91..<94:
                guard let job = jobs.filter(\.state.isFinal).randomElement(using: &random) else { return false }
                try await store.remove(job.id, at: now)
            case 94..<96:
                _ = try await store.add(
                    Schedule(
                        id: ScheduleID(0), kind: "scheduled", title: "Hourly", payload: "{}", rule: "hour", zone: "UTC", createdAt: now.date,
                        nextRun: now.date))
            case 96..<99:
                guard let schedule = try await store.schedules().randomElement(using: &random), let due = schedule.nextRun else { return false }
                let firing = ScheduleFiring(
                    schedule: schedule.id, due: due, scheduledFor: due, missed: number % 3, next: now.date.addingTimeInterval(3_600))
                guard try await store.fire(firing, at: now) != nil else { return false }
            default:
                seconds += 600
                _ = try await store.endExpiredLeases(at: Self.instant(after: seconds))
            }
            return true
        }

        private mutating func result() -> JobResult {
            JobResult(body: text(1...20_000), findings: text(1...4_000), summary: text(1...300), outcome: .short(gaps: ["nothing newer"]))
        }

        private mutating func text(_ size: ClosedRange<Int>) -> String {
            let word = String(random.next(), radix: 36) + " "
            return String(repeating: word, count: Int.random(in: size, using: &random) / word.count + 1)
        }
    }
}
