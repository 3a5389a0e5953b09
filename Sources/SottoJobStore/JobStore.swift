public import Foundation

/// Durable jobs: what is acknowledged is kept, whatever happens to the process or the power.
///
/// Every change is one transaction, and its lines in the job's log are part of it. A worker's writes name its claim and throw
/// ``JobStoreError`` `.leaseLost` when they would change no row, so a worker that slept through its lease can do no harm. It is the token that
/// decides and not the clock: a lease that is over, but that nobody has ended yet, is still its worker's.
///
/// Stores read no clock: every call is given the moment. Dates are kept to the microsecond.
///
/// All calls throw ``JobStoreError``, and `CancellationError` when the calling task was cancelled before anything was changed.
public protocol JobStore: Sendable {
    // MARK: Jobs

    /// Adds a job, queued, and returns it once it is kept. ``NewJob/parent`` is a number to look up later and need not exist.
    func add(_ new: NewJob, at now: JobInstant) async throws -> Job

    /// Takes the due job that waits longest (by due time, then number) and leases it, in one transaction.
    ///
    /// Leases that are over are ended first, as ``endExpiredLeases(at:)`` does. The new attempt counts at once, so that a job that kills its
    /// process runs out of attempts too; ``Job/error`` of the last attempt is cleared.
    ///
    /// - Parameters:
    ///   - worker: A name that no other process has ever had.
    ///   - kinds: Only jobs of these kinds are taken.
    /// - Returns: `nil` when nothing is due.
    func claim(worker: String, kinds: Set<String>, lease: Duration, at now: JobInstant) async throws -> ClaimedJob?

    /// Gives a sign of life and makes the lease last `lease` from now.
    func heartbeat(_ claim: JobClaim, lease: Duration, at now: JobInstant) async throws -> HeartbeatAnswer

    /// Keeps a finished step and starts the count of attempts without progress anew.
    ///
    /// One with a name that is kept already is refused with `.wrongState`: nothing is done twice.
    func finish(_ step: JobStep, claim: JobClaim, at now: JobInstant) async throws

    /// Adds a line to the job's log.
    func note(_ kind: JobEvent.Kind, step: String, text: String, claim: JobClaim, at now: JobInstant) async throws

    /// Ends the job with its one result; also when a cancel was asked for meanwhile, for the work is done.
    func complete(_ claim: JobClaim, with result: JobResult, at now: JobInstant) async throws

    /// Ends the attempt: queued again at `retryAt`; failed for good when that is `nil` or no attempts are left; cancelled when that was asked for.
    ///
    /// - Parameter partial: What can be shown of it; kept unless it is queued again.
    func fail(_ claim: JobClaim, because error: String, retryAt: Date?, partial: JobResult?, at now: JobInstant) async throws

    /// Ends the job as cancelled and keeps what was found.
    func cancelled(_ claim: JobClaim, partial: JobResult?, at now: JobInstant) async throws

    /// Gives the job back untouched, as a worker does that is told to stop: queued, and the attempt does not count. Cancelled when that was
    /// asked for.
    func release(_ claim: JobClaim, at now: JobInstant) async throws

    /// Queued jobs are cancelled at once; running ones are asked to stop. Those that have ended stay as they are. `.notFound` for none.
    @discardableResult
    func requestCancel(_ id: JobID, at now: JobInstant) async throws -> Job

    /// Keeps what can be shown of a job that was cancelled or has failed without a worker to tell it, such as an orphan.
    ///
    /// Changes nothing when the job has a result. `.wrongState` unless it was cancelled or has failed.
    func keep(_ partial: JobResult, of id: JobID, at now: JobInstant) async throws

    /// Queues a failed or cancelled job again, due now, with all its attempts; steps that are kept are not done again, and what was shown of it
    /// is dropped. `.wrongState` for others.
    @discardableResult
    func retry(_ id: JobID, at now: JobInstant) async throws -> Job

    /// Removes a job with its steps, log and result. `.wrongState` while it runs.
    func remove(_ id: JobID, at now: JobInstant) async throws

    /// Ends every lease that is over (see ``JobLease/isExpired(at:)``): the job is queued again, parked as failed when its attempts are used up,
    /// or cancelled when that was asked for. The cause stands in ``Job/error``. Returns the jobs concerned, by number.
    @discardableResult
    func endExpiredLeases(at now: JobInstant) async throws -> [Job]

    /// Ends the leases of all workers but `worker`, over or not: for a process that has just become the only owner, so that orphans wait
    /// for nothing. Otherwise as ``endExpiredLeases(at:)``.
    @discardableResult
    func endForeignLeases(keeping worker: String, at now: JobInstant) async throws -> [Job]

    // MARK: Reading

    func job(_ id: JobID) async throws -> Job?
    /// Newest first; at most `limit`, all states when the set holds all.
    ///
    /// - Parameters:
    ///   - id: Only jobs with smaller numbers: the last of a page, for the next page.
    ///   - words: Only jobs whose title holds all of them, in any case of the 26 letters; the white space between them counts for nothing.
    func jobs(states: Set<JobState>, before id: JobID?, titled words: String, limit: Int) async throws -> [Job]
    /// In the order in which they were finished; empty for a job that does not exist.
    func steps(of id: JobID) async throws -> [JobStep]
    func result(of id: JobID) async throws -> JobResult?
    /// Events with a number above `id`, oldest first; of one job or of all.
    func events(after id: Int64, job: JobID?, limit: Int) async throws -> [JobEvent]
    /// When the earliest queued job is due, also when that is past; `nil` when none waits.
    func nextDue(kinds: Set<String>) async throws -> Date?

    // MARK: Schedules

    /// Adds a schedule; its `id` is given by the store, and never again.
    func add(_ schedule: Schedule) async throws -> Schedule
    /// By number.
    func schedules() async throws -> [Schedule]
    /// Changes what a schedule adds and when: kind, title, payload, rule, zone, attempts and ``Schedule/nextRun``. What has happened, and when it
    /// was made, stays as the store knows it. `.notFound` for none.
    @discardableResult
    func update(_ schedule: Schedule) async throws -> Schedule
    /// Jobs that it has already added stay. `.notFound` for none.
    func remove(_ id: ScheduleID) async throws
    /// Adds the job of a due schedule and moves the schedule on, in one transaction.
    ///
    /// - Returns: `nil`, with nothing changed, when ``ScheduleFiring/due`` no longer holds or the schedule is gone.
    func fire(_ firing: ScheduleFiring, at now: JobInstant) async throws -> Job?
    /// Records that the schedules were looked at.
    func checkedSchedules(at now: JobInstant) async throws
}

extension JobStore {
    /// Newest first; at most `limit`, all states when the set holds all.
    public func jobs(states: Set<JobState>, limit: Int) async throws -> [Job] {
        try await jobs(states: states, before: nil, titled: "", limit: limit)
    }
}
