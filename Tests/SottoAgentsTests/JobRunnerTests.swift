import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobRunnerTests {
    private let store = SpyStore()
    private let clock = ManualClock()
    private let tally = Tally()
    private let gate = Gate()

    private func runner(_ configuration: JobRunner.Configuration = .init(), _ body: @escaping @Sendable (Job, any JobSteps) async throws -> JobResult) -> JobRunner {
        JobRunner(
            store: store, handlers: [ScriptedHandler(body: body)], worker: "this", configuration: configuration, now: clock.jobClock, clock: clock,
            chance: { 0 })
    }

    private func new(_ title: String = "t", due: Double? = nil, attempts: Int = 3) -> NewJob {
        NewJob(kind: "scripted", title: title, payload: "", dueAt: due.map { clock.jobClock().date + $0 }, maximumAttempts: attempts)
    }

    /// Runs `runner` while `body` does its checks.
    private func running(_ runner: JobRunner, _ body: () async throws -> Void) async throws {
        let lifetime = Task { try await runner.run() }
        do { try await body() } catch {
            lifetime.cancel()
            throw error
        }
        lifetime.cancel()
        await #expect(throws: CancellationError.self) { try await lifetime.value }
    }

    @Test("a job runs to its end; its steps, log and result are kept")
    func completes() async throws {
        let runner = runner { _, steps in
            let plan = try await steps.step("plan", limit: .seconds(60)) { ["a", "b"] }
            let count = try await steps.step("count", limit: .seconds(60)) {
                await steps.progress("half")
                return plan.count
            }
            return JobResult(body: "\(count)", findings: "f", summary: "s", outcome: .short(gaps: ["g"]))
        }
        try await running(runner) {
            let job = try await runner.end(of: runner.add(new()).id)
            #expect(job.state == .completed && job.outcome == .short(gaps: ["g"]) && job.attempt == 1)
            #expect(try await store.result(of: job.id)?.body == "2")
            #expect(try await store.steps(of: job.id).map(\.output) == [#"["a","b"]"#, "2"])
            let events = try await store.events(after: 0, job: job.id, limit: 99)
            #expect(events.map(\.kind) == [.state, .state, .stepStarted, .stepFinished, .stepStarted, .progress, .stepFinished, .state])
            #expect(events.map(\.step) == ["", "", "plan", "plan", "count", "count", "count", ""])
        }
    }

    @Test("a job that is added to an idle runner starts without the clock moving, and so does one that is added behind its back and told")
    func wakesAtOnce() async throws {
        let runner = runner { [tally] job, _ in
            tally(job.title)
            return ScriptedHandler.done
        }
        try await running(runner) {
            await clock.sleepers(atLeast: 1)
            _ = try await runner.add(new("one"))
            await tally.reached("one")
            _ = try await store.add(new("two"), at: clock.jobClock())
            runner.wake()
            await tally.reached("two")
            #expect(clock.now.offset == .zero)
        }
    }

    @Test("a job starts when it is due, not before")
    func waitsForDue() async throws {
        let runner = runner { [tally] _, _ in
            tally("ran")
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new(due: 5))
            await clock.sleeper(dueBy: .seconds(5))
            clock.advance(by: .milliseconds(4_999))
            #expect(tally.count("ran") == 0)
            clock.advance(by: .milliseconds(1))
            #expect(try await runner.end(of: job.id).startedAt == job.dueAt)
        }
    }

    @Test("after a failure the finished steps are not done again, and the next attempt waits for its time")
    func resumes() async throws {
        let runner = runner { [tally] job, steps in
            try await steps.step("first", limit: .seconds(60)) { tally("first") }
            if job.attempt == 1 { throw JobFailure("the network is away", isPassing: true) }
            try await steps.step("second", limit: .seconds(60)) { tally("second") }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await store.tally.reached("fail")
            let waiting = try #require(try await store.job(job.id))
            #expect(waiting.state == .queued && waiting.error == "the network is away")
            #expect(waiting.dueAt == clock.jobClock().date + 5)
            await clock.sleeper(dueBy: .seconds(5))
            clock.advance(by: .seconds(5))
            #expect(try await runner.end(of: job.id).attempt == 2)
            #expect(tally.count("first") == 1 && tally.count("second") == 1)
        }
    }

    @Test("a failure that will not pass ends the job at once, and what was found is kept")
    func failsForGood() async throws {
        let runner = runner { _, steps in
            try await steps.step("first", limit: .seconds(60)) { 1 }
            throw JobFailure("there is no such model; run `sotto models pull`", isPassing: false)
        }
        try await running(runner) {
            let job = try await runner.end(of: runner.add(new()).id)
            #expect(job.state == .failed && job.error == "there is no such model; run `sotto models pull`" && job.attempt == 1)
            #expect(try await store.result(of: job.id)?.findings == "first")
        }
    }

    @Test("a failing step is told with its cause")
    func stepFailure() async throws {
        let runner = runner { _, steps in
            try await steps.step("read", limit: .seconds(60)) { throw JobFailure("page 3 is gone", isPassing: false) }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.end(of: runner.add(new()).id)
            let failed = try await store.events(after: 0, job: job.id, limit: 99).first { $0.kind == .stepFailed }
            #expect(failed?.step == "read" && failed?.text == "page 3 is gone" && failed?.attempt == 1)
        }
    }

    @Test("cancelling a running job ends it without the clock moving and keeps what was found; a queued one does not start")
    func cancels() async throws {
        let runner = runner { [tally, gate] _, steps in
            try await steps.step("first", limit: .seconds(60)) { 1 }
            try await steps.step("second", limit: .seconds(60)) {
                tally("inside")
                try await gate.wait()
            }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            let queued = try await runner.add(new())
            #expect(try await runner.cancel(queued.id).state == .cancelled)
            try await runner.cancel(job.id)
            let ended = try await runner.end(of: job.id)
            #expect(ended.state == .cancelled && clock.now.offset == .zero)
            #expect(try await store.result(of: job.id)?.findings == "first")
            #expect(try await store.events(after: 0, job: job.id, limit: 99).contains { $0.kind == .stepFailed && $0.step == "second" && $0.text == "cancelled" })
            #expect(try await runner.retry(job.id).state == .queued)
            await tally.reached("inside", 2)
            #expect(try await store.steps(of: job.id).map(\.name) == ["first"])
        }
    }

    @Test("a cancel that somebody else wrote is seen within half a second")
    func seesCancel() async throws {
        let runner = runner { [tally, gate] _, _ in
            tally("inside")
            try await gate.wait()
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            await clock.sleeper(dueBy: .milliseconds(500))
            try await store.requestCancel(job.id, at: clock.jobClock())
            clock.advance(by: .milliseconds(500))
            #expect(try await runner.end(of: job.id).state == .cancelled)
            #expect(store.tally.count("heartbeat") == 0, "a look is enough")
        }
    }

    @Test("work that ignores the cancel is left behind after the grace; the job is cancelled, and the worker is free")
    func leavesBehind() async throws {
        let runner = runner { [tally, gate] job, steps in
            if job.title == "next" { return ScriptedHandler.done }
            try await steps.step("first", limit: .seconds(60)) { 1 }
            tally("inside")
            try await gate.wait(obeys: false)
            defer { tally("late") }
            try await steps.step("late", limit: .seconds(60)) { tally("late step") }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            try await runner.cancel(job.id)
            // The runner's pause, the watch over the attempt, and the grace.
            await clock.sleepers(atLeast: 3)
            clock.advance(by: .milliseconds(800))
            #expect(try await runner.end(of: job.id).state == .cancelled)
            #expect(try await store.result(of: job.id)?.findings == "first")
            #expect(try await runner.end(of: runner.add(new("next")).id).state == .completed)
            let before = try await store.events(after: 0, job: nil, limit: 999)
            gate.open()
            await tally.reached("late")
            #expect(tally.count("late step") == 0 && store.tally.count("complete") == 1)
            #expect(try await store.events(after: 0, job: nil, limit: 999) == before)
        }
    }

    @Test("a step that takes too long is stopped, told and tried again", arguments: [true, false])
    func watchdog(obeys: Bool) async throws {
        let runner = runner(.init(lease: .seconds(600), retry: RetryPolicy(first: .zero))) { [tally, gate] job, steps in
            try await steps.step("hang", limit: .seconds(20)) {
                tally("inside")
                if job.attempt == 1 { try await gate.wait(obeys: obeys) }
            }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            // The runner's pause, the watch over the attempt, and the step's limit.
            await clock.sleepers(atLeast: 3)
            clock.advance(by: .seconds(20))
            if obeys == false {
                await clock.sleepers(atLeast: 3)
                clock.advance(by: .milliseconds(600))
            }
            let ended = try await runner.end(of: job.id)
            #expect(ended.state == .completed && ended.attempt == 2)
            let failed = try await store.events(after: 0, job: job.id, limit: 99).first { $0.kind == .stepFailed }
            #expect(failed?.text == "step hang was stopped because it took longer than 20 s")
            gate.open()
        }
    }

    @Test("signs of life keep the lease for as long as the job runs, at a third of it")
    func heartbeats() async throws {
        let runner = runner(.init(lease: .seconds(30))) { [tally, gate] _, _ in
            tally("inside")
            try await gate.wait()
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            for round in 1...8 {
                await clock.sleepers(atLeast: 2)
                clock.advance(by: .seconds(10))
                await store.tally.reached("heartbeat", round)
            }
            let kept = try #require(try await store.job(job.id))
            #expect(kept.state == .running && kept.lease?.expires == Duration.seconds(110).nanoseconds && kept.attempt == 1)
            // Between two of them a look is enough.
            let looks = store.tally.count("job")
            await clock.sleeper(dueBy: .seconds(80.5))
            clock.advance(by: .milliseconds(500))
            await store.tally.reached("job", looks + 1)
            #expect(store.tally.count("heartbeat") == 8)
            gate.open()
            #expect(try await runner.end(of: job.id).state == .completed)
        }
    }

    @Test("a machine that slept for longer than the lease goes on with its jobs", arguments: 1...10)
    func sleeps(round: Int) async throws {
        let runner = runner { [tally, gate] _, _ in
            tally("inside")
            try await gate.wait()
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            await clock.sleepers(atLeast: 2)
            let looks = store.tally.count("endExpiredLeases")
            // One of the two that renew it finds the store busy; the other does it.
            store.fail("heartbeat", with: [JobStoreError(.busy, "busy")])
            clock.advance(by: .seconds(8 * 3_600))
            await store.tally.reached("heartbeat", 2)
            runner.wake()
            await store.tally.reached("endExpiredLeases", looks + 1)
            let kept = try #require(try await store.job(job.id))
            #expect(kept.state == .running && kept.attempt == 1 && kept.isCancelRequested == false)
            gate.open()
            let ended = try await runner.end(of: job.id)
            #expect(ended.state == .completed && ended.attempt == 1)
        }
    }

    @Test("an attempt that lost its lease is dropped in silence, and its result does not count")
    func leaseLost() async throws {
        let complaints = Mutex<[String]>([])
        let handler = ScriptedHandler { [tally, gate] _, steps in
            tally("inside")
            try await gate.wait(obeys: false)
            try await steps.step("late", limit: .seconds(60)) { tally("late step") }
            return ScriptedHandler.done
        }
        let runner = JobRunner(
            store: store, handlers: [handler], worker: "this", now: clock.jobClock, clock: clock,
            log: Log { [tally] level, message in
                if level > .info { complaints.withLock { $0.append(message) } }
                if level == .info, message.contains("lease was lost") { tally("dropped") }
            })
        let other = JobResult(body: "other", findings: "", summary: "", outcome: .done)
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            try await store.endForeignLeases(keeping: "other", at: clock.jobClock())
            let claim = try #require(try await store.claim(worker: "other", kinds: ["scripted"], lease: .seconds(30), at: clock.jobClock()))
            gate.open()
            await tally.reached("dropped")
            try await store.complete(claim.claim, with: other, at: clock.jobClock())
            #expect(try await store.result(of: job.id) == other)
            #expect(tally.count("late step") == 0)
            #expect(complaints.withLock { $0 }.isEmpty)
        }
    }

    @Test("a runner that is told to stop gives its jobs back with the steps that were kept, and the attempt does not count")
    func shutsDown() async throws {
        let runner = runner { [tally, gate] _, steps in
            try await steps.step("first", limit: .seconds(60)) { 1 }
            tally("inside")
            try await gate.wait()
            return ScriptedHandler.done
        }
        var id = JobID(0)
        try await running(runner) {
            id = try await runner.add(new()).id
            await tally.reached("inside")
        }
        let job = try #require(try await store.job(id))
        #expect(job.state == .queued && job.attempt == 0 && job.error == nil && clock.now.offset == .zero)
        #expect(try await store.steps(of: id).map(\.name) == ["first"])
    }

    @Test("orphans of a process that has gone run at once when a new owner starts, though their lease has not run out")
    func orphans() async throws {
        let job = try await store.add(new(), at: clock.jobClock())
        let dead = try #require(try await store.claim(worker: "dead", kinds: ["scripted"], lease: .seconds(3_600), at: clock.jobClock()))
        try await store.finish(
            JobStep(name: "first", attempt: 1, startedAt: .now, finishedAt: .now, output: "true"), claim: dead.claim, at: clock.jobClock())
        let runner = runner { [tally] _, steps in
            try await steps.step("first", limit: .seconds(60)) { tally("first") }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let ended = try await runner.end(of: job.id)
            #expect(ended.state == .completed && ended.attempt == 2 && clock.now.offset == .zero)
        }
        #expect(tally.count("first") == 0)
    }

    @Test("a job that kills its owner again and again is parked at the start with its cause, and what it had found is kept")
    func poison() async throws {
        let job = try await store.add(new(attempts: 1), at: clock.jobClock())
        let dead = try #require(try await store.claim(worker: "dead", kinds: ["scripted"], lease: .seconds(3_600), at: clock.jobClock()))
        try await store.finish(JobStep(name: "first", attempt: 1, startedAt: .now, finishedAt: .now, output: "1"), claim: dead.claim, at: clock.jobClock())
        try await store.endForeignLeases(keeping: "", at: clock.jobClock())
        _ = try #require(try await store.claim(worker: "dead too", kinds: ["scripted"], lease: .seconds(3_600), at: clock.jobClock()))
        let runner = runner { [tally] _, _ in
            tally("ran")
            return ScriptedHandler.done
        }
        try await runner.run(untilIdle: true)
        let parked = try #require(try await store.job(job.id))
        #expect(parked.state == .failed && parked.error?.contains("dead too") == true && tally.count("ran") == 0)
        #expect(try await store.result(of: job.id)?.findings == "first")
    }

    @Test("as many jobs run at once as there are workers, and no more", arguments: [1, 2, 3])
    func workers(count: Int) async throws {
        let most = Mutex((now: 0, most: 0))
        let runner = runner(.init(workers: count)) { [tally, gate] _, _ in
            most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            tally("inside")
            try await gate.wait()
            most.withLock { $0.now -= 1 }
            return ScriptedHandler.done
        }
        for _ in 0..<6 { _ = try await store.add(new(), at: clock.jobClock()) }
        try await running(runner) {
            await tally.reached("inside", count)
            gate.open()
            for job in try await store.jobs(states: Set(JobState.allCases), limit: 9) { #expect(try await runner.end(of: job.id).state == .completed) }
        }
        #expect(most.withLock { $0.most } == count)
    }

    @Test("until idle: returns when nothing is due, with the last result written")
    func untilIdle() async throws {
        let runner = runner(.init(workers: 2)) { _, _ in ScriptedHandler.done }
        for _ in 0..<5 { _ = try await store.add(new(), at: clock.jobClock()) }
        let later = try await store.add(new(due: 60), at: clock.jobClock())
        try await runner.run(untilIdle: true)
        #expect(try await store.jobs(states: [.completed], limit: 9).count == 5)
        #expect(try await store.job(later.id)?.state == .queued)
    }

    @Test("a store that fails for a moment costs neither the result nor the runner")
    func failingStore() async throws {
        store.fail("complete", with: [JobStoreError(.diskFull, "full"), JobStoreError(.busy, "busy")])
        store.fail("claim", with: [JobStoreError(.busy, "busy")])
        let runner = runner { _, _ in ScriptedHandler.done }
        let job = try await store.add(new(), at: clock.jobClock())
        try await running(runner) {
            await store.tally.reached("claim")
            await clock.sleeper(dueBy: .seconds(1))
            clock.advance(by: .seconds(1))
            for round in 1...2 {
                await store.tally.reached("complete", round)
                // The runner's pause and the wait before the next try.
                await clock.sleepers(atLeast: 2)
                clock.advance(by: .milliseconds(200))
            }
            let ended = try await runner.end(of: job.id)
            #expect(ended.state == .completed && ended.attempt == 1)
        }
    }

    @Test("what was kept under a name by another version is not done again but told")
    func unreadableStep() async throws {
        let job = try await store.add(new(), at: clock.jobClock())
        let dead = try #require(try await store.claim(worker: "dead", kinds: ["scripted"], lease: .seconds(30), at: clock.jobClock()))
        try await store.finish(JobStep(name: "first", attempt: 1, startedAt: .now, finishedAt: .now, output: "{}"), claim: dead.claim, at: clock.jobClock())
        let runner = runner { [tally] _, steps in
            let number = try await steps.step("first", limit: .seconds(60)) { tally.count("x") }
            return JobResult(body: "\(number)", findings: "", summary: "", outcome: .done)
        }
        try await runner.run(untilIdle: true)
        let ended = try #require(try await store.job(job.id))
        #expect(ended.state == .failed && ended.error?.contains("first") == true && ended.error?.contains("version") == true)
    }

    @Test("progress is thinned to a few lines a second, and the last one before the step's end is kept")
    func progress() async throws {
        let runner = runner { _, steps in
            try await steps.step("read", limit: .seconds(60)) { for page in 1...100 { await steps.progress("page \(page)") } }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.end(of: runner.add(new()).id)
            let lines = try await store.events(after: 0, job: job.id, limit: 999).filter { $0.kind == .progress }
            #expect(lines.map(\.text) == ["page 1", "page 100"] && lines.allSatisfy { $0.step == "read" })
        }
    }

    @Test("a schedule that is due adds its job and is moved on, and the job runs")
    func schedules() async throws {
        let runner = runner { [tally] job, _ in
            tally(job.title)
            return ScriptedHandler.done
        }
        let now = clock.jobClock().date
        let plan = try ScheduleKeeper().schedule(kind: "scripted", title: "news", payload: "", every: "day at 09:00", zone: "UTC", at: now)
        try await running(runner) {
            let added = try await runner.add(plan)
            #expect(added.nextRun == now + 9 * 3_600)
            for round in 1...2 {
                clock.advance(by: round == 1 ? .seconds(9 * 3_600) : .seconds(24 * 3_600))
                runner.wake()
                await tally.reached("news", round)
            }
            let kept = try #require(try await store.schedules().first)
            #expect(kept.nextRun == now + 57 * 3_600 && kept.lastRun == now + 33 * 3_600 && kept.missed == 0 && kept.lastCheck == kept.lastRun)
            #expect(store.tally.count("fire") == 2)
        }
    }

    @Test("the runner sleeps no longer than until the next schedule")
    func waitsForSchedule() async throws {
        let runner = runner { [tally] job, _ in
            tally(job.title)
            return ScriptedHandler.done
        }
        let now = clock.jobClock().date
        var plan = try ScheduleKeeper().schedule(kind: "scripted", title: "news", payload: "", every: "day at 09:00", zone: "UTC", at: now)
        plan.nextRun = now + 3
        try await running(runner) {
            _ = try await runner.add(plan)
            await clock.sleeper(dueBy: .seconds(3))
            clock.advance(by: .seconds(3))
            await tally.reached("news")
        }
    }

    @Test("what a step still brings when its job is cancelled is kept")
    func keepsLateOutput() async throws {
        let runner = runner { [tally, gate] _, steps in
            try await steps.step("read", limit: .seconds(60)) {
                tally("inside")
                do { try await gate.wait() } catch is CancellationError { return "half of it" }
                return "all"
            }
            try await steps.step("more", limit: .seconds(60)) { tally("more") }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await tally.reached("inside")
            try await runner.cancel(job.id)
            #expect(try await runner.end(of: job.id).state == .cancelled)
            #expect(try await store.steps(of: job.id).map(\.output) == ["\"half of it\""])
            #expect(try await store.result(of: job.id)?.findings == "read" && tally.count("more") == 0)
        }
    }

    @Test("whoever follows a job sees each line once and in order, from where it stopped to the end")
    func follows() async throws {
        let runner = runner { [gate] _, steps in
            try await steps.step("first", limit: .seconds(60)) { 1 }
            try await gate.wait()
            try await steps.step("second", limit: .seconds(60)) { 2 }
            return ScriptedHandler.done
        }
        try await running(runner) {
            let job = try await runner.add(new())
            await store.tally.reached("finish")
            let first = try await store.events(after: 0, job: job.id, limit: 2)
            var seen = first
            try await runner.follow(after: first.last?.id ?? 0, job: job.id) { event in
                seen.append(event)
                if event.kind == .stepFinished { gate.open() }
            }
            #expect(seen == (try await store.events(after: 0, job: job.id, limit: 999)))
            #expect(seen.last?.text == "completed")
        }
    }

    @Test("waiting for a job that does not exist is an error")
    func unknownJob() async throws {
        let runner = runner { _, _ in ScriptedHandler.done }
        do {
            _ = try await runner.end(of: JobID(7))
            Issue.record("waited for nothing")
        } catch let error as JobStoreError { #expect(error.code == .notFound && error.message.contains("7")) }
    }
}
