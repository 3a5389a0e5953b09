/// A day of the week, numbered as ISO 8601 does.
public enum Weekday: Int, Sendable, CaseIterable, Comparable {
    case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday

    public static let workingDays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]
    public static let weekend: Set<Weekday> = [.saturday, .sunday]

    public static func < (left: Weekday, right: Weekday) -> Bool { left.rawValue < right.rawValue }

    /// English, lower case.
    var name: String { String(describing: self) }
    var abbreviation: String { String(name.prefix(3)) }

    /// - Parameter text: Lower case: a name, its plural, or a beginning of at least three letters (`tues`, `thu`); `weds` too.
    init?(name text: String) {
        let singular = text.hasSuffix("days") ? String(text.dropLast()) : text
        let match = Self.allCases.first { singular.count >= 3 && $0.name.hasPrefix(singular) }
        guard let day = match ?? (text == "weds" ? .wednesday : nil) else { return nil }
        self = day
    }
}
