public import SottoStreams

/// Grants the machine's cores to engines by priority, so that hearing never waits for the language model.
///
/// Decoding on two threads while anything else holds a core costs ten times or more on a two-core machine (both
/// runtimes spin while they wait), so every engine asks here before it computes, for one short step at a time: one
/// encoder pass, one clause of speech, one batch of prompt tokens. What it is granted may be fewer threads than it wished:
/// others here may hold some, and cores that other programs keep busy are not granted beyond the first.
public actor ComputeBudget {
    /// Who asks, most urgent first.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        case hearing, speech, languageModel
        /// Work that nobody waits for.
        case background
        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Request {
        let id: UInt64
        let priority: Priority
        let continuation: CheckedContinuation<Grant?, Never>
        let wish: Int
        let interruption: CancellationFlag?
    }

    private struct Grant {
        let id: UInt64
        let threads: Int
        let isBelowHearing: Bool
    }

    /// Other programs count as keeping a core busy from this part of it on. Less is the desktop's own murmur.
    public static let busyCore = 0.35

    /// How many threads there are to give, at least 1.
    public nonisolated let threads: Int
    private let load: any MachineLoad
    private var granted = 0
    /// Of these, to whatever is less urgent than hearing.
    private var grantedBelowHearing = 0
    /// How many listen to somebody who speaks now.
    private var listeners = 0
    /// Running steps that may be asked to make room.
    private var interruptible: [UInt64: (priority: Priority, flag: CancellationFlag)] = [:]
    private var nextID: UInt64 = 0
    private var waiting: [Request] = []

    /// - Parameters:
    ///   - threads: Usually the number of cores.
    ///   - load: What other programs use of them.
    public init(threads: Int, load: any MachineLoad = IdleMachine()) {
        self.threads = max(1, threads)
        self.load = load
    }

    /// Runs `body` while holding between 1 and `wish` threads, and gives them back whatever happens.
    ///
    /// - Parameters:
    ///   - priority: Waiting requests are served in this order, then first come first served.
    ///   - wish: How many threads would help; fewer are granted while others hold or wait for some.
    ///   - interruption: Raised when somebody more urgent has to wait for this step: for steps that are too long to be waited for and can
    ///     be given up. The step may go on all the same.
    ///   - body: One short step. It receives the number of threads it may use.
    /// - Throws: `CancellationError` when cancelled while waiting, and what `body` throws.
    public nonisolated(nonsending) func withThreads<Value>(
        _ priority: Priority, wish: Int, interruption: CancellationFlag? = nil, _ body: (Int) async throws -> Value
    ) async throws -> Value {
        let grant = try await acquire(priority, wish: max(1, wish), interruption: interruption)
        do {
            let value = try await body(grant.threads)
            await release(grant)
            return value
        } catch {
            await release(grant)
            throw error
        }
    }

    /// Runs `body` while one core is kept for hearing: for as long as somebody speaks.
    ///
    /// Steps of hearing are so many and so short that to wait for a step of something else each time would cost more than they do. Whatever is
    /// less urgent shares the other cores meanwhile; on a machine with one thread nothing is kept.
    public nonisolated(nonsending) func keepingCoreForHearing<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await listen(1)
        do {
            let value = try await body()
            await listen(-1)
            return value
        } catch {
            await listen(-1)
            throw error
        }
    }

    private func listen(_ step: Int) {
        listeners += step
        if step > 0 {
            for running in interruptible.values where running.priority > .hearing { running.flag.cancel() }
        } else {
            serve()
        }
    }

    /// How many requests wait, for reports and tests.
    public var waitingCount: Int { waiting.count }

    private func acquire(_ priority: Priority, wish: Int, interruption: CancellationFlag?) async throws -> Grant {
        try Task.checkCancellation()
        let id = nextID
        nextID += 1
        if waiting.contains(where: { $0.priority <= priority }) == false, let count = grantable(wish, priority) {
            return grant(count, to: id, priority, interruption)
        }
        let grant: Grant? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Grant?, Never>) in
                if Task.isCancelled {
                    continuation.resume(returning: nil)
                    return
                }
                let request = Request(id: id, priority: priority, continuation: continuation, wish: wish, interruption: interruption)
                let position = waiting.firstIndex { $0.priority > priority } ?? waiting.endIndex
                waiting.insert(request, at: position)
                for step in interruptible.values where step.priority > priority { step.flag.cancel() }
            }
        } onCancel: {
            // Unstructured: a cancellation handler is synchronous and may not wait for the actor.
            Task { await self.withdraw(id) }
        }
        guard let grant else { throw CancellationError() }
        return grant
    }

    private func grant(_ count: Int, to id: UInt64, _ priority: Priority, _ interruption: CancellationFlag?) -> Grant {
        granted += count
        if priority > .hearing { grantedBelowHearing += count }
        if let interruption { interruptible[id] = (priority, interruption) }
        return Grant(id: id, threads: count, isBelowHearing: priority > .hearing)
    }

    private func grantable(_ wish: Int, _ priority: Priority) -> Int? {
        var free = threads - granted
        if priority > .hearing, listeners > 0, threads > 1 { free = min(free, threads - 1 - grantedBelowHearing) }
        guard free > 0 else { return nil }
        guard min(wish, free) > 1 else { return 1 }
        let busy = load.coresUsedByOthers()
        let elsewhere = Int(busy) + (busy - busy.rounded(.down) >= Self.busyCore ? 1 : 0)
        return max(1, min(wish, free, threads - granted - elsewhere))
    }

    private func release(_ grant: Grant) {
        granted -= grant.threads
        if grant.isBelowHearing { grantedBelowHearing -= grant.threads }
        interruptible[grant.id] = nil
        serve()
    }

    private func serve() {
        while let first = waiting.first {
            // Others are waiting too: one thread each, so that the next in line is not shut out.
            guard let count = grantable(waiting.count > 1 ? 1 : first.wish, first.priority) else { return }
            waiting.removeFirst()
            first.continuation.resume(returning: self.grant(count, to: first.id, first.priority, first.interruption))
        }
    }

    private func withdraw(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(returning: nil)
    }
}
