public import Foundation

/// One moment in the future, as a person says it: `18:00`, `tomorrow 09:00`, `friday at 9am`, `in 20 minutes`, `2026-12-24 18:00`,
/// `2026-12-24T18:00:00+01:00`.
public struct DueTime: Sendable, Equatable {
    public let date: Date
    /// What the user should be told: that the clock skips that time, or shows it twice.
    public let note: String?

    /// Reads what follows `--at`; upper and lower case do not matter.
    ///
    /// A time without a day is today's, or tomorrow's when it is over; a weekday is the next such day. `in 2 hours` counts elapsed time,
    /// `in 2 days` keeps the time of day.
    /// - Throws: ``ScheduleError`` `.notUnderstood` with examples, or `.past`.
    public init(_ text: String, now: Date, zone: ScheduleZone) throws(ScheduleError) {
        var words = ScheduleText.words(text)
        if words.first == "at" || words.first == "on" { words.removeFirst() }
        let phrase = words.joined(separator: " ")
        let today = zone.clock.local(now).date

        if phrase == "now" {
            self.init(date: now, note: nil)
            return
        }
        if words.first == "in", let (count, unit) = ScheduleText.amount(words.dropFirst().joined(separator: " ")) {
            try self.init(count, unit, now: now, zone: zone)
            return
        }
        if let moment = Self.moment(phrase) {
            guard moment >= now else { throw ScheduleError(.past, "\(text) is over; give a time to come") }
            self.init(date: moment, note: nil)
            return
        }
        if let time = ClockTime(text: phrase) {
            let candidate = Self(today, time.seconds, zone: zone)
            self = candidate.date > now ? candidate : Self(today.adding(days: 1), time.seconds, zone: zone)
            return
        }
        if let (date, seconds) = try Self.local(phrase) {
            self = Self(date, seconds, zone: zone)
            guard self.date >= now else {
                throw ScheduleError(.past, "\(text) is over in \(zone), where it is \(zone.text(now)); give a time to come")
            }
            return
        }
        guard let (day, timeText) = ScheduleText.split(phrase) else { throw Self.refusal("\u{201C}\(text)\u{201D} is not understood") }
        guard let time = ClockTime(text: timeText) else { throw Self.refusal("\u{201C}\(timeText)\u{201D} is not a time of day") }
        switch day {
        case "today":
            self = Self(today, time.seconds, zone: zone)
            guard date > now else { throw ScheduleError(.past, "\(time) is over today in \(zone), where it is \(zone.text(now)); say \u{201C}tomorrow \(time)\u{201D}") }
        case "tomorrow":
            self = Self(today.adding(days: 1), time.seconds, zone: zone)
        default:
            let name = day.hasPrefix("next ") ? String(day.dropFirst(5)) : day
            guard let weekday = Weekday(name: name) else { throw Self.refusal("\u{201C}\(day)\u{201D} is not a day") }
            // Today counts only while the time is still to come, and never as "next".
            let ahead = (weekday.rawValue - today.weekday.rawValue + 7) % 7
            let candidate = Self(today.adding(days: ahead), time.seconds, zone: zone)
            let isWanted = candidate.date > now && (ahead > 0 || name == day)
            self = isWanted ? candidate : Self(today.adding(days: ahead + 7), time.seconds, zone: zone)
        }
    }

    private init(date: Date, note: String?) {
        self.date = date
        self.note = note
    }

    private init(_ day: LocalDate, _ seconds: Int, zone: ScheduleZone) {
        let (moment, reading) = zone.clock.moment(of: day, seconds: seconds)
        let shown = "\((seconds / 3_600).padded(2)):\((seconds / 60 % 60).padded(2))"
        let note: String? = switch reading {
        case .once: nil
        case .skipped: "\(shown) does not exist on \(day) in \(zone), where the clock is put forward: it will be \(zone.text(moment))"
        case .twice: "\(shown) comes twice on \(day) in \(zone), where the clock is put back: the first counts"
        }
        self.init(date: moment, note: note)
    }

