public import Foundation

/// When something comes again and again, as a person says it: `day at 09:00`, `mon,wed,fri at 07:15`, `30 minutes`, `month on 31 at 09:00`.
///
/// A rule at a time of day runs once on each of its days: where the clock is put forward over the time, at the moment of the change; where it is
/// put back over it, the first time. An interval counts elapsed time from its anchor, whatever the clocks do.
public struct ScheduleRule: Sendable, Hashable, CustomStringConvertible {
    public enum Pattern: Sendable, Hashable {
        /// Never empty.
        case weekdays(Set<Weekday>, at: ClockTime)
        /// A day of 29 … 31 is the last day of months that have no such day.
        case monthly(day: Int, at: ClockTime)
        /// Whole minutes, at least one.
        case interval(minutes: Int)
    }

    public let pattern: Pattern

    init(_ pattern: Pattern) { self.pattern = pattern }

    /// The first run after a moment.
    ///
    /// - Parameters:
    ///   - moment: The run is later than this.
    ///   - anchor: What an interval is counted from, its fraction of a second left out; other rules ignore it.
    /// - Complexity: A few days' look-ups at most.
    public func next(after moment: Date, anchor: Date, zone: ScheduleZone) -> Date {
        switch pattern {
        case .interval(let minutes):
            let start = anchor.timeIntervalSince1970.rounded(.down)
            let interval = Double(minutes * 60)
            // Whole seconds below 2^53 are exact in a `Double`, so no run is told twice or left out by rounding.
            let count = ((moment.timeIntervalSince1970.rounded(.down) - start) / interval).rounded(.down)
            return Date(timeIntervalSince1970: start + interval * max(1, count + 1))
        case .weekdays(let days, let time):
            // A day early, because the moment of a time that was skipped can lie behind it.
            var date = zone.clock.local(moment).date.adding(days: -1)
            while true {
                if days.contains(date.weekday) {
                    let run = zone.clock.moment(of: date, at: time).moment
                    if run > moment { return run }
                }
                date = date.adding(days: 1)
            }
        case .monthly(let day, let time):
            let first = zone.clock.local(moment).date
            var count = -1
            while true {
                let run = zone.clock.moment(of: first.month(after: count, day: day), at: time).moment
                if run > moment { return run }
                count += 1
            }
        }
    }

    /// How many runs lie after `start` and not after `end`, and which is the last of them.
    func runs(after start: Date, through end: Date, anchor: Date, zone: ScheduleZone) -> (count: Int, last: Date?) {
        let first = next(after: start, anchor: anchor, zone: zone)
        guard first <= end else { return (0, nil) }
        if case .interval(let minutes) = pattern {
            let more = Int((end.timeIntervalSince(first) / Double(minutes * 60)).rounded(.down))
            return (more + 1, first.addingTimeInterval(Double(more * minutes * 60)))
        }
        var count = 0
        var last = first
        var run = first
        while run <= end {
            count += 1
            last = run
            run = next(after: run, anchor: anchor, zone: zone)
        }
        return (count, last)
    }

    /// The rule in its one canonical form, which reads back as the same rule.
    public var description: String {
        switch pattern {
        case .weekdays(let days, let time):
            switch days {
            case Set(Weekday.allCases): "day at \(time)"
            case Weekday.workingDays: "weekday at \(time)"
            case Weekday.weekend: "weekend at \(time)"
            default:
                if days.count == 1, let day = days.first { "\(day.name) at \(time)" } else {
                    "\(days.sorted().map(\.abbreviation).joined(separator: ",")) at \(time)"
                }
            }
        case .monthly(let day, let time): "month on \(day) at \(time)"
        case .interval(60): "hour"
        case .interval(1): "minute"
        case .interval(let minutes): minutes % 60 == 0 ? "\(minutes / 60) hours" : "\(minutes) minutes"
        }
    }
}
