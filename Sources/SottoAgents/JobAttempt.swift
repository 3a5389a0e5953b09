internal import Foundation
internal import SottoJobStore
internal import SottoObservability
internal import Synchronization

/// What every attempt of a runner is given.
struct AttemptSurroundings: Sendable {
    var configuration: JobRunner.Configuration
    var now: JobClock
    var clock: any Clock<Duration>
    /// In [0, 1).
    var chance: @Sendable () -> Double
    var watchers: JobWatchers
    var log: Log
}

/// One attempt at one job, from the claim to the last write.
final class JobAttempt: Sendable {
    private let claimed: ClaimedJob
    private let handler: any JobHandler
    private let store: any JobStore
    private let surroundings: AttemptSurroundings
    private let reason = Mutex<StopReason?>(nil)
    /// Rung when the handler has ended and when it is told to stop.
    private let bell = WakeUp()
    private let work: SupervisedWork<JobResult>

    init(_ claimed: ClaimedJob, handler: any JobHandler, store: any JobStore, surroundings: AttemptSurroundings) {
        self.claimed = claimed
        self.handler = handler
        self.store = store
        self.surroundings = surroundings
        work = SupervisedWork(ended: bell)
    }

    /// Tells the handler to stop; the first reason counts. Returns at once.
    func stop(_ why: StopReason) {
        let isFirst = reason.withLock { reason in
            guard reason == nil else { return false }
            reason = why
            return true
        }
        guard isFirst else { return }
        work.cancel()
        bell.ring()
    }

    /// Returns when nothing more will be written. Cancelling the task is a ``StopReason/shutdown``.
    @concurrent func run() async {
        // Not a child, because a shutdown must still be able to give the job back.
        let life = Task { await live() }
        await withTaskCancellationHandler { await life.value } onCancel: { stop(.shutdown) }
    }

    private func live() async {
        let steps = AttemptSteps(claimed, store: store, surroundings: surroundings)
        work.start { [handler, claimed] in try await handler.run(claimed.job, steps: steps) }
        let outcome = await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.mind() }
            while work.result == nil, reason.withLock({ $0 }) == nil { await bell.wait() }
            if work.result == nil { await bell.wait(atMost: surroundings.configuration.grace, clock: surroundings.clock) }
            group.cancelAll()
            return work.result
        }
        if outcome == nil { surroundings.log.warning("job \(claimed.job.id) did not stop when it was told to; its task was left behind") }
        await conclude(outcome)
        surroundings.watchers.ring()
    }

    /// Keeps the lease alive and looks out for a cancel.
    private func mind() async {
        var plan = LeasePlan(lease: surroundings.configuration.lease, start: surroundings.now().uptime)
        while Task.isCancelled == false {
            let now = surroundings.now()
            do {
                switch plan.action(at: now.uptime) {
                case .beat:
                    try await beat(at: now)
                    plan.didBeat(at: now.uptime)
                case .look:
                    let job = try await store.job(claimed.job.id)
                    guard job?.state == .running, job?.lease?.token == claimed.claim.token else {
                        stop(.leaseLost)
                        return
                    }
                    if job?.isCancelRequested == true { stop(.cancelled) }
                }
            } catch let error as JobStoreError where error.code == .leaseLost {
                stop(.leaseLost)
                return
            } catch is CancellationError {
                return
            } catch {
                // Tried again at the next interval; if it never succeeds, the lease runs out and the job is somebody else's.
                surroundings.log.warning("no sign of life could be given for job \(claimed.job.id): \(error)")
            }
            try? await surroundings.clock.sleep(for: plan.interval)
        }
    }

    /// Renews the lease, whether or not it is over: for a machine that has slept, before leases that are over are ended.
    func renew(at now: JobInstant) async throws {
        do { try await beat(at: now) } catch let error as JobStoreError where error.code == .leaseLost { stop(.leaseLost) }
    }

    private func beat(at now: JobInstant) async throws {
        if try await store.heartbeat(claimed.claim, lease: surroundings.configuration.lease, at: now) == .cancel { stop(.cancelled) }
    }

    private func conclude(_ outcome: Result<JobResult, any Error>?) async {
        // A disk that is full for a moment should not cost the result; after the lease, the job is somebody else's anyway.
        var delay = Duration.milliseconds(100)
        var waited = Duration.zero
        while true {
            do {
                try await write(outcome)
                return
            } catch let error as JobStoreError where error.code == .leaseLost {
                surroundings.log.info("job \(claimed.job.id): the lease was lost, what this attempt found was dropped")
                return
            } catch {
                surroundings.log.warning("the end of job \(claimed.job.id) could not be written: \(error)")
            }
            guard waited < surroundings.configuration.lease else { return }
            try? await surroundings.clock.sleep(for: delay)
            waited += delay
            delay *= 2
        }
    }

    private func write(_ outcome: Result<JobResult, any Error>?) async throws {
        let now = surroundings.now()
        let claim = claimed.claim
        let kept = try await store.steps(of: claimed.job.id)
        let hasProgressed = kept.count > claimed.steps.count
        let end = AttemptEnd(
            outcome, stop: reason.withLock { $0 }, failures: hasProgressed ? 1 : claimed.job.attemptsWithoutProgress,
            policy: surroundings.configuration.retry, chance: surroundings.chance(), at: now.date)
        switch end {
        case .complete(let result): try await store.complete(claim, with: result, at: now)
        case .fail(let error, let retryAt):
            try await store.fail(claim, because: error, retryAt: retryAt, partial: handler.partialResult(of: claimed.job, steps: kept), at: now)
        case .cancelled: try await store.cancelled(claim, partial: handler.partialResult(of: claimed.job, steps: kept), at: now)
        case .release: try await store.release(claim, at: now)
        case .drop: throw JobText.leaseLost(claim)
        }
    }
}
