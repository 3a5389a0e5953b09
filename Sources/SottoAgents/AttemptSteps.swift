internal import Foundation
internal import SottoJobStore
internal import SottoObservability
internal import Synchronization

/// The steps of one attempt: runs what is not kept yet, under a watchdog, and keeps it.
final class AttemptSteps: JobSteps {
    /// The step that the calling task belongs to, for progress told from deep inside.
    @TaskLocal private static var current = ""

    private struct State {
        var kept: [String: String]
        var running: Set<String> = []
        var throttle: ProgressThrottle
    }

    private let store: any JobStore
    private let claim: JobClaim
    private let attempt: Int
    private let surroundings: AttemptSurroundings
    private let state: Mutex<State>

    init(_ claimed: ClaimedJob, store: any JobStore, surroundings: AttemptSurroundings) {
        self.store = store
        claim = claimed.claim
        attempt = claimed.job.attempt
        self.surroundings = surroundings
        let kept = Dictionary(claimed.steps.map { ($0.name, $0.output) }) { first, _ in first }
        state = Mutex(State(kept: kept, throttle: ProgressThrottle(interval: surroundings.configuration.progressInterval)))
    }

    func step<Output: Codable & Sendable>(
        _ name: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        if let output = try begin(name) { return try Self.decode(output, step: name) }
        defer { state.withLock { _ = $0.running.remove(name) } }
        try Task.checkCancellation()
        let started = surroundings.now().date
        try await tell(.stepStarted, step: name, "attempt \(attempt)")
        do {
            let output = try await Self.$current.withValue(name) { try await watched(name, limit: limit, body) }
            let text = try Self.encode(output, step: name)
            if let line = state.withLock({ $0.throttle.flush(step: name) }) { try? await tell(.progress, step: name, line.text) }
            let step = JobStep(name: name, attempt: attempt, startedAt: started, finishedAt: surroundings.now().date, output: text)
            try await shielded { [store, claim, surroundings] in try await store.finish(step, claim: claim, at: surroundings.now()) }
            state.withLock { $0.kept[name] = text }
            surroundings.watchers.ring()
            return output
        } catch {
            if let line = state.withLock({ $0.throttle.flush(step: name) }) { try? await tell(.progress, step: name, line.text) }
            let cause = error is CancellationError ? "cancelled" : AttemptEnd.text(error)
            // The cause of the failure matters more than a failure to write it down; a lost lease shows again at the end of the attempt.
            do { try await tell(.stepFailed, step: name, cause) } catch let second { surroundings.log.debug("job \(claim.id): \(second)") }
            throw error
        }
    }

    func progress(_ text: String) async {
        let line = ProgressThrottle.Line(step: Self.current, text: text)
        guard state.withLock({ $0.throttle.admit(line, at: surroundings.now().uptime) }) else { return }
        // A line of progress is not worth an attempt.
        do { try await tell(.progress, step: line.step, text) } catch { surroundings.log.debug("job \(claim.id): \(error)") }
    }

    func result(of id: JobID) async throws -> JobResult? { try await store.result(of: id) }

    /// - Returns: The kept output.
    private func begin(_ name: String) throws -> String? {
        try state.withLock { state in
            if let output = state.kept[name] { return output }
            guard state.running.insert(name).inserted else {
                throw JobFailure("step \(name) was started twice at once; give each step a name of its own", isPassing: false)
            }
            return nil
        }
    }

    private func tell(_ kind: JobEvent.Kind, step: String, _ text: String) async throws {
        try await shielded { [store, claim, surroundings] in
            try await store.note(kind, step: step, text: text, claim: claim, at: surroundings.now())
        }
        surroundings.watchers.ring()
    }

    private func watched<Output: Sendable>(
        _ name: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let ended = WakeUp()
        let work = SupervisedWork<Output>(ended: ended)
        let clock = surroundings.clock
        work.start(body)
        await ended.wait(atMost: limit, clock: clock)
        if let result = work.result { return try result.get() }
        work.cancel()
        // Less than the attempt's own grace, so that what is done now is still kept.
        let grace = surroundings.configuration.grace * 3 / 4
        _ = try? await shielded { await ended.wait(atMost: grace, clock: clock) }
        let result = work.result
        if result == nil { surroundings.log.warning("step \(name) of job \(claim.id) did not end when it was cancelled; it was left behind") }
        // What was done in the meantime is kept, whatever the wait was ended by.
        if case .success(let output)? = result { return output }
        try Task.checkCancellation()
        let seconds = limit / .seconds(1)
        let text = seconds >= 1 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds * 1_000).rounded())) ms"
        throw JobFailure("step \(name) was stopped because it took longer than \(text)", isPassing: true)
    }

    private static func encode(_ output: some Encodable, step: String) throws -> String {
        do { return String(decoding: try JSONEncoder().encode(output), as: UTF8.self) } catch {
            throw JobFailure("the output of step \(step) cannot be kept as JSON: \(error)", isPassing: false)
        }
    }

    private static func decode<Output: Decodable>(_ text: String, step: String) throws -> Output {
        do { return try JSONDecoder().decode(Output.self, from: Data(text.utf8)) } catch {
            throw JobFailure("what step \(step) kept was written by another version of Sotto; add the job again", isPassing: false)
        }
    }
}
