import Synchronization

/// Engines of one kind that are in memory: asked for again, the same one answers; one that nobody has used for a while leaves.
final class KeptEngines<Engine: Sendable>: Sendable {
    private struct Kept {
        var engine: Engine
        var use: EngineUse.Count
    }

    private let kept = Mutex<[String: Kept]>([:])

    /// The engine of that name, made when there is none.
    ///
    /// - Parameters:
    ///   - name: All that distinguishes one engine from another: with another voice or another file it is another name.
    ///   - replacing: Whether others that nobody uses leave at once.
    ///   - make: Reads little: engines load their networks when they first work.
    /// - Returns: The engine, and what the caller holds as long as it works with it.
    func engine(_ name: String, replacing: Bool = false, make: () throws -> Engine) rethrows -> (engine: Engine, use: EngineUse) {
        try kept.withLock { kept in
            if let found = kept[name] { return (found.engine, EngineUse(found.use)) }
            if replacing { kept = kept.filter { $0.value.use.isIdle(for: .zero) == false } }
            let made = Kept(engine: try make(), use: EngineUse.Count())
            kept[name] = made
            return (made.engine, EngineUse(made.use))
        }
    }

    /// Lets go of what nobody has used for so long.
    ///
    /// - Returns: Whether something went.
    func release(idleFor time: Duration) -> Bool {
        kept.withLock { kept in
            let before = kept.count
            kept = kept.filter { $0.value.use.isIdle(for: time) == false }
            return kept.count < before
        }
    }

    /// Names of those that are in memory.
    var names: [String] { kept.withLock { $0.keys.sorted() } }
}

/// Somebody works with an engine as long as this exists.
final class EngineUse: Sendable {
    final class Count: Sendable {
        private let state = Mutex<(users: Int, last: ContinuousClock.Instant)>((0, .now))

        func change(_ step: Int) { state.withLock { $0 = ($0.users + step, .now) } }

        func isIdle(for time: Duration) -> Bool { state.withLock { $0.users == 0 && ContinuousClock.now - $0.last >= time } }
    }

    private let count: Count

    init(_ count: Count) {
        self.count = count
        count.change(1)
    }

    deinit { count.change(-1) }
}
