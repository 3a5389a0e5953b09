import Foundation
public import SottoJobStore
public import Testing

/// One promise that every `JobStore` keeps: each store's tests check them all, each on a fresh store.
public struct JobStorePromise: Sendable, CustomTestStringConvertible {
    public let name: String
    public let check: @Sendable (any JobStore) async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (any JobStore) async throws -> Void) {
        self.name = name
        self.check = check
    }

    public var testDescription: String { name }

    public static let all: [JobStorePromise] = adding + claiming + leases + steps + ending + cancelling + managing + reading + scheduling
}

/// A moment `seconds` after the first one; the boot clock and the date move together.
func moment(_ seconds: Double, boot: String = "boot-1") -> JobInstant {
    JobInstant(date: Date(timeIntervalSince1970: 1_767_225_600 + seconds), uptime: .seconds(1_000) + .seconds(seconds), boot: boot)
}

private let kinds: Set<String> = ["research"]
private let lease = Duration.seconds(30)
private let partial = JobResult(body: "{}", findings: "half", summary: "Half.", outcome: .short(gaps: ["It was stopped."]))
private let whole = JobResult(body: #"{"a":1}"#, findings: "# All\u{0}é", summary: "All.", outcome: .done)

private func new(_ title: String = "t", due: Double? = nil, attempts: Int = 3) -> NewJob {
    NewJob(kind: "research", title: title, payload: #"{"q":"ü"}"#, dueAt: due.map { moment($0).date }, maximumAttempts: attempts)
}

private func step(_ name: String, attempt: Int = 1, output: String = "{}") -> JobStep {
    JobStep(name: name, attempt: attempt, startedAt: moment(1).date, finishedAt: moment(1.25).date, output: output)
}

private func claimed(_ store: any JobStore, at seconds: Double = 0, worker: String = "w1", boot: String = "boot-1") async throws -> ClaimedJob {
    try #require(try await store.claim(worker: worker, kinds: kinds, lease: lease, at: moment(seconds, boot: boot)))
}

private func expect(_ code: JobStoreError.Code, _ what: String, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("\(what): expected \(code)")
    } catch let error as JobStoreError {
        #expect(error.code == code, "\(what): \(error)")
        #expect(error.message.isEmpty == false)
    } catch {
        Issue.record("\(what): expected \(code), not \(error)")
    }
}

/// Every write of a claim that is not held any more.
private func expectLost(_ store: any JobStore, _ claim: JobClaim, at now: JobInstant) async throws {
    let before = try await snapshot(store)
    await expect(.leaseLost, "heartbeat") { _ = try await store.heartbeat(claim, lease: lease, at: now) }
    await expect(.leaseLost, "finish") { try await store.finish(step("late"), claim: claim, at: now) }
    await expect(.leaseLost, "note") { try await store.note(.note, step: "", text: "late", claim: claim, at: now) }
    await expect(.leaseLost, "complete") { try await store.complete(claim, with: whole, at: now) }
    await expect(.leaseLost, "fail") { try await store.fail(claim, because: "late", retryAt: now.date, partial: partial, at: now) }
    await expect(.leaseLost, "fail for good") { try await store.fail(claim, because: "late", retryAt: nil, partial: partial, at: now) }
    await expect(.leaseLost, "cancelled") { try await store.cancelled(claim, partial: partial, at: now) }
    await expect(.leaseLost, "release") { try await store.release(claim, at: now) }
    #expect(try await snapshot(store) == before, "a refused write changed something")
}

/// All that a store tells.
struct StoreSnapshot: Equatable {
    var jobs: [Job]
    var steps: [[JobStep]]
    var results: [JobResult?]
    var events: [JobEvent]
    var schedules: [Schedule]
}

func snapshot(_ store: any JobStore) async throws -> StoreSnapshot {
    var all = StoreSnapshot(jobs: try await store.jobs(states: Set(JobState.allCases), limit: .max), steps: [], results: [], events: [], schedules: [])
    for job in all.jobs {
        all.steps.append(try await store.steps(of: job.id))
        all.results.append(try await store.result(of: job.id))
    }
    all.events = try await store.events(after: 0, job: nil, limit: .max)
    all.schedules = try await store.schedules()
    return all
}

private let adding = [
    JobStorePromise("what is added comes back as it is, queued and due at once") { store in
        let now = JobInstant(date: Date(timeIntervalSince1970: 1_767_225_600.123456), uptime: .seconds(5), boot: "b")
        let job = try await store.add(NewJob(kind: "research", title: "Zwölf 🦊", payload: "{\"a\":\"\u{0}\\\"\"}", parent: JobID(77)), at: now)
        #expect(try await store.job(job.id) == job)
        #expect(job.state == .queued && job.title == "Zwölf 🦊" && job.payload == "{\"a\":\"\u{0}\\\"\"}" && job.parent == JobID(77))
        #expect(job.attempt == 0 && job.attemptsWithoutProgress == 0 && job.maximumAttempts == 3 && job.revision == 1)
        #expect(abs(job.createdAt.timeIntervalSince(now.date)) < 0.000_001 && job.dueAt == job.createdAt)
        #expect(job.lease == nil && job.startedAt == nil && job.finishedAt == nil && job.outcome == nil && job.error == nil)
    },
    JobStorePromise("dates come back to the microsecond, also far ones") { store in
        for seconds in [0.000_001, 0.999_999, 1.5, 3e9, -1e9, 86_400 * 365.0 * 900] {
            let due = moment(seconds).date
            let job = try await store.add(new(due: seconds), at: moment(0))
            #expect(job.dueAt.microseconds == due.microseconds && abs(job.dueAt.timeIntervalSince(due)) < 0.000_01)
            #expect(try await store.job(job.id)?.dueAt == job.dueAt)
        }
        let never = try await store.add(NewJob(kind: "research", title: "", payload: "", dueAt: .distantFuture), at: moment(0))
        #expect(never.dueAt.microseconds == Date.distantFuture.microseconds)
    },
    JobStorePromise("at least one attempt is allowed") { store in
        var job = new()
        job.maximumAttempts = -4
        let added = try await store.add(job, at: moment(0))
        #expect(added.maximumAttempts == 1)
    },
    JobStorePromise("numbers rise and are never used again, not even the last one's") { store in
        let first = try await store.add(new(), at: moment(0))
        let second = try await store.add(new(), at: moment(0))
        #expect(second.id > first.id)
        try await store.remove(second.id, at: moment(1))
        try await store.remove(first.id, at: moment(1))
        let events = try await store.events(after: 0, job: nil, limit: 100)
        let third = try await store.add(new(), at: moment(2))
        #expect(third.id > second.id && events.isEmpty)
        #expect(try await store.events(after: 2, job: nil, limit: 100).count == 1, "an event's number came twice")
    },
]

private let claiming = [
    JobStorePromise("the job that waits longest is claimed first: by due time, then by number") { store in
        let late = try await store.add(new("late", due: 5), at: moment(0))
        let early = try await store.add(new("early", due: -5), at: moment(0))
        let same = try await store.add(new("same", due: 5), at: moment(0))
        #expect(try await claimed(store, at: 6).job.id == early.id)
        #expect(try await claimed(store, at: 6).job.id == late.id)
        #expect(try await claimed(store, at: 6).job.id == same.id)
        #expect(try await store.claim(worker: "w1", kinds: kinds, lease: lease, at: moment(6)) == nil)
    },
    JobStorePromise("nothing is claimed before it is due, and at that moment it is") { store in
        try await _ = store.add(new(due: 5), at: moment(0))
        #expect(try await store.claim(worker: "w1", kinds: kinds, lease: lease, at: moment(4.999_999)) == nil)
        #expect(try await store.claim(worker: "w1", kinds: kinds, lease: lease, at: moment(5)) != nil)
    },
    JobStorePromise("only the asked kinds are claimed") { store in
        try await _ = store.add(NewJob(kind: "other", title: "", payload: ""), at: moment(0))
        #expect(try await store.claim(worker: "w1", kinds: kinds, lease: lease, at: moment(1)) == nil)
        #expect(try await store.claim(worker: "w1", kinds: [], lease: lease, at: moment(1)) == nil)
        #expect(try await store.claim(worker: "w1", kinds: ["research", "other"], lease: lease, at: moment(1))?.job.kind == "other")
    },
    JobStorePromise("a claim leases the job, counts the attempt and is told in the log") { store in
        let added = try await store.add(new(), at: moment(0))
        let claim = try await claimed(store, at: 2)
        let job = claim.job
        #expect(try await store.job(added.id) == job)
        #expect(job.state == .running && job.attempt == 1 && job.attemptsWithoutProgress == 1 && claim.steps.isEmpty)
        #expect(job.startedAt == moment(2).date && job.lastHeard == moment(2).date && job.revision > added.revision)
        #expect(job.lease == JobLease(worker: "w1", token: claim.claim.token, boot: "boot-1", expires: 1_032_000_000_000))
        let events = try await store.events(after: 0, job: added.id, limit: 10)
        #expect(events.map(\.kind) == [.state, .state] && events.map(\.attempt) == [0, 1])
        #expect(events[0].text == "queued" && events[1].text.hasPrefix("running") && events[1].date == moment(2).date)
    },
    JobStorePromise("the fencing token rises with every claim of any job, also after jobs were removed") { store in
        var last: Int64 = -1
        for round in 0..<4 {
            let added = try await store.add(new(), at: moment(Double(round)))
            let claim = try await claimed(store, at: Double(round))
            #expect(claim.claim.token > last && claim.claim.id == added.id)
            last = claim.claim.token
            try await store.complete(claim.claim, with: whole, at: moment(Double(round)))
            try await store.remove(added.id, at: moment(Double(round)))
        }
    },
    JobStorePromise("many claims at once give each job once") { store in
        for _ in 0..<40 { try await _ = store.add(new(), at: moment(0)) }
        let ids = try await withThrowingTaskGroup(of: [JobID].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var mine: [JobID] = []
                    while let claim = try await store.claim(worker: "w\(worker)", kinds: ["research"], lease: .seconds(30), at: moment(1)) {
                        mine.append(claim.job.id)
                    }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ids.count == 40 && Set(ids).count == 40)
    },
]

private let leases = [
    JobStorePromise("a heartbeat lengthens the lease and tells when it was heard") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        #expect(try await store.heartbeat(claim.claim, lease: lease, at: moment(20)) == .goOn)
        let job = try await store.job(claim.job.id)
        #expect(job?.lease?.expires == 1_050_000_000_000 && job?.lastHeard == moment(20).date)
        #expect(try await store.endExpiredLeases(at: moment(49.999)).isEmpty)
        #expect(try await store.endExpiredLeases(at: moment(50)).map(\.id) == [claim.job.id])
    },
    JobStorePromise("an expired lease puts the job back with its cause, and a claim does so by itself") { store in
        try await _ = store.add(new(), at: moment(0))
        let first = try await claimed(store)
        #expect(try await store.claim(worker: "w2", kinds: kinds, lease: lease, at: moment(29)) == nil)
        let second = try await claimed(store, at: 30, worker: "w2")
        #expect(second.job.id == first.job.id && second.job.attempt == 2 && second.job.lease?.worker == "w2")
        #expect(second.claim.token > first.claim.token && second.job.error == nil && second.job.startedAt == moment(0).date)
        let texts = try await store.events(after: 0, job: first.job.id, limit: 10).map(\.text)
        #expect(texts.contains { $0.hasPrefix("queued: ") && $0.contains("w1") })
        try await expectLost(store, first.claim, at: moment(31))
        try await store.complete(second.claim, with: whole, at: moment(32))
        try await expectLost(store, first.claim, at: moment(33))
    },
    JobStorePromise("a lease that is over but that nobody has ended is still its worker's") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        #expect(try await store.heartbeat(claim.claim, lease: lease, at: moment(500)) == .goOn)
        #expect(try await store.endExpiredLeases(at: moment(529)).isEmpty)
        try await store.complete(claim.claim, with: whole, at: moment(600))
    },
    JobStorePromise("the wall clock does not end leases") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        var jumped = moment(1)
        jumped.date += 86_400 * 365
        #expect(try await store.endExpiredLeases(at: jumped).isEmpty)
        jumped.date -= 86_400 * 1_000
        #expect(try await store.endExpiredLeases(at: jumped).isEmpty)
        #expect(try await store.job(claim.job.id)?.state == .running)
    },
    JobStorePromise("another start of the machine ends all leases, and the orphans are due although the date went back") { store in
        try await _ = store.add(new(), at: moment(0))
        let first = try await claimed(store)
        let restarted = JobInstant(date: moment(-5_000).date, uptime: .seconds(3), boot: "boot-2")
        let ended = try await store.endExpiredLeases(at: restarted)
        #expect(ended.map(\.state) == [.queued])
        let second = try await store.claim(worker: "w2", kinds: kinds, lease: lease, at: restarted)
        #expect(second?.job.id == first.job.id)
        try await expectLost(store, first.claim, at: restarted)
    },
    JobStorePromise("foreign leases are ended at once, one's own are kept") { store in
        for _ in 0..<3 { try await _ = store.add(new(), at: moment(0)) }
        let dead = try await claimed(store, worker: "dead")
        let own = try await claimed(store, worker: "own")
        let ended = try await store.endForeignLeases(keeping: "own", at: moment(0.5))
        #expect(ended.map(\.id) == [dead.job.id] && ended.first?.state == .queued && ended.first?.error?.contains("dead") == true)
        #expect(try await store.job(own.job.id)?.state == .running)
        try await expectLost(store, dead.claim, at: moment(1))
        #expect(try await claimed(store, at: 1, worker: "own").job.id == dead.job.id, "the orphan goes first again")
    },
    JobStorePromise("a poison job is parked with its cause when its attempts are used up") { store in
        try await _ = store.add(new(attempts: 3), at: moment(0))
        for attempt in 1...3 {
            let claim = try await claimed(store, at: Double(attempt), worker: "victim-\(attempt)")
            let ended = try #require(try await store.endForeignLeases(keeping: "new", at: moment(Double(attempt) + 0.5)).first)
            #expect(ended.id == claim.job.id && ended.attempt == attempt)
            #expect(ended.state == (attempt < 3 ? .queued : .failed))
            #expect(ended.error?.contains("victim-\(attempt)") == true)
        }
        let job = try #require(try await store.jobs(states: [.failed], limit: 1).first)
        #expect(job.finishedAt == moment(3.5).date && job.error?.contains("3 attempts") == true)
        #expect(try await store.claim(worker: "w", kinds: kinds, lease: lease, at: moment(99)) == nil)
    },
]

