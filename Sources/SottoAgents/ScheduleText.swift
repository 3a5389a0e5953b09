internal import Foundation

/// The words that rules and times share.
enum ScheduleText {
    enum Unit: Sendable { case minutes, hours, days, weeks }

    /// Lower case, single spaces, none around commas.
    static func words(_ text: String) -> [String] {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing(" ,", with: ",").replacing(", ", with: ",")
            .split(separator: " ").map(String.init)
    }

    /// What stands before and after the last " at ", or before the last word that is a time: `monday at 18:00`, `monday 18:00`, `monday 6 pm`.
    static func split(_ phrase: String) -> (days: String, time: String)? {
        let words = phrase.split(separator: " ").map(String.init)
        if let at = words.lastIndex(of: "at") {
            guard at > 0, at + 1 < words.count else { return nil }
            return (words[..<at].joined(separator: " "), words[(at + 1)...].joined(separator: " "))
        }
        for count in [2, 1] where words.count > count {
            let time = words.suffix(count).joined(separator: " ")
            if ClockTime(text: time) != nil { return (words.dropLast(count).joined(separator: " "), time) }
        }
        return nil
    }

    /// `20 minutes`, `1h`, `an hour`, `hour`: the count, 1 when there is none, and the unit.
    static func amount(_ phrase: String) -> (count: Int, unit: Unit)? {
        let digits = phrase.prefix { $0.isASCII && $0.isNumber }
        var rest = phrase.dropFirst(digits.count).drop { $0 == " " }
        if digits.isEmpty, let article = ["an ", "a "].first(where: rest.hasPrefix) { rest = rest.dropFirst(article.count) }
        let unit: Unit
        switch rest {
        case "m", "min", "mins", "minute", "minutes": unit = .minutes
        case "h", "hr", "hrs", "hour", "hours": unit = .hours
        case "d", "day", "days": unit = .days
        case "w", "week", "weeks": unit = .weeks
        default: return nil
        }
        if digits.isEmpty { return (1, unit) }
        guard let count = Int(digits: digits, count: 1...9) else { return nil }
        return (count, unit)
    }
}
