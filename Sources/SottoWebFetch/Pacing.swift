/// Who may ask which host when: a value that reads no clock.
struct Pacing: Sendable {
    struct Limits: Sendable, Equatable {
        /// Requests on their way at once, in all.
        var total = 4
        /// Requests on their way at once to one host.
        var perHost = 1
        /// Between the end of one request to a host and the start of the next.
        var gap: Duration = .seconds(1)
        /// A longer rest that a host asks for is cut to this.
        var longestRest: Duration = .seconds(30)
    }

    enum Answer: Equatable, Sendable {
        case go
        /// Not before this time, nor before a running request ends.
        case wait(until: Duration?)
    }

    private struct Host: Sendable {
        var running = 0
        var next = Duration.zero
    }

    let limits: Limits
    private var hosts: [String: Host] = [:]
    private var running = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Asks for a place; `.go` takes it, and ``end(_:at:rest:)`` gives it back.
    ///
    /// - Parameter now: Since any fixed moment.
    mutating func begin(_ host: String, at now: Duration) -> Answer {
        var state = hosts[host] ?? Host()
        guard running < limits.total, state.running < limits.perHost else { return .wait(until: nil) }
        guard state.next <= now else { return .wait(until: state.next) }
        running += 1
        state.running += 1
        hosts[host] = state
        return .go
    }

    /// - Parameter rest: How long the host wants to be left alone (Retry-After, Crawl-delay), at least the gap; `nil` when the next request
    ///   belongs to this one, as after a redirect or robots.txt, and need not wait.
    mutating func end(_ host: String, at now: Duration, rest: Duration? = .zero) {
        running -= 1
        hosts[host, default: Host()].running -= 1
        if let rest { hosts[host, default: Host()].next = now + max(limits.gap, min(rest, limits.longestRest)) }
        // Hosts that rest no longer need no memory.
        if hosts.count > 256 { hosts = hosts.filter { $0.value.running > 0 || $0.value.next > now } }
    }
}
