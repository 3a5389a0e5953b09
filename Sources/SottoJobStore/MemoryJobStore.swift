public import Foundation

/// Jobs that live as long as the process: for tests, and the plain reading of what ``JobStore`` promises.
public actor MemoryJobStore: JobStore {
    private var jobs: [JobID: Job] = [:]
    private var keptSteps: [JobID: [JobStep]] = [:]
    private var results: [JobID: JobResult] = [:]
    private var log: [JobEvent] = []
    private var plans: [ScheduleID: Schedule] = [:]
    private var lastJob: Int64 = 0
    private var lastEvent: Int64 = 0
    private var lastToken: Int64 = 0
    private var lastSchedule: Int64 = 0

    public init() {}

    // MARK: Jobs

    public func add(_ new: NewJob, at now: JobInstant) throws -> Job {
        try Task.checkCancellation()
        return insert(new, schedule: nil, scheduledFor: nil, at: now)
    }

    public func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) throws -> ClaimedJob? {
        try Task.checkCancellation()
        endLeases(at: now) { $0.isExpired(at: now) }
        let due = jobs.values.filter { $0.state == .queued && kinds.contains($0.kind) && $0.dueAt.microseconds <= now.date.microseconds }
        guard let next = due.min(by: { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }) else { return nil }
        lastToken += 1
        let job = change(next.id, at: now) { job in
            job.state = .running
            job.attempt += 1
            job.attemptsWithoutProgress += 1
            job.startedAt = job.startedAt ?? now.date.roundedToMicroseconds
            job.lease = JobLease(worker: worker, token: lastToken, from: now, lasting: lease)
            job.lastHeard = now.date.roundedToMicroseconds
            job.error = nil
        }
        guard let job else { return nil }
        return ClaimedJob(job: job, claim: JobClaim(id: job.id, token: lastToken), steps: keptSteps[job.id] ?? [])
    }

    public func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) throws -> HeartbeatAnswer {
        try check(claim)
        jobs[claim.id]?.lease?.expires = (now.uptime + lease).nanoseconds
        jobs[claim.id]?.lastHeard = now.date.roundedToMicroseconds
        jobs[claim.id]?.revision += 1
        return jobs[claim.id]?.isCancelRequested == true ? .cancel : .goOn
    }

    public func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) throws {
        try check(claim)
        guard keptSteps[claim.id, default: []].contains(where: { $0.name == step.name }) == false else { throw JobText.stepKept(step, claim) }
        var step = step
        step.startedAt = step.startedAt.roundedToMicroseconds
        step.finishedAt = step.finishedAt.roundedToMicroseconds
        keptSteps[claim.id, default: []].append(step)
        jobs[claim.id]?.attemptsWithoutProgress = 0
        jobs[claim.id]?.revision += 1
        write(.stepFinished, step: step.name, JobText.finished(step), claim.id, at: now)
    }

    public func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) throws {
        try check(claim)
        write(kind, step: step, text, claim.id, at: now)
    }

    public func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) throws {
        try check(claim)
        results[claim.id] = result
        change(claim.id, at: now) { job in
            job.state = .completed
            job.finishedAt = now.date.roundedToMicroseconds
            job.outcome = result.outcome
        }
    }

    public func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) throws {
        try check(claim)
        end(claim.id, because: error, retryAt: retryAt, at: now)
        if jobs[claim.id]?.state != .queued { results[claim.id] = partial }
    }

    public func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) throws {
        try check(claim)
        results[claim.id] = partial
        change(claim.id, at: now) { job in
            job.state = .cancelled
            job.finishedAt = now.date.roundedToMicroseconds
        }
    }

    public func release(_ claim: JobClaim, at now: JobInstant) throws {
        try check(claim)
        change(claim.id, at: now) { job in
            job.attempt -= 1
            job.attemptsWithoutProgress = max(0, job.attemptsWithoutProgress - 1)
            job.state = job.isCancelRequested ? .cancelled : .queued
            if job.isCancelRequested { job.finishedAt = now.date.roundedToMicroseconds }
        }
    }

    @discardableResult
    public func requestCancel(_ id: JobID, at now: JobInstant) throws -> Job {
        let job = try found(id)
        switch job.state {
        case .queued:
            change(id, at: now) { job in
                job.state = .cancelled
                job.isCancelRequested = true
                job.finishedAt = now.date.roundedToMicroseconds
            }
        case .running where job.isCancelRequested == false:
            jobs[id]?.isCancelRequested = true
            jobs[id]?.revision += 1
            write(.note, JobText.cancelRequested, id, at: now)
        case .running, .completed, .failed, .cancelled: break
        }
        return try found(id)
    }

    public func keep(_ partial: JobResult, of id: JobID, at now: JobInstant) throws {
        let job = try found(id)
        guard job.state == .failed || job.state == .cancelled else { throw JobText.cannotKeep(job) }
        guard results[id] == nil else { return }
        results[id] = partial
        jobs[id]?.revision += 1
    }

    @discardableResult
    public func retry(_ id: JobID, at now: JobInstant) throws -> Job {
        let job = try found(id)
        guard job.state == .failed || job.state == .cancelled else { throw JobText.cannotRetry(job) }
        results[id] = nil
        change(id, at: now) { job in
            job.state = .queued
            job.dueAt = now.date.roundedToMicroseconds
            job.finishedAt = nil
            job.attemptsWithoutProgress = 0
            job.isCancelRequested = false
            job.error = nil
        }
        return try found(id)
    }

    public func remove(_ id: JobID, at now: JobInstant) throws {
        let job = try found(id)
        guard job.state != .running else { throw JobText.cannotRemove(job) }
        jobs[id] = nil
        keptSteps[id] = nil
        results[id] = nil
        log.removeAll { $0.job == id }
    }

    @discardableResult
    public func endExpiredLeases(at now: JobInstant) throws -> [Job] {
        try Task.checkCancellation()
        return endLeases(at: now) { $0.isExpired(at: now) }
    }

    @discardableResult
    public func endForeignLeases(keeping worker: String, at now: JobInstant) throws -> [Job] {
        try Task.checkCancellation()
        return endLeases(at: now) { $0.worker != worker }
    }

    // MARK: Reading

    public func job(_ id: JobID) -> Job? { jobs[id] }

    public func jobs(states: Set<JobState>, before id: JobID?, titled words: String, limit: Int) -> [Job] {
        let words = words.split(whereSeparator: \.isWhitespace)
        let found = jobs.values.filter { job in
            states.contains(job.state) && id.map { job.id < $0 } != false && words.allSatisfy { Self.folded(job.title).contains(Self.folded($0)) }
        }
        return Array(found.sorted { $0.id > $1.id }.prefix(max(0, limit)))
    }

    /// Without the case of the 26 letters, by scalars, as the data base compares.
    private static func folded(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { (65...90).contains($0.value) ? Unicode.Scalar(UInt8($0.value + 32)) : $0 }))
    }

    public func steps(of id: JobID) -> [JobStep] { keptSteps[id] ?? [] }

    public func result(of id: JobID) -> JobResult? { results[id] }

    public func events(after id: Int64, job: JobID?, limit: Int) -> [JobEvent] {
        Array(log.lazy.filter { $0.id > id && (job == nil || $0.job == job) }.prefix(max(0, limit)))
    }

    public func nextDue(kinds: Set<String>) -> Date? {
        jobs.values.filter { $0.state == .queued && kinds.contains($0.kind) }.map(\.dueAt).min()
    }

    // MARK: Schedules

    public func add(_ schedule: Schedule) throws -> Schedule {
        try Task.checkCancellation()
        var schedule = schedule
        lastSchedule += 1
        schedule.id = ScheduleID(lastSchedule)
        schedule.createdAt = schedule.createdAt.roundedToMicroseconds
        schedule.nextRun = schedule.nextRun?.roundedToMicroseconds
        schedule.lastCheck = schedule.lastCheck?.roundedToMicroseconds
        schedule.lastRun = schedule.lastRun?.roundedToMicroseconds
        plans[schedule.id] = schedule
        return schedule
    }

    public func schedules() -> [Schedule] { plans.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    @discardableResult
    public func update(_ schedule: Schedule) throws -> Schedule {
        try Task.checkCancellation()
        guard var kept = plans[schedule.id] else { throw JobText.noSchedule(schedule.id) }
        kept.kind = schedule.kind
        kept.title = schedule.title
        kept.payload = schedule.payload
        kept.rule = schedule.rule
        kept.zone = schedule.zone
        kept.maximumAttempts = schedule.maximumAttempts
        kept.nextRun = schedule.nextRun?.roundedToMicroseconds
        plans[schedule.id] = kept
        return kept
    }

    public func remove(_ id: ScheduleID) throws {
        try Task.checkCancellation()
        guard plans.removeValue(forKey: id) != nil else { throw JobText.noSchedule(id) }
    }

    public func fire(_ firing: ScheduleFiring, at now: JobInstant) throws -> Job? {
        try Task.checkCancellation()
        guard var schedule = plans[firing.schedule], schedule.nextRun?.microseconds == firing.due.microseconds else { return nil }
        let new = NewJob(
            kind: schedule.kind, title: schedule.title, payload: schedule.payload, dueAt: firing.scheduledFor, maximumAttempts: schedule.maximumAttempts)
        schedule.nextRun = firing.next?.roundedToMicroseconds
        schedule.lastCheck = now.date.roundedToMicroseconds
        schedule.lastRun = now.date.roundedToMicroseconds
        schedule.missed += firing.missed
        plans[schedule.id] = schedule
        return insert(new, schedule: schedule.id, scheduledFor: firing.scheduledFor.roundedToMicroseconds, at: now)
    }

    public func checkedSchedules(at now: JobInstant) throws {
        try Task.checkCancellation()
        for id in plans.keys { plans[id]?.lastCheck = now.date.roundedToMicroseconds }
    }

    // MARK: Parts

    private func insert(_ new: NewJob, schedule: ScheduleID?, scheduledFor: Date?, at now: JobInstant) -> Job {
        lastJob += 1
        let job = Job(
            id: JobID(lastJob), kind: new.kind, title: new.title, payload: new.payload, state: .queued, createdAt: now.date.roundedToMicroseconds,
            dueAt: (new.dueAt ?? now.date).roundedToMicroseconds, maximumAttempts: max(1, new.maximumAttempts), parent: new.parent, schedule: schedule,
            scheduledFor: scheduledFor)
        jobs[job.id] = job
        write(.state, JobText.state(job), job.id, at: now)
        return job
    }

    private func found(_ id: JobID) throws -> Job {
        try Task.checkCancellation()
        guard let job = jobs[id] else { throw JobText.notFound(id) }
        return job
    }

    private func check(_ claim: JobClaim) throws {
        try Task.checkCancellation()
        guard let job = jobs[claim.id], job.state == .running, job.lease?.token == claim.token else { throw JobText.leaseLost(claim) }
    }

    /// Changes a job's state and tells it in the log.
    @discardableResult
    private func change(_ id: JobID, at now: JobInstant, _ body: (inout Job) -> Void) -> Job? {
        guard var job = jobs[id] else { return nil }
        body(&job)
        job.revision += 1
        jobs[id] = job
        write(.state, JobText.state(job), id, at: now)
        return job
    }

    @discardableResult
    private func endLeases(at now: JobInstant, where isOver: (JobLease) -> Bool) -> [Job] {
        let over = jobs.values.filter { job in job.state == .running && job.lease.map(isOver) ?? true }.sorted { $0.id < $1.id }
        return over.compactMap { job in end(job.id, because: JobText.lostWorker(job), retryAt: min(job.dueAt, now.date), at: now) }
    }

    @discardableResult
    private func end(_ id: JobID, because error: String, retryAt: Date?, at now: JobInstant) -> Job? {
        change(id, at: now) { job in
            job.error = error
            if let retryAt, job.isCancelRequested == false, job.attemptsWithoutProgress < job.maximumAttempts {
                job.state = .queued
                job.dueAt = retryAt.roundedToMicroseconds
            } else {
                job.state = job.isCancelRequested ? .cancelled : .failed
                job.finishedAt = now.date.roundedToMicroseconds
            }
        }
    }

    private func write(_ kind: JobEvent.Kind, step: String = "", _ text: String, _ id: JobID, at now: JobInstant) {
        lastEvent += 1
        log.append(
            JobEvent(
                id: lastEvent, job: id, date: now.date.roundedToMicroseconds, attempt: jobs[id]?.attempt ?? 0, kind: kind, step: step, text: text))
    }
}
