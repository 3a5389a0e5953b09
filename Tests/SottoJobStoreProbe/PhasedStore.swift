import Foundation
import SottoJobStore

/// Marks each write of a job's course in the phase file.
struct PhasedStore: JobStore {
    let base: any JobStore
    let phases: PhaseFile

    private func during<Value>(_ phase: Int64, _ body: () async throws -> Value) async throws -> Value {
        phases.enter(phase)
        defer { phases.enter(Phase.between) }
        return try await body()
    }

    private func number(_ step: String) -> Int { Int(step.drop { $0.isNumber == false }) ?? 0 }

    func add(_ new: NewJob, at now: JobInstant) async throws -> Job { try await during(Phase.adding) { try await base.add(new, at: now) } }
    func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) async throws -> ClaimedJob? {
        try await during(Phase.claiming) { try await base.claim(worker: worker, kinds: kinds, lease: lease, at: now) }
    }
    func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) async throws {
        try await during(Phase.keeping(number(step.name))) { try await base.finish(step, claim: claim, at: now) }
    }
    func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) async throws {
        guard kind == .stepStarted else { return try await base.note(kind, step: step, text: text, claim: claim, at: now) }
        try await during(Phase.starting(number(step))) { try await base.note(kind, step: step, text: text, claim: claim, at: now) }
    }
    func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) async throws {
        try await during(Phase.completing) { try await base.complete(claim, with: result, at: now) }
    }
    func endForeignLeases(keeping worker: String, at now: JobInstant) async throws -> [Job] {
        try await during(Phase.takingOver) { try await base.endForeignLeases(keeping: worker, at: now) }
    }

    func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) async throws -> HeartbeatAnswer {
        try await base.heartbeat(claim, lease: lease, at: now)
    }
    func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) async throws {
        try await base.fail(claim, because: error, retryAt: retryAt, partial: partial, at: now)
    }
    func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) async throws { try await base.cancelled(claim, partial: partial, at: now) }
    func release(_ claim: JobClaim, at now: JobInstant) async throws { try await base.release(claim, at: now) }
    func requestCancel(_ id: JobID, at now: JobInstant) async throws -> Job { try await base.requestCancel(id, at: now) }
    func keep(_ partial: JobResult, of id: JobID, at now: JobInstant) async throws { try await base.keep(partial, of: id, at: now) }
    func retry(_ id: JobID, at now: JobInstant) async throws -> Job { try await base.retry(id, at: now) }
    func remove(_ id: JobID, at now: JobInstant) async throws { try await base.remove(id, at: now) }
    func endExpiredLeases(at now: JobInstant) async throws -> [Job] { try await base.endExpiredLeases(at: now) }
    func job(_ id: JobID) async throws -> Job? { try await base.job(id) }
    func jobs(states: Set<JobState>, before id: JobID?, titled words: String, limit: Int) async throws -> [Job] {
        try await base.jobs(states: states, before: id, titled: words, limit: limit)
    }
    func steps(of id: JobID) async throws -> [JobStep] { try await base.steps(of: id) }
    func result(of id: JobID) async throws -> JobResult? { try await base.result(of: id) }
    func events(after id: Int64, job: JobID?, limit: Int) async throws -> [JobEvent] { try await base.events(after: id, job: job, limit: limit) }
    func nextDue(kinds: Set<String>) async throws -> Date? { try await base.nextDue(kinds: kinds) }
    func add(_ schedule: Schedule) async throws -> Schedule { try await base.add(schedule) }
    func schedules() async throws -> [Schedule] { try await base.schedules() }
    func update(_ schedule: Schedule) async throws -> Schedule { try await base.update(schedule) }
    func remove(_ id: ScheduleID) async throws { try await base.remove(id) }
    func fire(_ firing: ScheduleFiring, at now: JobInstant) async throws -> Job? { try await base.fire(firing, at: now) }
    func checkedSchedules(at now: JobInstant) async throws { try await base.checkedSchedules(at: now) }
}