    private init(_ count: Int, _ unit: ScheduleText.Unit, now: Date, zone: ScheduleZone) throws(ScheduleError) {
        let days: Int
        switch unit {
        case .minutes, .hours:
            let minutes = unit == .hours ? count * 60 : count
            guard minutes <= Self.horizon * 1_440 else { throw Self.refusal("that is more than ten years ahead") }
            self.init(date: now.addingTimeInterval(Double(minutes) * 60), note: nil)
            return
        case .days: days = count
        case .weeks: days = count * 7
        }
        guard days <= Self.horizon else { throw Self.refusal("that is more than ten years ahead") }
        let (today, seconds) = zone.clock.local(now)
        self = Self(today.adding(days: days), seconds, zone: zone)
    }

    /// Days.
    private static let horizon = 3_660

    private static func refusal(_ problem: String) -> ScheduleError {
        ScheduleError(
            .notUnderstood,
            "\(problem); say for example \u{201C}18:00\u{201D}, \u{201C}tomorrow 09:00\u{201D}, \u{201C}friday at 9am\u{201D}, \u{201C}in 20 minutes\u{201D}, "
                + "\u{201C}2026-12-24 18:00\u{201D} or \u{201C}2026-12-24T18:00:00+01:00\u{201D}")
    }

    /// `2026-12-24 18:00`, `2026-12-24t18:00:30`: a day, and seconds after its midnight; `nil` when it does not begin with a date.
    private static func local(_ phrase: String) throws(ScheduleError) -> (LocalDate, Int)? {
        let parts = phrase.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let year = Int(digits: parts[0], count: 4...4), let month = Int(digits: parts[1], count: 1...2) else { return nil }
        let dayText = parts[2].prefix { $0.isNumber }
        guard let day = Int(digits: dayText, count: 1...2), let date = LocalDate(year: year, month: month, day: day) else {
            throw refusal("\u{201C}\(phrase)\u{201D} names a day that does not exist")
        }
        var rest = parts[2].dropFirst(dayText.count)
        if rest.first == "t" || rest.first == " " { rest = rest.dropFirst() }
        if rest.hasPrefix("at ") { rest = rest.dropFirst(3) }
        guard rest.isEmpty == false else { throw refusal("\u{201C}\(phrase)\u{201D} has no time of day") }
        if let time = ClockTime(text: String(rest)) { return (date, time.seconds) }
        guard let seconds = Self.seconds(rest) else { throw refusal("\u{201C}\(rest)\u{201D} is not a time of day") }
        return (date, seconds)
    }

    /// `18:00:30`, with a fraction that is left out.
    private static func seconds(_ text: Substring) -> Int? {
        let whole = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard whole.count == 1 || whole[1].isEmpty == false && whole[1].utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let parts = whole[0].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = Int(digits: parts[0], count: 2...2), let minute = Int(digits: parts[1], count: 2...2),
            let second = Int(digits: parts[2], count: 2...2), second < 60, let time = ClockTime(hour: hour, minute: minute)
        else { return nil }
        return time.seconds + second
    }

    /// ISO 8601 with an offset: `2026-12-24t18:00z`, `…+01:00`, `…+0100`, `…+01`.
    private static func moment(_ phrase: String) -> Date? {
        guard let mark = phrase.firstIndex(of: "t"), let end = phrase[mark...].lastIndex(where: { "z+-".contains($0) }) else { return nil }
        let offset: Int
        let zone = phrase[end...].dropFirst()
        if phrase[end] == "z" {
            guard zone.isEmpty else { return nil }
            offset = 0
        } else {
            let digits = zone.replacing(":", with: "")
            guard digits.count == 2 || digits.count == 4, let number = Int(digits: digits, count: 2...4) else { return nil }
            let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
            guard minutes <= 18 * 60, digits.count == 2 || number % 100 < 60 else { return nil }
            offset = (phrase[end] == "-" ? -60 : 60) * minutes
        }
        guard let read = try? local(String(phrase[..<end])) else { return nil }
        return Date(seconds: read.0.daysSince1970 * 86_400 + read.1 - offset)
    }
}
