internal import SottoSearching
internal import struct Foundation.Date

/// Who may be asked when, so that no operator is asked too often or too much at a time. A value without clock.
struct Pacing: Sendable {
    enum Turn: Equatable, Sendable {
        case go
        /// Too early.
        case wait(Duration)
        /// As many requests as allowed are on their way: ask again when one has ended.
        case full
    }

    private struct Group: Sendable {
        var lastStart: Date?
        var running = 0
    }

    private var groups: [String: Group] = [:]

    /// Takes a turn, when there is one.
    mutating func take(_ pace: SearchPace, at now: Date) -> Turn {
        var group = groups[pace.group] ?? Group()
        guard group.running < pace.concurrent else { return .full }
        if let last = group.lastStart {
            let left = pace.interval / .seconds(1) - now.timeIntervalSince(last)
            // More than an interval is left only when the clock was set back.
            if left > 0 { return .wait(.seconds(min(left, pace.interval / .seconds(1)))) }
        }
        group.running += 1
        group.lastStart = now
        groups[pace.group] = group
        return .go
    }

    /// - Parameter wasHeard: Whether the operator saw the request; one that never arrived keeps nobody waiting.
    mutating func end(_ pace: SearchPace, wasHeard: Bool) {
        guard var group = groups[pace.group] else { return }
        group.running = max(0, group.running - 1)
        if wasHeard == false { group.lastStart = nil }
        groups[pace.group] = group
    }
}
