internal import Foundation

/// Dates as providers write them; without a zone they are taken as UTC.
enum SearchDate {
    /// `2025-07-16`, `2025-07-16T09:43:00`, with or without fraction and zone.
    static func iso(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 10, text.utf8.count <= 40 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false).map { String($0) ?? "" }
        let days = parts[0].split(separator: "-").map { Int($0) }
        guard days.count == 3, let year = days[0], let month = days[1], let day = days[2], (1...9_999).contains(year), (1...12).contains(month),
            (1...31).contains(day)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var components = DateComponents(year: year, month: month, day: day)
        var offset = 0
        if parts.count == 2 {
            let clock = parts[1]
            let time = clock.prefix { $0.isNumber || $0 == ":" }.split(separator: ":").map { Int($0) }
            guard time.count >= 2, let hour = time[0], let minute = time[1], (0...23).contains(hour), (0...59).contains(minute) else { return nil }
            components.hour = hour
            components.minute = minute
            components.second = time.count > 2 ? time[2] : 0
            let rest = clock.drop { $0.isNumber || $0 == ":" || $0 == "." }
            if let sign = rest.first, sign == "+" || sign == "-" {
                let digits = rest.dropFirst().filter(\.isNumber)
                guard digits.count == 4, let number = Int(digits) else { return nil }
                offset = (number / 100 * 60 + number % 100) * (sign == "+" ? 60 : -60)
            }
        }
        guard let date = calendar.date(from: components), calendar.component(.day, from: date) == day else { return nil }
        return date.addingTimeInterval(-Double(offset))
    }

    /// `Mon, 02 Jan 2023 15:04:05 GMT`, or with `+0200` in the end.
    static func mail(_ text: String) -> Date? {
        let words = text.split { $0 == " " || $0 == "," }
        guard words.count >= 5, let month = months.firstIndex(of: words[2].lowercased()), let day = Int(words[1]), let year = Int(words[3]) else {
            return nil
        }
        let zone = words.count > 5 && (words[5].hasPrefix("+") || words[5].hasPrefix("-")) ? words[5] : ""
        return iso(String(format: "%04d-%02d-%02dT", year, month + 1, day) + words[4] + zone)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
