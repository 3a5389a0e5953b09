/// Grants the machine's cores to engines by priority, so that hearing never waits for the language model.
///
/// Decoding on two threads while anything else holds a core costs ten times or more on a two-core machine (both
/// runtimes spin while they wait), so every engine asks here before it computes, for one short step at a time: one
/// encoder pass, one clause of speech, one batch of prompt tokens. What it is granted may be fewer threads than it wished.
public actor ComputeBudget {
    /// Who asks, most urgent first.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        case hearing, speech, languageModel
        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Request {
        let id: UInt64
        let priority: Priority
        let continuation: CheckedContinuation<Int?, Never>
        let wish: Int
    }

    /// How many threads there are to give, at least 1.
    public nonisolated let threads: Int
    private var granted = 0
    private var nextID: UInt64 = 0
    private var waiting: [Request] = []

    /// - Parameter threads: Usually the number of cores.
    public init(threads: Int) {
        self.threads = max(1, threads)
    }

    /// Runs `body` while holding between 1 and `wish` threads, and gives them back whatever happens.
    ///
    /// - Parameters:
    ///   - priority: Waiting requests are served in this order, then first come first served.
    ///   - wish: How many threads would help; fewer are granted while others hold or wait for some.
    ///   - body: One short step. It receives the number of threads it may use.
    /// - Throws: `CancellationError` when cancelled while waiting, and what `body` throws.
    public nonisolated(nonsending) func withThreads<Value>(
        _ priority: Priority, wish: Int, _ body: (Int) async throws -> Value
    ) async throws -> Value {
        let count = try await acquire(priority, wish: max(1, wish))
        do {
            let value = try await body(count)
            await release(count)
            return value
        } catch {
            await release(count)
            throw error
        }
    }

    /// How many requests wait, for reports and tests.
    public var waitingCount: Int { waiting.count }

    private func acquire(_ priority: Priority, wish: Int) async throws -> Int {
        try Task.checkCancellation()
        if waiting.isEmpty, let count = grantable(wish) {
            granted += count
            return count
        }
        let id = nextID
        nextID += 1
        let count: Int? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
                if Task.isCancelled {
                    continuation.resume(returning: nil)
                    return
                }
                let request = Request(id: id, priority: priority, continuation: continuation, wish: wish)
                let position = waiting.firstIndex { $0.priority > priority } ?? waiting.endIndex
                waiting.insert(request, at: position)
            }
        } onCancel: {
            // Unstructured: a cancellation handler is synchronous and may not wait for the actor.
            Task { await self.withdraw(id) }
        }
        guard let count else { throw CancellationError() }
        return count
    }

    private func grantable(_ wish: Int) -> Int? {
        let free = threads - granted
        guard free > 0 else { return nil }
        return min(wish, free)
    }

    private func release(_ count: Int) {
        granted -= count
        while let first = waiting.first {
            // Others are waiting too: one thread each, so that the next in line is not shut out.
            guard let count = grantable(waiting.count > 1 ? 1 : first.wish) else { return }
            waiting.removeFirst()
            granted += count
            first.continuation.resume(returning: count)
        }
    }

    private func withdraw(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(returning: nil)
    }
}
