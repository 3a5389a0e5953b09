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
    /// Hosts whose robots.txt is on its way, and who waits for it.
    private var asked: Set<WebOrigin> = []
    private var waiting: [Int: (origin: WebOrigin, continuation: CheckedContinuation<Void, Never>)] = [:]
    private var next = 0
    private let limit: Int
    private static let lifetime = 86_400.0
    private static let lifetimeOfFailure = 300.0

    init(limit: Int = 512) { self.limit = limit }

    /// What is known of a host; while somebody asks it, waits for the answer.
    ///
    /// - Returns: `nil` when the caller is to ask, and then ``store(_:for:at:)`` or ``giveUp(_:)``.
    /// - Throws: `CancellationError`.
    func finding(for origin: WebOrigin, at now: Date) async throws -> Finding? {
        while true {
            try Task.checkCancellation()
            if let entry = entries[origin], entry.until > now { return entry.finding }
            if asked.insert(origin).inserted { return nil }
            await answer(of: origin)
        }
    }

    /// Lets the next one ask.
    func giveUp(_ origin: WebOrigin) {
        asked.remove(origin)
        for waiter in waiting.filter({ $0.value.origin == origin }).keys.sorted() { wake(waiter) }
    }

    func store(_ finding: Finding, for origin: WebOrigin, at now: Date) {
        if entries.count >= limit, entries[origin] == nil {
            entries = entries.filter { $0.value.until > now }
            if entries.count >= limit, let first = entries.min(by: { $0.value.until < $1.value.until })?.key { entries[first] = nil }
        }
        defer { giveUp(origin) }
        entries[origin] = Entry(finding: finding, until: now.addingTimeInterval(finding == .unreachable ? Self.lifetimeOfFailure : Self.lifetime))
    }

    private func answer(of origin: WebOrigin) async {
        let number = next
        next += 1
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiting[number] = (origin, continuation) }
            }
        } onCancel: {
            // The handler is synchronous and runs on any thread.
            Task { await self.wake(number) }
        }
    }

    private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.continuation.resume() }
}
