import Foundation
import SottoAgents
import SottoJobStore
import SottoSQLiteStore
import Testing

/// The runner on the real store, by the real clocks.
@Suite(.serialized, .timeLimit(.minutes(10))) struct JobRunnerOnDiskTests {
    private let folder = NSTemporaryDirectory() + "sotto-runner-" + UUID().uuidString
    private let tally = Tally()

    private func new(_ title: String) -> NewJob { NewJob(kind: "scripted", title: title, payload: "") }

    /// Handlers that obey a cancel, and those that never will.
    private func handler(_ gate: Gate) -> ScriptedHandler {
        ScriptedHandler { [tally] job, steps in
            try await steps.step("first", limit: .seconds(60)) { job.title }
            try await steps.step("second", limit: .seconds(60)) {
                tally("inside")
                try await gate.wait(obeys: job.title == "obeys")
            }
            return ScriptedHandler.done
        }
    }

    // The median, because other tests load the machine and its disk; `job-store-probe cancel` measures the longest.
    @Test("a cancel ends a running job within a second, whether or not its work obeys, and keeps what was found", arguments: ["obeys", "hangs"])
    func cancel(title: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteJobStore(path: folder + "/jobs.sqlite", role: .writer)
        let gate = Gate()
        let runner = JobRunner(store: store, handlers: [handler(gate)], worker: "this", now: try LinuxJobClock.make())
        let lifetime = Task { try await runner.run() }
        var times: [Duration] = []
        for round in 1...(title == "obeys" ? 15 : 3) {
            let job = try await runner.add(new(title))
            await tally.reached("inside", round)
            let asked = ContinuousClock.now
            try await runner.cancel(job.id)
            let ended = try await runner.end(of: job.id)
            times.append(ContinuousClock.now - asked)
            #expect(ended.state == .cancelled)
            #expect(try await store.result(of: job.id)?.findings == "first")
        }
        let median = times.sorted()[times.count / 2]
        #expect(median < .seconds(1), "took \(times)")
        gate.open()
        lifetime.cancel()
        await #expect(throws: CancellationError.self) { try await lifetime.value }
    }

    @Test("a cancel that was written into the store by somebody else ends a running job")
    func foreignCancel() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteJobStore(path: folder + "/jobs.sqlite", role: .writer)
        let clock = try LinuxJobClock.make()
        let runner = JobRunner(store: store, handlers: [handler(Gate())], worker: "this", now: clock)
        let lifetime = Task { try await runner.run() }
        let job = try await runner.add(new("obeys"))
        await tally.reached("inside")
        try await store.requestCancel(job.id, at: clock())
        #expect(try await runner.end(of: job.id).state == .cancelled)
        lifetime.cancel()
        await #expect(throws: CancellationError.self) { try await lifetime.value }
    }

    @Test("what one runner gives back, the next takes up where it was")
    func handOver() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let gate = Gate()
        var id = JobID(0)
        do {
            let store = try SQLiteJobStore(path: folder + "/jobs.sqlite", role: .writer)
            let runner = JobRunner(store: store, handlers: [handler(gate)], worker: "one", now: try LinuxJobClock.make())
            let lifetime = Task { try await runner.run() }
            id = try await runner.add(new("obeys")).id
            await tally.reached("inside")
            lifetime.cancel()
            await #expect(throws: CancellationError.self) { try await lifetime.value }
            #expect(try await store.job(id)?.state == .queued)
            #expect(try await store.job(id)?.attempt == 0)
        }
        gate.open()
        let store = try SQLiteJobStore(path: folder + "/jobs.sqlite", role: .writer)
        try await JobRunner(store: store, handlers: [handler(gate)], worker: "two", now: try LinuxJobClock.make()).run(untilIdle: true)
        let ended = try #require(try await store.job(id))
        #expect(ended.state == .completed && ended.attempt == 1)
        #expect(try await store.events(after: 0, job: id, limit: 99).count { $0.kind == .stepStarted && $0.step == "first" } == 1)
    }
}
