import Synchronization

/// Adds up the bytes of several models and tells the caller.
final class PullTracker: Sendable {
    private struct State {
        var completed: [String: Int64] = [:]
    }

    private let totals: [String: Int64]
    private let total: Int64
    private let handler: PullProgressHandler
    private let state = Mutex(State())

    init(_ models: [ModelManifest.Model], _ handler: @escaping PullProgressHandler) {
        totals = Dictionary(models.map { ($0.id, $0.size) }, uniquingKeysWith: { first, _ in first })
        total = models.reduce(0) { $0 + $1.size }
        self.handler = handler
    }

    /// - Parameter completed: Bytes of the model, or `nil` to keep the last value.
    func report(_ phase: PullProgress.Phase, _ model: String, _ item: String, completed: Int64? = nil) {
        let limit = totals[model] ?? 0
        let (mine, all): (Int64, Int64) = state.withLock { state in
            if let completed { state.completed[model] = min(max(0, completed), limit) }
            return (state.completed[model] ?? 0, state.completed.values.reduce(0, +))
        }
        handler(
            PullProgress(
                phase: phase, model: model, item: item, modelCompleted: mine, modelTotal: limit, completed: all, total: total))
    }
}
