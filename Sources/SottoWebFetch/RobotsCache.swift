import Foundation
import SottoFetching

/// Remembers what hosts ask of robots, for a day at most (RFC 9309 §2.4) and for a bounded number of hosts.
actor RobotsCache {
    /// What a host's robots.txt came to.
    enum Finding: Sendable, Equatable {
        case rules(RobotsRules)
        /// It exists for all that is known, and could not be had: nothing may be read (§2.3.1.4).
        case unreachable
    }

    private struct Entry {
        var finding: Finding
        var until: Date
    }

    private var entries: [WebOrigin: Entry] = [:]
    private let limit: Int
    private static let lifetime = 86_400.0
    private static let lifetimeOfFailure = 300.0

    init(limit: Int = 512) { self.limit = limit }

    func finding(for origin: WebOrigin, at now: Date) -> Finding? {
        guard let entry = entries[origin], entry.until > now else { return nil }
        return entry.finding
    }

    func store(_ finding: Finding, for origin: WebOrigin, at now: Date) {
        if entries.count >= limit, entries[origin] == nil {
            entries = entries.filter { $0.value.until > now }
            if entries.count >= limit, let first = entries.min(by: { $0.value.until < $1.value.until })?.key { entries[first] = nil }
        }
        entries[origin] = Entry(finding: finding, until: now.addingTimeInterval(finding == .unreachable ? Self.lifetimeOfFailure : Self.lifetime))
    }
}
