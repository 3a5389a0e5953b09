internal import Foundation

/// Converts between moments and what a wall clock shows in one zone.
///
/// Written out instead of asked of `Calendar`, so that every local time of every day has exactly one moment, which the rule below gives:
/// the first moment of that day at which the clock shows the time or a later one.
struct WallClock: Sendable {
    let zone: TimeZone

    /// How the clock treats a local time.
    enum Reading: Sendable, Equatable {
        case once
        /// The clock is put back over it: the first of the two counts.
        case twice
        /// The clock is put forward over it: the moment of the change counts.
        case skipped
    }

    /// What the clock shows: the day, and the seconds since its midnight.
    func local(_ moment: Date) -> (date: LocalDate, seconds: Int) {
        let shown = Int(moment.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: moment)
        let days = shown.flooredQuotient(86_400)
        return (LocalDate(daysSince1970: days), shown - days * 86_400)
    }

    /// - Parameter seconds: What the clock is to show, in seconds after its midnight; below 86 400.
    func moment(of date: LocalDate, seconds: Int) -> (moment: Date, reading: Reading) {
        let wanted = date.daysSince1970 * 86_400 + seconds
        // No zone is further than 26 hours from UTC, so the answer lies between these.
        let first = wanted - 26 * 3_600
        let last = wanted + 26 * 3_600
        var candidates: Set<Int> = []
        var offset = self.offset(first)
        candidates.insert(offset)
        // The clock is not changed twice within two hours.
        for probe in stride(from: first, through: last, by: 7_200) {
            let next = self.offset(probe)
            if next != offset { candidates.insert(next) }
            offset = next
        }
        let valid = candidates.map { wanted - $0 }.filter { moment in self.offset(moment) == wanted - moment }
        if let moment = valid.min() { return (Date(seconds: moment), valid.count > 1 ? .twice : .once) }
        // Skipped: search for the change. Before it the clock shows less than what is wanted, after it more.
        var before = first
        var after = last
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if middle + self.offset(middle) < wanted { before = middle } else { after = middle }
        }
        return (Date(seconds: after), .skipped)
    }

    func moment(of date: LocalDate, at time: ClockTime) -> (moment: Date, reading: Reading) { moment(of: date, seconds: time.seconds) }

    /// `2026-12-24 18:00`.
    func text(_ moment: Date) -> String {
        let (date, seconds) = local(moment)
        return "\(date) \((seconds / 3_600).padded(2)):\((seconds / 60 % 60).padded(2))"
    }

    private func offset(_ moment: Int) -> Int { zone.secondsFromGMT(for: Date(seconds: moment)) }
}

extension Date {
    init(seconds: Int) { self.init(timeIntervalSince1970: Double(seconds)) }
}
