/// A day of the proleptic Gregorian calendar.
struct LocalDate: Sendable, Hashable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// - Returns: `nil` for a day that no calendar has, such as 30 February.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.lastDay(month: month, year: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that lies so many days after 1 January 1970.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Source: as above, `days_from_civil`.
    var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    var weekday: Weekday {
        // 1 January 1970 was a Thursday.
        let number = (daysSince1970 + 3) - (daysSince1970 + 3).flooredQuotient(7) * 7 + 1
        return Weekday(rawValue: number) ?? .monday
    }

    func adding(days: Int) -> LocalDate { LocalDate(daysSince1970: daysSince1970 + days) }

    /// The given day of the month `count` months later, or that month's last day when it is shorter.
    func month(after count: Int, day: Int) -> LocalDate {
        let months = year * 12 + (month - 1) + count
        let year = months.flooredQuotient(12)
        let month = months - year * 12 + 1
        return LocalDate(year: year, month: month, day: min(day, Self.lastDay(month: month, year: year))) ?? self
    }

    static func lastDay(month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    var description: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }
}

extension Int {
    /// Division that rounds down for negative numbers too; the divisor is positive.
    func flooredQuotient(_ divisor: Int) -> Int { self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor) }
}