private let steps = [
    JobStorePromise("finished steps come back in order to the next attempt") { store in
        try await _ = store.add(new(), at: moment(0))
        let first = try await claimed(store)
        let kept = [step("plan", output: #"{"p":"ß\u0000"}"#), step("search"), step("a read")]
        for step in kept { try await store.finish(step, claim: first.claim, at: moment(2)) }
        #expect(try await store.steps(of: first.job.id) == kept)
        try await store.endForeignLeases(keeping: "", at: moment(3))
        #expect(try await claimed(store, at: 3).steps == kept)
        let finished = try await store.events(after: 0, job: first.job.id, limit: 99).filter { $0.kind == .stepFinished }
        #expect(finished.map(\.step) == ["plan", "search", "a read"] && finished.allSatisfy { $0.text == "250 ms" })
    },
    JobStorePromise("a step is kept once: a second one of its name is refused, and changes nothing") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store).claim
        try await store.finish(step("plan", output: "1"), claim: claim, at: moment(1))
        let before = try await snapshot(store)
        await expect(.wrongState, "finish") { try await store.finish(step("plan", output: "2"), claim: claim, at: moment(2)) }
        #expect(try await snapshot(store) == before)
    },
    JobStorePromise("two jobs may have steps of one name") { store in
        for _ in 0..<2 { try await _ = store.add(new(), at: moment(0)) }
        for _ in 0..<2 { try await store.finish(step("plan"), claim: try await claimed(store).claim, at: moment(1)) }
    },
    JobStorePromise("only attempts without a finished step count against the cap") { store in
        try await _ = store.add(new(attempts: 2), at: moment(0))
        for attempt in 1...6 {
            let claim = try await claimed(store, at: Double(attempt))
            #expect(claim.job.attempt == attempt && claim.job.attemptsWithoutProgress == 1 && claim.steps.count == attempt - 1)
            try await store.finish(step("s\(attempt)", attempt: attempt), claim: claim.claim, at: moment(Double(attempt)))
            try await store.fail(claim.claim, because: "broke", retryAt: moment(Double(attempt)).date, partial: nil, at: moment(Double(attempt)))
        }
        for (attempt, state) in [(7, JobState.queued), (8, .failed)] {
            let claim = try await claimed(store, at: Double(attempt))
            try await store.fail(claim.claim, because: "broke", retryAt: moment(Double(attempt)).date, partial: partial, at: moment(Double(attempt)))
            #expect(try await store.job(claim.job.id)?.state == state)
        }
    },
    JobStorePromise("notes are lines of the log with attempt, step and time") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        try await store.note(.progress, step: "read", text: "3 of 9", claim: claim.claim, at: moment(4))
        try await store.note(.stepFailed, step: "read", text: "timed out", claim: claim.claim, at: moment(5))
        let events = try await store.events(after: 0, job: claim.job.id, limit: 99).suffix(2)
        #expect(events.map(\.kind) == [.progress, .stepFailed] && events.map(\.text) == ["3 of 9", "timed out"])
        #expect(events.allSatisfy { $0.step == "read" && $0.attempt == 1 && $0.job == claim.job.id } && events.last?.date == moment(5).date)
    },
]

