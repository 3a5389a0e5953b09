import Foundation
import SottoAgents
import SottoJobStore
import SottoSQLiteStore

/// How long after a cancel a running job has ended and what it found is on the disk.
struct CancelHarness {
    struct Report: Codable {
        var harness = "cancel"
        var rounds: Int
        /// Of work that obeys, at moments spread over its time; in milliseconds.
        var medianMilliseconds = 0.0
        var maximumMilliseconds = 0.0
        /// Of work that never obeys and is left behind.
        var maximumOfHangingMilliseconds = 0.0
        var partialResults = 0
        var passed = false
    }

    private struct Handler: JobHandler {
        let kind = "endless"
        let started: AsyncStream<Void>.Continuation

        func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
            try await steps.step("first", limit: .seconds(600)) { "found" }
            try await steps.step("second", limit: .seconds(600)) { [started] in
                started.yield()
                while true {
                    // Work that hangs: no cancel reaches it.
                    if job.title == "hangs" { unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
                    try await Task.sleep(for: .seconds(600))
                }
            }
            throw JobFailure("the endless ended", isPassing: false)
        }

        func partialResult(of job: Job, steps: [JobStep]) -> JobResult? {
            steps.isEmpty ? nil : JobResult(body: "", findings: steps.map(\.output).joined(), summary: "", outcome: .short(gaps: ["It was stopped."]))
        }
    }

    static func run(rounds: Int) async throws -> Report {
        let shop = try Workshop("cancel")
        defer { shop.remove() }
        var report = Report(rounds: rounds)
        let store = try SQLiteJobStore(path: shop.database, role: .writer)
        let (starts, started) = AsyncStream<Void>.makeStream()
        let runner = JobRunner(store: store, handlers: [Handler(started: started)], worker: "this", now: try LinuxJobClock.make())
        let lifetime = Task { try await runner.run() }
        var start = starts.makeAsyncIterator()
        for title in ["obeys", "hangs"] {
            var times: [Double] = []
            for round in 0..<(title == "hangs" ? min(rounds, 5) : rounds) {
                let job = try await runner.add(NewJob(kind: "endless", title: title, payload: ""))
                await start.next()
                // Spread over the intervals at which the runner looks after its attempt.
                try await Task.sleep(for: .milliseconds((round * 618) % 500))
                let asked = monotonic()
                try await runner.cancel(job.id)
                let ended = try await runner.end(of: job.id)
                times.append(Double(monotonic() - asked) / 1e6)
                if ended.state == .cancelled, try await store.result(of: job.id)?.findings == "\"found\"" { report.partialResults += 1 }
            }
            times.sort()
            if title == "hangs" {
                report.maximumOfHangingMilliseconds = times.last ?? 0
            } else {
                report.medianMilliseconds = times[times.count / 2]
                report.maximumMilliseconds = times.last ?? 0
            }
        }
        lifetime.cancel()
        _ = try? await lifetime.value
        report.passed = report.maximumMilliseconds <= 1_000 && report.maximumOfHangingMilliseconds <= 1_000
            && report.partialResults == rounds + min(rounds, 5)
        return report
    }
}
