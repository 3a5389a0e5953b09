internal import SottoSearching
internal import struct Foundation.Date

/// Answers of the last minutes, so that nothing is asked twice. A value without clock; failures are never kept.
struct SearchCache: Sendable {
    struct Key: Hashable, Sendable {
        var query: SearchQuery
        var providers: [ProviderID]
    }

    private struct Entry: Sendable {
        var report: SearchReport
        var since: Date
        var until: Date
    }

    private var entries: [Key: Entry] = [:]
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(1, capacity) }

    func report(_ key: Key, at now: Date) -> SearchReport? {
        guard let entry = entries[key], now < entry.until, now >= entry.since else { return nil }
        var report = entry.report
        report.isFromCache = true
        return report
    }

    mutating func keep(_ report: SearchReport, as key: Key, at now: Date) {
        let minutes: Double
        switch report.verdict {
        case .found: minutes = 15
        case .nothingFound: minutes = 5
        case .failed: return
        }
        entries[key] = Entry(report: report, since: now, until: now.addingTimeInterval(minutes * 60))
        guard entries.count > capacity else { return }
        entries = entries.filter { now < $0.value.until }
        while entries.count > capacity, let oldest = entries.min(by: { $0.value.since < $1.value.since }) { entries[oldest.key] = nil }
    }
}
