internal import Foundation

extension ScheduleRule {
    /// Reads what follows `--every`; upper and lower case do not matter, and a leading "every" may stand.
    ///
    /// - Throws: ``ScheduleError`` `.notUnderstood`, with what was not understood and examples.
    public init(_ text: String) throws(ScheduleError) {
        let words = ScheduleText.words(text)
        let phrase = (words.first == "every" ? words.dropFirst() : words[...]).joined(separator: " ")
        guard phrase.isEmpty == false else { throw Self.refusal("the rule is empty") }

        if let minutes = try Self.interval(phrase) {
            self.init(.interval(minutes: minutes))
            return
        }
        if let time = ClockTime(text: phrase) {
            self.init(.weekdays(Set(Weekday.allCases), at: time))
            return
        }
        guard let (days, time) = ScheduleText.split(phrase) else {
            if Self.days(phrase) != nil || phrase.hasPrefix("month") {
                throw Self.refusal("\u{201C}\(text)\u{201D} has no time of day")
            }
            throw Self.refusal("\u{201C}\(text)\u{201D} is not understood")
        }
        guard let time = ClockTime(text: time) else { throw Self.refusal("\u{201C}\(time)\u{201D} is not a time of day") }
        if days.hasPrefix("month") {
            self.init(.monthly(day: try Self.dayOfMonth(days), at: time))
        } else if let days = Self.days(days) {
            self.init(.weekdays(days, at: time))
        } else {
            throw Self.refusal("\u{201C}\(days)\u{201D} is not a day")
        }
    }

    private static func refusal(_ problem: String) -> ScheduleError {
        ScheduleError(
            .notUnderstood,
            "\(problem); say for example \u{201C}day at 09:00\u{201D}, \u{201C}weekday at 8:30\u{201D}, \u{201C}mon,wed,fri at 07:15\u{201D}, "
                + "\u{201C}month on 1 at 09:00\u{201D}, \u{201C}hour\u{201D} or \u{201C}30 minutes\u{201D}")
    }

    /// `hour`, `30 minutes`, `2 h`: in minutes; `nil` when it is something else.
    private static func interval(_ phrase: String) throws(ScheduleError) -> Int? {
        guard let (count, unit) = ScheduleText.amount(phrase) else { return nil }
        switch unit {
        case .minutes, .hours:
            let (minutes, overflow) = count.multipliedReportingOverflow(by: unit == .hours ? 60 : 1)
            // A year: beyond it a typing error is likelier.
            guard overflow == false, (1...527_040).contains(minutes) else {
                throw refusal("\u{201C}\(phrase)\u{201D} is not an interval between a minute and a year")
            }
            return minutes
        case .days where count > 1 || phrase != "day", .weeks where count > 1 || phrase != "week":
            throw refusal("\u{201C}\(phrase)\u{201D} has no time of day; count in hours, or name the days")
        case .days, .weeks: return nil
        }
    }

    private static func days(_ text: String) -> Set<Weekday>? {
        switch text {
        case "day", "days", "daily": return Set(Weekday.allCases)
        case "weekday", "weekdays", "working day", "working days", "workday", "workdays": return Weekday.workingDays
        case "weekend", "weekends": return Weekday.weekend
        default: break
        }
        var days: Set<Weekday> = []
        for part in text.replacing(",", with: " ").replacing(" - ", with: "-").split(separator: " ") where part != "and" && part != "on" {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Weekday(name: String($0)) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            var day = first
            days.insert(day)
            // Past Sunday it goes on with Monday, as in fri-mon.
            while day != last {
                day = Weekday(rawValue: day.rawValue % 7 + 1) ?? .monday
                days.insert(day)
            }
        }
        return days.isEmpty ? nil : days
    }

    /// `month on 31`, `month on the 1st`, `month on the last day`.
    private static func dayOfMonth(_ text: String) throws(ScheduleError) -> Int {
        let words = text.split(separator: " ").filter { ["month", "monthly", "on", "the", "day"].contains($0) == false }
        guard words.count == 1, var word = words.first else {
            throw refusal("\u{201C}\(text)\u{201D} does not say on which day of the month")
        }
        if word == "last" { return 31 }
        if let suffix = ["st", "nd", "rd", "th"].first(where: word.hasSuffix) { word.removeLast(suffix.count) }
        if word.hasSuffix(".") { word.removeLast() }
        guard let day = Int(digits: word, count: 1...2), (1...31).contains(day) else {
            throw refusal("\u{201C}\(word)\u{201D} is not a day of the month")
        }
        return day
    }
}
