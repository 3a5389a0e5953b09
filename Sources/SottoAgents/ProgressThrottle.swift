/// Lets at most a few lines a second through, and keeps the newest of the others for the end.
struct ProgressThrottle: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        var step: String
        var text: String
    }

    let interval: Duration
    private var last: Duration?
    private var held: Line?

    init(interval: Duration) { self.interval = interval }

    /// - Returns: Whether `line` is to be written now.
    mutating func admit(_ line: Line, at uptime: Duration) -> Bool {
        if let last, uptime - last < interval {
            held = line
            return false
        }
        last = uptime
        held = nil
        return true
    }

    /// What was held back for `step` and is to be written before it ends.
    mutating func flush(step: String) -> Line? {
        guard held?.step == step else { return nil }
        defer { held = nil }
        return held
    }
}
