/// Lets requests through as ``Pacing`` says, and hands each a worker.
actor HostGate {
    private var pacing: Pacing
    private var free: [FetchWorker]
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var next = 0
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ limits: Pacing.Limits, clock: C) {
        pacing = Pacing(limits)
        free = (0..<max(1, limits.total)).map { _ in FetchWorker() }
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Waits for a turn.
    ///
    /// - Throws: `CancellationError`.
    func enter(_ host: String) async throws -> FetchWorker {
        while true {
            try Task.checkCancellation()
            let time = now()
            switch pacing.begin(host, at: time) {
            case .go: return free.removeLast()
            case .wait(let until?): try await sleep(until - time)
            case .wait(nil): await turn()
            }
        }
    }

    /// Gives the place back; see ``Pacing/end(_:at:rest:)``.
    func leave(_ host: String, _ worker: FetchWorker, rest: Duration?) {
        pacing.end(host, at: now(), rest: rest)
        free.append(worker)
        // In the order in which they came; those that still may not, wait on.
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
        waiting = [:]
    }

    private func turn() async {
        let number = next
        next += 1
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiting[number] = continuation }
            }
        } onCancel: {
            // The handler is synchronous and runs on any thread.
            Task { await self.wake(number) }
        }
    }

    private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }
}