private let ending = [
    JobStorePromise("a completed job has its result, and takes no second one") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        try await store.complete(claim.claim, with: whole, at: moment(9))
        let job = try #require(try await store.job(claim.job.id))
        #expect(job.state == .completed && job.finishedAt == moment(9).date && job.outcome == .done && job.error == nil)
        #expect(try await store.result(of: job.id) == whole)
        try await expectLost(store, claim.claim, at: moment(10))
        await expect(.wrongState, "keep") { try await store.keep(partial, of: job.id, at: moment(10)) }
        #expect(try await store.events(after: 0, job: job.id, limit: 99).count { $0.text == "completed" } == 1)
    },
    JobStorePromise("an outcome short of the request keeps its gaps, also none") { store in
        for gaps in [["No price was found.", "\"é\""], []] {
            try await _ = store.add(new(), at: moment(0))
            let claim = try await claimed(store)
            let short = JobResult(body: "", findings: "", summary: "", outcome: .short(gaps: gaps))
            try await store.complete(claim.claim, with: short, at: moment(1))
            #expect(try await store.job(claim.job.id)?.outcome == .short(gaps: gaps))
            #expect(try await store.result(of: claim.job.id) == short)
        }
    },
    JobStorePromise("a failure that may pass queues the job again at its time, without a result") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        try await store.fail(claim.claim, because: "no network", retryAt: moment(60).date, partial: partial, at: moment(1))
        let job = try #require(try await store.job(claim.job.id))
        #expect(job.state == .queued && job.error == "no network" && job.dueAt == moment(60).date && job.finishedAt == nil)
        #expect(try await store.result(of: job.id) == nil)
        #expect(try await store.claim(worker: "w", kinds: kinds, lease: lease, at: moment(59)) == nil)
        try await expectLost(store, claim.claim, at: moment(2))
        #expect(try await claimed(store, at: 60).job.attempt == 2)
    },
    JobStorePromise("a failure for good keeps its cause and what can be shown") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        try await store.fail(claim.claim, because: "no such model", retryAt: nil, partial: partial, at: moment(1))
        let job = try #require(try await store.job(claim.job.id))
        #expect(job.state == .failed && job.error == "no such model" && job.finishedAt == moment(1).date && job.outcome == nil)
        #expect(try await store.result(of: job.id) == partial)
        #expect(try await store.events(after: 0, job: job.id, limit: 9).last?.text == "failed: no such model")
        try await expectLost(store, claim.claim, at: moment(2))
    },
    JobStorePromise("a released job is queued as if it had not been claimed") { store in
        let added = try await store.add(new(), at: moment(0))
        let claim = try await claimed(store, at: 1)
        try await store.release(claim.claim, at: moment(2))
        let job = try #require(try await store.job(added.id))
        #expect(job.state == .queued && job.attempt == 0 && job.attemptsWithoutProgress == 0 && job.dueAt == added.dueAt && job.error == nil)
        try await expectLost(store, claim.claim, at: moment(3))
        let again = try await claimed(store, at: 3)
        try await store.finish(step("plan"), claim: again.claim, at: moment(3))
        try await store.release(again.claim, at: moment(4))
        #expect(try await store.job(added.id)?.attemptsWithoutProgress == 0)
        #expect(try await claimed(store, at: 5).steps.count == 1)
    },
]

