/// A time of day on the wall clock, to the minute.
public struct ClockTime: Sendable, Hashable, CustomStringConvertible {
    /// 0 … 23.
    public let hour: Int
    /// 0 … 59.
    public let minute: Int

    public init?(hour: Int, minute: Int) {
        guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// Reads `09:00`, `9:00`, `18.30`, `9am`, `6:30 pm`, `noon` or `midnight`; lower case.
    init?(text: String) {
        switch text {
        case "noon": self.init(hour: 12, minute: 0)
        case "midnight": self.init(hour: 0, minute: 0)
        default:
            var digits = text.filter { $0 != " " }
            var half: Int?
            for (suffix, hours) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)] where digits.hasSuffix(suffix) {
                half = hours
                digits.removeLast(suffix.count)
            }
            let parts = digits.split(separator: digits.contains(".") ? "." : ":", omittingEmptySubsequences: false)
            guard (half == nil ? 2...2 : 1...2).contains(parts.count), let hour = Int(digits: parts[0], count: 1...2) else { return nil }
            let minute = parts.count == 2 ? Int(digits: parts[1], count: 2...2) : 0
            guard let minute else { return nil }
            guard let half else {
                self.init(hour: hour, minute: minute)
                return
            }
            guard (1...12).contains(hour) else { return nil }
            self.init(hour: hour % 12 + half, minute: minute)
        }
    }

    /// Since midnight as the wall clock counts.
    var seconds: Int { hour * 3_600 + minute * 60 }

    public var description: String { "\(hour.padded(2)):\(minute.padded(2))" }
}

extension Int {
    /// ASCII digits alone: no sign, no other script's digits.
    init?(digits text: some StringProtocol, count: ClosedRange<Int>) {
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text) else { return nil }
        self = value
    }

    func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
