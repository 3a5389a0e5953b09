import SottoSearching

/// Decides which hit of a search is read next. A value: no time, no network.
///
/// Reading ends when enough pages were read or as many were tried as may be. Of one site at most a few are tried, so that one site does not speak alone.
struct ReadingQueue: Sendable {
    /// Pages that may be tried.
    let attempts: Int
    /// Pages that are wanted.
    let wanted: Int
    /// Pages of one site that may be tried.
    let perSite: Int
    private var waiting: [SearchHit]
    private var tried: [String: Int] = [:]
    private(set) var started = 0
    private(set) var read = 0
    private(set) var open = 0

    init(_ hits: [SearchHit], attempts: Int, wanted: Int, perSite: Int = 3) {
        self.attempts = attempts
        self.wanted = wanted
        self.perSite = perSite
        waiting = hits.reversed()
    }

    /// The next hit to read; `nil` while those under way may be enough, and when none is left.
    mutating func next() -> SearchHit? {
        guard started < attempts, read + open < wanted else { return nil }
        while let hit = waiting.popLast() {
            let site = PageAddress.site(of: hit.address)
            guard tried[site, default: 0] < perSite else { continue }
            tried[site, default: 0] += 1
            started += 1
            open += 1
            return hit
        }
        return nil
    }

    /// Takes how one ended.
    mutating func ended(wasRead: Bool) {
        open -= 1
        if wasRead { read += 1 }
    }
}
