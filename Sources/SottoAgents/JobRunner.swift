internal import Foundation
public import SottoJobStore
public import SottoObservability

/// Takes due jobs from a store, runs their handlers and writes down what came of it.
///
/// One runner for each process; its lifetime is ``run(untilIdle:)``. Jobs that it adds, cancels or retries itself are acted on at once; what others
/// write into the same store is seen within ``Configuration/checkInterval``, a cancel of a running job within half a second.
///
/// ```swift
/// let runner = JobRunner(store: store, handlers: [research], worker: "4711-5f3a", now: try LinuxJobClock.make())
/// async let lifetime: Void = runner.run()
/// let job = try await runner.add(NewJob(kind: "research", title: "Quotas", payload: payload))
/// let ended = try await runner.end(of: job.id)
/// ```
public actor JobRunner {
    public struct Configuration: Sendable, Equatable {
        /// Jobs that run at the same time, at least 1.
        public var workers: Int
        /// How long a worker may be silent before its job is somebody else's.
        public var lease: Duration
        public var retry: RetryPolicy
        /// The shortest time between two lines of progress of one attempt.
        public var progressInterval: Duration
        /// How long a handler may take to end after it was told to; then it is left behind.
        public var grace: Duration
        /// The longest time without a look at schedules, due times and leases: bounds what a jump of the wall clock can delay.
        public var checkInterval: Duration
        /// Whether no other process takes jobs from the store: then leases of all others are orphans, and are ended at the start.
        public var isOnlyOwner: Bool

        public init(
            workers: Int = 1, lease: Duration = .seconds(30), retry: RetryPolicy = RetryPolicy(), progressInterval: Duration = .milliseconds(250),
            grace: Duration = .milliseconds(800), checkInterval: Duration = .seconds(10), isOnlyOwner: Bool = true
        ) {
            self.workers = max(1, workers)
            self.lease = lease
            self.retry = retry
            self.progressInterval = progressInterval
            self.grace = grace
            self.checkInterval = checkInterval
            self.isOnlyOwner = isOnlyOwner
        }
    }

    private let store: any JobStore
    private let handlers: [String: any JobHandler]
    private let worker: String
    private let surroundings: AttemptSurroundings
    private let keeper = ScheduleKeeper()
    private let wakeUp = WakeUp()
    private var attempts: [JobID: JobAttempt] = [:]
    private var lastScheduleCheck: Duration?
    private var lastLook = Duration.zero
    private var knownProblems: Set<ScheduleID> = []

    private var configuration: Configuration { surroundings.configuration }
    private var kinds: Set<String> { Set(handlers.keys) }

    /// - Parameters:
    ///   - handlers: One for each kind; of two with the same kind the first counts. Jobs of other kinds stay queued.
    ///   - worker: Names this process in leases; no other process may ever have had it.
    ///   - now: The moment, for the store and for leases.
    ///   - clock: What is slept by.
    ///   - chance: In [0, 1), for the spread of retries.
    public init(
        store: any JobStore, handlers: [any JobHandler], worker: String, configuration: Configuration = Configuration(), now: @escaping JobClock,
        clock: any Clock<Duration> = ContinuousClock(), chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, log: Log = .none
    ) {
        self.store = store
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }) { first, _ in first }
        self.worker = worker
        surroundings = AttemptSurroundings(
            configuration: configuration, now: now, clock: clock, chance: chance, watchers: JobWatchers(), log: log)
    }

    // MARK: Lifetime

    /// Runs jobs until the task is cancelled; then gives back those that run, which takes at most ``Configuration/grace`` and a write.
    ///
    /// - Parameter untilIdle: Returns when nothing runs and nothing is due. Jobs that are due later, also those that are to be tried again, are not
    ///   waited for.
    /// - Throws: `CancellationError` after a cancel; ``JobStoreError`` when the store cannot be read at the start or is corrupt, and with
    ///   `untilIdle` on any failure of it. Otherwise a failing store is told to the log and tried again.
    public func run(untilIdle: Bool = false) async throws {
        if configuration.isOnlyOwner { await settle(try await store.endForeignLeases(keeping: worker, at: surroundings.now())) }
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                try Task.checkCancellation()
                var pause: Duration
                do {
                    let nextSchedule = try await fireSchedules()
                    try await fill(&group)
                    if untilIdle, attempts.isEmpty { break }
                    pause = try await pauseLength(nextSchedule)
                } catch let error as JobStoreError where error.code != .corrupt && untilIdle == false {
                    surroundings.log.error("the job store cannot be used, trying again: \(error)")
                    pause = .seconds(1)
                }
                await wakeUp.wait(atMost: pause, clock: surroundings.clock)
            }
        }
    }

    /// Looks at the store again at once: for whoever writes into it without the runner.
    public nonisolated func wake() { wakeUp.ring() }

    // MARK: For users

    /// Adds a job and starts it at once when it is due and a worker is free.
    public func add(_ new: NewJob) async throws -> Job {
        let job = try await store.add(new, at: surroundings.now())
        changed()
        return job
    }

    /// Cancels a queued job at once; one that runs here is told to stop, and ends within ``Configuration/grace`` and a write.
    @discardableResult
    public func cancel(_ id: JobID) async throws -> Job {
        // First of all, so that the work does not go on for as long as a busy disk takes; should the attempt end before the request is written,
        // the job is cancelled already.
        attempts[id]?.stop(.cancelled)
        let job = try await store.requestCancel(id, at: surroundings.now())
        if job.state == .running { attempts[id]?.stop(.cancelled) }
        if job.state == .cancelled { await settle([job]) }
        changed()
        return job
    }

    /// Queues a failed or cancelled job again; ``JobStore/retry(_:at:)``.
    @discardableResult
    public func retry(_ id: JobID) async throws -> Job {
        let job = try await store.retry(id, at: surroundings.now())
        changed()
        return job
    }

    /// Adds a schedule and runs it when it is due.
    public func add(_ schedule: Schedule) async throws -> Schedule {
        let schedule = try await store.add(schedule)
        changed()
        return schedule
    }

    /// Waits until a job has ended, whoever ends it, as long as this runner runs.
    ///
    /// - Throws: ``JobStoreError`` `.notFound` when there is no such job or it is removed; `CancellationError`, which leaves the job as it is.
    public func end(of id: JobID) async throws -> Job {
        let (number, bell) = surroundings.watchers.join()
        defer { surroundings.watchers.leave(number) }
        while true {
            guard let job = try await store.job(id) else { throw JobText.notFound(id) }
            if job.state.isFinal { return job }
            await bell.wait(atMost: configuration.checkInterval, clock: surroundings.clock)
            try Task.checkCancellation()
        }
    }

    /// Follows what happens: first what is written already after event `id`, then each line as it is written.
    ///
    /// - Parameters:
    ///   - id: The last event that was seen; 0 for all.
    ///   - job: Only this job's, until it has ended; `nil` follows all, without an end.
    ///   - body: Called for each event, in order; what it throws ends the call.
    /// - Throws: What `body` throws, ``JobStoreError``, `CancellationError`.
    public nonisolated(nonsending) func follow(after id: Int64, job: JobID?, _ body: (JobEvent) async throws -> Void) async throws {
        let (number, bell) = surroundings.watchers.join()
        defer { surroundings.watchers.leave(number) }
        var last = id
        while true {
            // Read before the events: a job that had ended then writes no more of them.
            let isOver = if let job { try await store.job(job)?.state.isFinal ?? true } else { false }
            var events: [JobEvent]
            repeat {
                events = try await store.events(after: last, job: job, limit: 256)
                for event in events {
                    try await body(event)
                    last = event.id
                }
            } while events.isEmpty == false
            if isOver { return }
            await bell.wait(atMost: surroundings.configuration.checkInterval, clock: surroundings.clock)
            try Task.checkCancellation()
        }
    }

    // MARK: Parts

    private func changed() {
        wakeUp.ring()
        surroundings.watchers.ring()
    }

    /// Gives each free worker a job, as long as some are due.
    private func fill(_ group: inout ThrowingDiscardingTaskGroup<any Error>) async throws {
        let now = surroundings.now()
        // The boot clock counts sleep: after a night, the leases of what still runs here are over too, and must not be taken for orphans.
        if now.uptime - lastLook >= configuration.lease * 2 / 3 { for attempt in attempts.values { try await attempt.renew(at: now) } }
        lastLook = now.uptime
        await settle(try await store.endExpiredLeases(at: now))
        while attempts.count < configuration.workers {
            try Task.checkCancellation()
            let claimed = try await store.claim(worker: worker, kinds: kinds, lease: configuration.lease, at: surroundings.now())
            guard let claimed, let handler = handlers[claimed.job.kind] else { return }
            let id = claimed.job.id
            let attempt = JobAttempt(claimed, handler: handler, store: store, surroundings: surroundings)
            attempts[id] = attempt
            group.addTask {
                await attempt.run()
                await self.ended(id, attempt)
            }
            surroundings.watchers.ring()
        }
    }

    private func ended(_ id: JobID, _ attempt: JobAttempt) {
        if attempts[id] === attempt { attempts[id] = nil }
        changed()
    }

    /// - Returns: When the next schedule is due.
    private func fireSchedules() async throws -> Duration? {
        let schedules = try await store.schedules()
        guard schedules.isEmpty == false else { return nil }
        let now = surroundings.now()
        let check = keeper.check(schedules, at: now.date)
        for problem in check.problems where knownProblems.insert(problem.schedule).inserted {
            surroundings.log.error("schedule \(problem.schedule) does not run: \(problem.error)")
        }
        for firing in check.firings { _ = try await store.fire(firing, at: now) }
        if check.firings.isEmpty == false { surroundings.watchers.ring() }
        // A write to the disk, so not at every look.
        if lastScheduleCheck.map({ now.uptime - $0 >= .seconds(60) }) ?? true {
            try await store.checkedSchedules(at: now)
            lastScheduleCheck = now.uptime
        }
        return check.nextDue.map { Duration.seconds($0.timeIntervalSince(now.date)) }
    }

    private func pauseLength(_ nextSchedule: Duration?) async throws -> Duration {
        var pause = configuration.checkInterval
        if let nextSchedule { pause = min(pause, nextSchedule) }
        if attempts.count < configuration.workers, let due = try await store.nextDue(kinds: kinds) {
            pause = min(pause, .seconds(due.timeIntervalSince(surroundings.now().date)))
        }
        // Others' leases end without a word.
        if configuration.isOnlyOwner == false { pause = min(pause, configuration.lease / 3) }
        return max(pause, .milliseconds(1))
    }

    /// Keeps what can be shown of jobs that ended without a worker.
    private func settle(_ jobs: [Job]) async {
        for job in jobs {
            surroundings.log.info("job \(job.id) is now \(job.state.rawValue)\(job.error.map { ": " + $0 } ?? "")")
            guard job.state == .failed || job.state == .cancelled, let handler = handlers[job.kind] else { continue }
            do {
                let steps = try await store.steps(of: job.id)
                guard let partial = handler.partialResult(of: job, steps: steps) else { continue }
                try await store.keep(partial, of: job.id, at: surroundings.now())
            } catch {
                surroundings.log.warning("what job \(job.id) had found could not be kept: \(error)")
            }
        }
        if jobs.isEmpty == false { surroundings.watchers.ring() }
    }
}