private let cancelling = [
    JobStorePromise("a queued job is cancelled at once") { store in
        let job = try await store.add(new(), at: moment(0))
        let answer = try await store.requestCancel(job.id, at: moment(1))
        #expect(answer.state == .cancelled && answer.finishedAt == moment(1).date)
        #expect(try await store.job(job.id) == answer)
        #expect(try await store.claim(worker: "w", kinds: kinds, lease: lease, at: moment(2)) == nil)
        #expect(try await store.nextDue(kinds: kinds) == nil)
    },
    JobStorePromise("a running job is asked to stop: its heartbeat hears it, and its worker ends it with what was found") { store in
        let job = try await store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        let answer = try await store.requestCancel(job.id, at: moment(1))
        #expect(answer.state == .running && answer.isCancelRequested)
        #expect(try await store.requestCancel(job.id, at: moment(1)) == answer, "asked twice is asked once")
        #expect(try await store.heartbeat(claim.claim, lease: lease, at: moment(2)) == .cancel)
        try await store.finish(step("plan"), claim: claim.claim, at: moment(2))
        try await store.cancelled(claim.claim, partial: partial, at: moment(3))
        let ended = try #require(try await store.job(job.id))
        #expect(ended.state == .cancelled && ended.finishedAt == moment(3).date)
        #expect(try await store.result(of: job.id) == partial)
        #expect(try await store.steps(of: job.id).count == 1)
        try await expectLost(store, claim.claim, at: moment(4))
    },
    JobStorePromise("a cancel that was asked for holds however the attempt ends; only a completed job stays completed") { store in
        for ending in 0..<5 {
            let job = try await store.add(new("\(ending)"), at: moment(0))
            let claim = try await claimed(store)
            try await store.requestCancel(job.id, at: moment(1))
            switch ending {
            case 0: try await store.fail(claim.claim, because: "x", retryAt: moment(1).date, partial: partial, at: moment(2))
            case 1: try await store.release(claim.claim, at: moment(2))
            case 2: try await store.endExpiredLeases(at: moment(31))
            case 3: try await store.endForeignLeases(keeping: "", at: moment(2))
            default: try await store.complete(claim.claim, with: whole, at: moment(2))
            }
            let ended = try #require(try await store.job(job.id))
            #expect(ended.state == (ending == 4 ? .completed : .cancelled), "ending \(ending)")
            #expect(ended.finishedAt != nil)
            if ending == 0 { #expect(try await store.result(of: job.id) == partial) }
        }
    },
    JobStorePromise("cancelling what has ended changes nothing; cancelling nothing is an error") { store in
        try await _ = store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        try await store.complete(claim.claim, with: whole, at: moment(1))
        let before = try await snapshot(store)
        #expect(try await store.requestCancel(claim.job.id, at: moment(2)).state == .completed)
        #expect(try await snapshot(store) == before)
        await expect(.notFound, "cancel") { try await store.requestCancel(JobID(999), at: moment(2)) }
    },
    JobStorePromise("what an orphan had found can be kept once it has ended, and only once") { store in
        let job = try await store.add(new(), at: moment(0))
        await expect(.wrongState, "queued") { try await store.keep(partial, of: job.id, at: moment(0)) }
        _ = try await claimed(store)
        await expect(.wrongState, "running") { try await store.keep(partial, of: job.id, at: moment(0)) }
        try await store.requestCancel(job.id, at: moment(1))
        try await store.endForeignLeases(keeping: "", at: moment(2))
        try await store.keep(partial, of: job.id, at: moment(3))
        try await store.keep(whole, of: job.id, at: moment(4))
        #expect(try await store.result(of: job.id) == partial)
        await expect(.notFound, "none") { try await store.keep(partial, of: JobID(999), at: moment(0)) }
    },
]

private let managing = [
    JobStorePromise("retry queues a failed or cancelled job with all attempts and its steps, and drops what was shown") { store in
        let job = try await store.add(new(attempts: 1), at: moment(0))
        let first = try await claimed(store)
        try await store.finish(step("plan"), claim: first.claim, at: moment(1))
        try await store.fail(first.claim, because: "x", retryAt: nil, partial: partial, at: moment(2))
        let again = try await store.retry(job.id, at: moment(3))
        #expect(again.state == .queued && again.dueAt == moment(3).date && again.error == nil && again.finishedAt == nil)
        #expect(again.attemptsWithoutProgress == 0 && again.attempt == 1)
        #expect(try await store.result(of: job.id) == nil)
        let second = try await claimed(store, at: 3)
        #expect(second.job.attempt == 2 && second.steps.map(\.name) == ["plan"])
        try await store.requestCancel(job.id, at: moment(4))
        try await store.cancelled(second.claim, partial: partial, at: moment(4))
        #expect(try await store.retry(job.id, at: moment(5)).isCancelRequested == false)
        let third = try await claimed(store, at: 5)
        #expect(try await store.heartbeat(third.claim, lease: lease, at: moment(6)) == .goOn)
        try await store.complete(third.claim, with: whole, at: moment(7))
        #expect(try await store.result(of: job.id) == whole)
    },
    JobStorePromise("only failed and cancelled jobs are retried") { store in
        let job = try await store.add(new(), at: moment(0))
        await expect(.wrongState, "queued") { try await store.retry(job.id, at: moment(1)) }
        let claim = try await claimed(store)
        await expect(.wrongState, "running") { try await store.retry(job.id, at: moment(1)) }
        try await store.complete(claim.claim, with: whole, at: moment(1))
        await expect(.wrongState, "completed") { try await store.retry(job.id, at: moment(1)) }
        #expect(try await store.result(of: job.id) == whole)
        await expect(.notFound, "none") { try await store.retry(JobID(999), at: moment(1)) }
    },
    JobStorePromise("remove takes all of a job, and leaves the others alone; a running one is refused") { store in
        let stays = try await store.add(new(), at: moment(0))
        let first = try await claimed(store)
        try await store.finish(step("plan"), claim: first.claim, at: moment(1))
        try await store.complete(first.claim, with: whole, at: moment(1))
        let goes = try await store.add(new(), at: moment(0))
        let second = try await claimed(store)
        await expect(.wrongState, "running") { try await store.remove(goes.id, at: moment(2)) }
        try await store.finish(step("plan"), claim: second.claim, at: moment(2))
        try await store.complete(second.claim, with: whole, at: moment(2))
        try await store.remove(goes.id, at: moment(3))
        #expect(try await store.job(goes.id) == nil)
        #expect(try await store.steps(of: goes.id).isEmpty)
        #expect(try await store.result(of: goes.id) == nil)
        #expect(try await store.events(after: 0, job: goes.id, limit: 9).isEmpty)
        await expect(.notFound, "twice") { try await store.remove(goes.id, at: moment(3)) }
        #expect(try await store.job(stays.id)?.state == .completed)
        #expect(try await store.steps(of: stays.id).count == 1)
        #expect(try await store.result(of: stays.id) == whole)
    },
    JobStorePromise("every change of a job raises its revision") { store in
        let job = try await store.add(new(), at: moment(0))
        var last = job.revision
        func expectRise(_ what: String) async throws {
            let revision = try await store.job(job.id)?.revision ?? 0
            #expect(revision > last, "\(what)")
            last = revision
        }
        let claim = try await claimed(store)
        try await expectRise("claim")
        _ = try await store.heartbeat(claim.claim, lease: lease, at: moment(1))
        try await expectRise("heartbeat")
        try await store.finish(step("plan"), claim: claim.claim, at: moment(1))
        try await expectRise("finish")
        try await store.requestCancel(job.id, at: moment(1))
        try await expectRise("cancel")
        try await store.cancelled(claim.claim, partial: nil, at: moment(1))
        try await expectRise("cancelled")
        try await store.keep(partial, of: job.id, at: moment(1))
        try await expectRise("keep")
        try await store.retry(job.id, at: moment(1))
        try await expectRise("retry")
    },
    JobStorePromise("a call of a cancelled task throws CancellationError and changes nothing") { store in
        let job = try await store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        let before = try await snapshot(store)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.add(new(), at: moment(1)) }, { _ = try await store.requestCancel(job.id, at: moment(1)) },
            { try await store.complete(claim.claim, with: whole, at: moment(1)) }, { _ = try await store.endExpiredLeases(at: moment(99)) },
        ]
        for call in calls {
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await call()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await snapshot(store) == before)
    },
]

