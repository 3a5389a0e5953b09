import Foundation
import SottoAgents
import SottoJobStore
import Synchronization

/// Does what a test says, and counts how often.
struct ScriptedHandler: JobHandler {
    var kind = "scripted"
    var body: @Sendable (Job, any JobSteps) async throws -> JobResult

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult { try await body(job, steps) }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? {
        guard steps.isEmpty == false else { return nil }
        return JobResult(body: "", findings: steps.map(\.name).joined(separator: ","), summary: "", outcome: .short(gaps: ["It was stopped."]))
    }

    static let done = JobResult(body: "{}", findings: "found", summary: "Found.", outcome: .done)
}

/// A number of things that happened, which a test can wait for.
final class Tally: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var waiting: [(name: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func callAsFunction(_ name: String) {
        let ready = state.withLock { state in
            state.counts[name, default: 0] += 1
            let counts = state.counts
            defer { state.waiting.removeAll { counts[$0.name, default: 0] >= $0.count } }
            return state.waiting.filter { counts[$0.name, default: 0] >= $0.count }.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    func count(_ name: String) -> Int { state.withLock { $0.counts[name, default: 0] } }

    func reached(_ name: String, _ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.counts[name, default: 0] >= count { return true }
                state.waiting.append((name, count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

/// Waits until it is opened or its task is cancelled.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// - Parameter obeys: Whether a cancel ends the wait.
    func wait(obeys: Bool = true) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    if state.isOpen { return .success(()) }
                    if obeys, Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            guard obeys else { return }
            let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
            continuation?.resume(throwing: CancellationError())
        }
    }
}

/// Passes everything on, tells each call, and fails those that a test says.
final class SpyStore: JobStore {
    let base: any JobStore
    let tally = Tally()
    private let failures = Mutex<[String: [JobStoreError]]>([:])

    init(_ base: any JobStore = MemoryJobStore()) { self.base = base }

    /// The next calls of `name` throw these.
    func fail(_ name: String, with errors: [JobStoreError]) { failures.withLock { $0[name] = errors } }

    private func told<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        defer { tally(name) }
        let failure = failures.withLock { list -> JobStoreError? in
            guard let first = list[name]?.first else { return nil }
            list[name]?.removeFirst()
            return first
        }
        if let failure { throw failure }
        return try await body()
    }

    func add(_ new: NewJob, at now: JobInstant) async throws -> Job { try await told("add") { try await base.add(new, at: now) } }
    func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) async throws -> ClaimedJob? {
        try await told("claim") { try await base.claim(worker: worker, kinds: kinds, lease: lease, at: now) }
    }
    func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) async throws -> HeartbeatAnswer {
        try await told("heartbeat") { try await base.heartbeat(claim, lease: lease, at: now) }
    }
    func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) async throws {
        try await told("finish") { try await base.finish(step, claim: claim, at: now) }
    }
    func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) async throws {
        try await told("note") { try await base.note(kind, step: step, text: text, claim: claim, at: now) }
    }
    func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) async throws {
        try await told("complete") { try await base.complete(claim, with: result, at: now) }
    }
    func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) async throws {
        try await told("fail") { try await base.fail(claim, because: error, retryAt: retryAt, partial: partial, at: now) }
    }
    func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) async throws {
        try await told("cancelled") { try await base.cancelled(claim, partial: partial, at: now) }
    }
    func release(_ claim: JobClaim, at now: JobInstant) async throws { try await told("release") { try await base.release(claim, at: now) } }
    @discardableResult
    func requestCancel(_ id: JobID, at now: JobInstant) async throws -> Job {
        try await told("requestCancel") { try await base.requestCancel(id, at: now) }
    }
    func keep(_ partial: JobResult, of id: JobID, at now: JobInstant) async throws {
        try await told("keep") { try await base.keep(partial, of: id, at: now) }
    }
    @discardableResult
    func retry(_ id: JobID, at now: JobInstant) async throws -> Job { try await told("retry") { try await base.retry(id, at: now) } }
    func remove(_ id: JobID, at now: JobInstant) async throws { try await base.remove(id, at: now) }
    @discardableResult
    func endExpiredLeases(at now: JobInstant) async throws -> [Job] {
        try await told("endExpiredLeases") { try await base.endExpiredLeases(at: now) }
    }
    @discardableResult
    func endForeignLeases(keeping worker: String, at now: JobInstant) async throws -> [Job] {
        try await told("endForeignLeases") { try await base.endForeignLeases(keeping: worker, at: now) }
    }
    func job(_ id: JobID) async throws -> Job? { try await told("job") { try await base.job(id) } }
    func jobs(states: Set<JobState>, before id: JobID?, titled words: String, limit: Int) async throws -> [Job] {
        try await base.jobs(states: states, before: id, titled: words, limit: limit)
    }
    func steps(of id: JobID) async throws -> [JobStep] { try await base.steps(of: id) }
    func result(of id: JobID) async throws -> JobResult? { try await base.result(of: id) }
    func events(after id: Int64, job: JobID?, limit: Int) async throws -> [JobEvent] { try await base.events(after: id, job: job, limit: limit) }
    func nextDue(kinds: Set<String>) async throws -> Date? { try await base.nextDue(kinds: kinds) }
    func add(_ schedule: Schedule) async throws -> Schedule { try await base.add(schedule) }
    func schedules() async throws -> [Schedule] { try await base.schedules() }
    @discardableResult
    func update(_ schedule: Schedule) async throws -> Schedule { try await base.update(schedule) }
    func remove(_ id: ScheduleID) async throws { try await base.remove(id) }
    func fire(_ firing: ScheduleFiring, at now: JobInstant) async throws -> Job? { try await told("fire") { try await base.fire(firing, at: now) } }
    func checkedSchedules(at now: JobInstant) async throws { try await base.checkedSchedules(at: now) }
}
