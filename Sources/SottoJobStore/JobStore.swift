public import Foundation

/// Durable jobs: what is acknowledged is kept, whatever happens to the process or the power.
///
/// Every change is one transaction. A worker's writes name its claim and throw ``JobStoreError`` `.leaseLost` when they would change no row,
/// so a worker that slept through its lease can do no harm. Stores read no clock: every call is given the moment.
public protocol JobStore: Sendable {
    // MARK: Jobs

    /// Adds a job, queued, and returns it once it is kept.
    func add(_ new: NewJob, at now: JobInstant) async throws -> Job

    /// Takes the due job that waits longest (by due time, then number) and leases it, in one transaction.
    ///
    /// Leases that are over are ended first, as ``endExpiredLeases(at:)`` does. `nil` when nothing is due.
    func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) async throws -> ClaimedJob?

    /// Gives a sign of life and makes the lease last `lease` from now.
    func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) async throws -> HeartbeatAnswer

    /// Keeps a finished step. One with a name that is kept already is refused with `.wrongState`: nothing is done twice.
    func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) async throws

    /// Adds a line to the job's log.
    func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) async throws

    /// Ends the job with its one result.
    func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) async throws

    /// Ends the attempt: queued again at `retryAt`, or failed for good when it is `nil` or no attempts are left.
    ///
    /// - Parameter partial: What can be shown of it, when it failed for good.
    func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) async throws

    /// Ends the job as cancelled and keeps what was found.
    func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) async throws

    /// Gives the job back untouched, as a worker does that is told to stop: queued, and the attempt does not count.
    func release(_ claim: JobClaim, at now: JobInstant) async throws

    /// Queued jobs are cancelled at once; running ones are asked to stop. Those that have ended stay as they are.
    @discardableResult
    func requestCancel(_ id: JobID, at now: JobInstant) async throws -> Job

    /// Queues a failed or cancelled job again; steps that are kept are not done again. `.wrongState` for others.
    @discardableResult
    func retry(_ id: JobID, at now: JobInstant) async throws -> Job

    /// Removes a job with its steps, log and result. `.wrongState` while it runs.
    func remove(_ id: JobID, at now: JobInstant) async throws

    /// Ends every lease that is over: the job is queued again, parked as failed when its attempts are used up, or cancelled
    /// when that was asked for. Returns the jobs concerned.
    func endExpiredLeases(at now: JobInstant) async throws -> [Job]

    /// Ends the leases of all workers but `worker`, over or not: for a process that has just become the only owner, so that orphans wait
    /// for nothing.
    func endForeignLeases(keeping worker: String, at now: JobInstant) async throws -> [Job]

    // MARK: Reading

    func job(_ id: JobID) async throws -> Job?
    /// Newest first.
    func jobs(states: Set<JobState>, limit: Int) async throws -> [Job]
    func steps(of id: JobID) async throws -> [JobStep]
    func result(of id: JobID) async throws -> JobResult?
    /// Events with a number above `id`, oldest first; of one job or of all.
    func events(after id: Int64, job: JobID?, limit: Int) async throws -> [JobEvent]
    /// When the earliest queued job is due; `nil` when none waits.
    func nextDue(kinds: Set<String>) async throws -> Date?

    // MARK: Schedules

    /// Adds a schedule; its `id` is given by the store.
    func add(_ schedule: Schedule) async throws -> Schedule
    func schedules() async throws -> [Schedule]
    /// Jobs that it has already added stay.
    func remove(_ id: ScheduleID) async throws
    /// Adds the job of a due schedule and moves the schedule on, in one transaction; `nil` when ``ScheduleFiring/due`` no longer holds.
    func fire(_ firing: ScheduleFiring, at now: JobInstant) async throws -> Job?
    /// Records that the schedules were looked at.
    func checkedSchedules(at now: JobInstant) async throws
}