private let reading = [
    JobStorePromise("jobs are found by all words of their title, in any case, whatever signs are in it") { store in
        var ids: [JobID] = []
        for title in ["100 % of Ärger", "The Percent sign", "a_b and\\c"] {
            var job = new()
            job.title = title
            ids.append(try await store.add(job, at: moment(0)).id)
        }
        func found(_ words: String) async throws -> [JobID] { try await store.jobs(states: [.queued], before: nil, titled: words, limit: 9).map(\.id) }
        #expect(try await found("  sign  THE ") == [ids[1]])
        #expect(try await found("%") == [ids[0]])
        #expect(try await found("_") == [ids[2]])
        #expect(try await found("\\") == [ids[2]])
        #expect(try await found("Ärger") == [ids[0]])
        #expect(try await found("sign percent nothing").isEmpty)
        #expect(try await found(" ") == ids.reversed())
    },
    JobStorePromise("jobs are listed newest first, by state and up to a limit") { store in
        var ids: [JobID] = []
        for _ in 0..<4 { ids.append(try await store.add(new(), at: moment(0)).id) }
        _ = try await claimed(store)
        try await store.requestCancel(ids[1], at: moment(1))
        #expect(try await store.jobs(states: Set(JobState.allCases), limit: 3).map(\.id) == [ids[3], ids[2], ids[1]])
        #expect(try await store.jobs(states: [.queued], limit: 9).map(\.id) == [ids[3], ids[2]])
        #expect(try await store.jobs(states: [.running, .cancelled], limit: 9).map(\.id) == [ids[1], ids[0]])
        #expect(try await store.jobs(states: [], limit: 9).isEmpty)
        #expect(try await store.jobs(states: [.queued], limit: 0).isEmpty)
        #expect(try await store.jobs(states: Set(JobState.allCases), before: ids[2], titled: "", limit: 9).map(\.id) == [ids[1], ids[0]])
        #expect(try await store.jobs(states: Set(JobState.allCases), before: ids[0], titled: "", limit: 9).isEmpty)
        #expect(try await store.job(JobID(999)) == nil)
        #expect(try await store.steps(of: JobID(999)).isEmpty)
        #expect(try await store.result(of: JobID(999)) == nil)
    },
    JobStorePromise("a reader of events goes on where it stopped, of one job or of all") { store in
        let first = try await store.add(new(), at: moment(0))
        let second = try await store.add(new(), at: moment(0))
        let claim = try await claimed(store)
        for number in 0..<5 { try await store.note(.progress, step: "s", text: "\(number)", claim: claim.claim, at: moment(Double(number))) }
        let all = try await store.events(after: 0, job: nil, limit: 99)
        #expect(all.count == 8 && all.map(\.id) == all.map(\.id).sorted() && Set(all.map(\.id)).count == 8)
        var seen: [JobEvent] = []
        while case let page = try await store.events(after: seen.last?.id ?? 0, job: nil, limit: 3), page.isEmpty == false { seen += page }
        #expect(seen == all)
        #expect(try await store.events(after: all[3].id, job: first.id, limit: 99) == all.filter { $0.job == first.id && $0.id > all[3].id })
        #expect(try await store.events(after: 0, job: second.id, limit: 99).count == 1)
        #expect(try await store.events(after: 0, job: nil, limit: 0).isEmpty)
    },
    JobStorePromise("the next due time is the earliest of those that wait") { store in
        #expect(try await store.nextDue(kinds: kinds) == nil)
        for due in [50.0, 20, 90] { try await _ = store.add(new(due: due), at: moment(0)) }
        try await _ = store.add(NewJob(kind: "other", title: "", payload: "", dueAt: moment(1).date), at: moment(0))
        #expect(try await store.nextDue(kinds: kinds) == moment(20).date)
        #expect(try await store.nextDue(kinds: []) == nil)
        _ = try await claimed(store, at: 21)
        #expect(try await store.nextDue(kinds: kinds) == moment(50).date)
    },
]

