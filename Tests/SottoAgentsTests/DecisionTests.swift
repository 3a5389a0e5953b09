import Foundation
import SottoJobStore
import Testing

@testable import SottoAgents

@Suite struct DecisionTests {
    @Test("each wait is longer than the last, up to the longest", arguments: [(0, 5), (1, 5), (2, 20), (3, 80), (4, 320), (5, 600), (1_000, 600)])
    func backoff(failures: Int, seconds: Int) {
        let policy = RetryPolicy(first: .seconds(5), factor: 4, longest: .seconds(600), spread: 0.2)
        #expect(policy.delay(afterFailures: failures, chance: 0) == .seconds(seconds))
        #expect(abs(policy.delay(afterFailures: failures, chance: 0.5) / .seconds(seconds) - 1.1) < 1e-9)
    }

    @Test("signs of life come at a third of the lease at the latest, looks at least twice a second", arguments: [1, 2, 3, 30, 600])
    func leasePlan(seconds: Int) {
        let lease = Duration.seconds(seconds)
        var plan = LeasePlan(lease: lease, start: .seconds(7))
        var now = Duration.seconds(7)
        var beats: [Duration] = [now]
        for _ in 0..<10_000 {
            if plan.action(at: now) == .beat {
                plan.didBeat(at: now)
                beats.append(now)
            }
            #expect(plan.interval <= .milliseconds(500))
            now += plan.interval
        }
        let gaps = zip(beats, beats.dropFirst()).map { $1 - $0 }
        #expect(gaps.isEmpty == false && gaps.allSatisfy { $0 <= lease / 3 })
        // Not many more than are needed either: each is a flush of the disk.
        #expect(gaps.dropFirst().allSatisfy { $0 + plan.interval > lease / 3 })
    }

    @Test("a sign of life that failed is due again at once, and after a long sleep")
    func leasePlanFailures() {
        var plan = LeasePlan(lease: .seconds(30), start: .zero)
        #expect(plan.action(at: .seconds(9)) == .look)
        #expect(plan.action(at: .seconds(10)) == .beat)
        #expect(plan.action(at: .seconds(10.5)) == .beat)
        plan.didBeat(at: .seconds(10.5))
        #expect(plan.action(at: .seconds(11)) == .look)
        #expect(plan.action(at: .seconds(5_000)) == .beat)
    }

    @Test("progress is thinned out, and the newest line is not lost")
    func progress() {
        var throttle = ProgressThrottle(interval: .milliseconds(250))
        let lines = (0..<10).map { ProgressThrottle.Line(step: "read", text: "\($0)") }
        let admitted = lines.enumerated().filter { throttle.admit($1, at: .milliseconds(100 * $0)) }.map(\.element.text)
        #expect(admitted == ["0", "3", "6", "9"])
        #expect(throttle.flush(step: "read") == nil)
        #expect(throttle.admit(lines[4], at: .milliseconds(950)) == false)
        #expect(throttle.flush(step: "other") == nil)
        #expect(throttle.flush(step: "read") == lines[4])
        #expect(throttle.flush(step: "read") == nil)
    }

    private struct Broken: Error, CustomStringConvertible { var description = "broken" }

    @Test("the end of an attempt follows from what the handler did and why it was told to stop")
    func attemptEnd() {
        let now = Date(timeIntervalSince1970: 0)
        let result = JobResult(body: "", findings: "", summary: "", outcome: .done)
        func end(_ outcome: Result<JobResult, any Error>?, _ stop: StopReason? = nil, failures: Int = 1) -> AttemptEnd {
            AttemptEnd(outcome, stop: stop, failures: failures, policy: RetryPolicy(first: .seconds(5), spread: 0), chance: 0, at: now)
        }
        #expect(end(.success(result)) == .complete(result))
        #expect(end(.success(result), .cancelled) == .complete(result), "what is done is done")
        #expect(end(.success(result), .shutdown) == .complete(result))
        #expect(end(.success(result), .leaseLost) == .drop)
        #expect(end(.failure(Broken())) == .fail("broken", retryAt: now + 5))
        #expect(end(.failure(Broken()), failures: 2) == .fail("broken", retryAt: now + 20))
        #expect(end(.failure(JobFailure("no model", isPassing: false))) == .fail("no model", retryAt: nil))
        #expect(end(.failure(JobFailure("no network", isPassing: true))) == .fail("no network", retryAt: now + 5))
        #expect(end(.failure(JobStoreError(.leaseLost, "lost"))) == .drop)
        #expect(end(.failure(JobStoreError(.leaseLost, "lost")), .cancelled) == .drop)
        #expect(end(.failure(JobStoreError(.diskFull, "full"))) == .fail("full", retryAt: now + 5))
        for outcome in [Result<JobResult, any Error>.failure(CancellationError()), .failure(Broken()), nil] {
            #expect(end(outcome, .cancelled) == .cancelled)
            #expect(end(outcome, .shutdown) == .release)
            #expect(end(outcome, .leaseLost) == .drop)
        }
        guard case .fail(_, let retry?) = end(.failure(CancellationError())) else {
            Issue.record("a handler that gives up by itself is tried again")
            return
        }
        #expect(retry == now + 5)
    }
}