private func schedule(next: Double?, missed: Int = 0) -> Schedule {
    Schedule(
        id: ScheduleID(0), kind: "research", title: "News", payload: "{}", rule: "day at 09:00", zone: "Europe/Berlin", maximumAttempts: 2,
        createdAt: moment(0).date, nextRun: next.map { moment($0).date }, missed: missed)
}

private let scheduling = [
    JobStorePromise("schedules come back as they were added, by number, and their numbers are never used again") { store in
        let first = try await store.add(schedule(next: 10.5))
        let second = try await store.add(schedule(next: nil, missed: 4))
        #expect(try await store.schedules() == [first, second] && first.id != second.id)
        #expect(first.nextRun == moment(10.5).date && first.zone == "Europe/Berlin" && second.nextRun == nil && second.missed == 4)
        try await store.remove(second.id)
        let third = try await store.add(schedule(next: 1))
        #expect(third.id.rawValue > second.id.rawValue)
        await expect(.notFound, "remove") { try await store.remove(second.id) }
    },
    JobStorePromise("firing adds one job and moves the schedule on") { store in
        let plan = try await store.add(schedule(next: 10))
        let firing = ScheduleFiring(schedule: plan.id, due: moment(10).date, scheduledFor: moment(70).date, missed: 1, next: moment(130).date)
        let job = try #require(try await store.fire(firing, at: moment(75)))
        #expect(job.schedule == plan.id && job.scheduledFor == moment(70).date && job.dueAt == moment(70).date && job.maximumAttempts == 2)
        #expect(job.state == .queued && job.title == "News" && job.createdAt == moment(75).date)
        let moved = try #require(try await store.schedules().first)
        #expect(moved.nextRun == moment(130).date && moved.lastRun == moment(75).date && moved.lastCheck == moment(75).date && moved.missed == 1)
    },
    JobStorePromise("a firing that was decided for another time does nothing: two keepers add one job") { store in
        let plan = try await store.add(schedule(next: 10))
        let firing = ScheduleFiring(schedule: plan.id, due: moment(10).date, scheduledFor: moment(10).date, missed: 0, next: nil)
        let jobs = try await withThrowingTaskGroup(of: Job?.self) { group in
            for _ in 0..<4 { group.addTask { try await store.fire(firing, at: moment(11)) } }
            return try await group.reduce(into: []) { if let job = $1 { $0.append(job) } }
        }
        #expect(jobs.count == 1)
        let before = try await snapshot(store)
        #expect(before.jobs.count == 1 && before.schedules.first?.nextRun == nil)
        #expect(try await store.fire(firing, at: moment(12)) == nil)
        let gone = ScheduleFiring(schedule: ScheduleID(99), due: moment(10).date, scheduledFor: moment(10).date, missed: 0, next: nil)
        #expect(try await store.fire(gone, at: moment(12)) == nil)
        #expect(try await snapshot(store) == before)
    },
    JobStorePromise("a check is not a run") { store in
        _ = try await store.add(schedule(next: 10))
        try await store.checkedSchedules(at: moment(5))
        let plan = try #require(try await store.schedules().first)
        #expect(plan.lastCheck == moment(5).date && plan.lastRun == nil && plan.missed == 0)
        #expect(try await store.jobs(states: Set(JobState.allCases), limit: 9).isEmpty)
    },
    JobStorePromise("an update changes what is asked for and keeps what has happened; jobs of a removed schedule stay") { store in
        let plan = try await store.add(schedule(next: 10))
        let firing = ScheduleFiring(schedule: plan.id, due: moment(10).date, scheduledFor: moment(10).date, missed: 3, next: moment(20).date)
        let job = try #require(try await store.fire(firing, at: moment(11)))
        var edited = plan
        edited.title = "Weather"
        edited.rule = "hour"
        edited.nextRun = moment(30).date
        let updated = try await store.update(edited)
        #expect(updated.title == "Weather" && updated.rule == "hour" && updated.zone == "Europe/Berlin" && updated.nextRun == moment(30).date)
        #expect(updated.missed == 3 && updated.lastRun == moment(11).date && updated.createdAt == plan.createdAt)
        #expect(try await store.schedules() == [updated])
        try await store.remove(plan.id)
        #expect(try await store.job(job.id)?.schedule == plan.id)
        await expect(.notFound, "update") { try await store.update(edited) }
    },
]
