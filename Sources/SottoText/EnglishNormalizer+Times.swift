extension EnglishNormalizer {
    private static let zones = "(est|pst|cst|mst|gmt|utc|cet|edt|pdt|bst|cest|ist|jst)"
    private static let half = "([AaPp]\\.? ?[Mm]\\b\\.?)"

    private static func clock(_ hour: String, _ minute: String, _ half: String, _ zone: String) -> String? {
        guard var hours = Int(hour), let minutes = Int(minute), hours < 25, minutes < 60 else { return nil }
        let half = half.filter(\.isLetter).uppercased()
        // "00:30 am" and "16:00 pm" say the same thing twice.
        if half.isEmpty == false, hours == 0 || hours > 12 { hours = hours == 0 ? 12 : hours - 12 }
        var words = NumberWords.cardinal(hours)
        if minutes == 0 {
            if half.isEmpty { words = hours == 0 || hours > 12 ? words + " hundred" : words + " o'clock" }
        } else {
            words += (minutes < 10 ? " oh " : " ") + NumberWords.cardinal(minutes)
        }
        return words + (half.isEmpty ? "" : " \(half)") + (zone.isEmpty ? "" : " \(zone.uppercased())")
    }

    private static func count(_ value: Int, _ unit: String) -> String { "\(NumberWords.cardinal(value)) \(unit)\(value == 1 ? "" : "s")" }

    /// Clock times, spans of them, durations, ratios.
    static let timeRules: [TextRule] = [
        TextRule("\(start)(\\d{1,2}):(\\d{2}):(\\d{2})(?:\\.\\d+)?\(end)", needsDigit: true, { groups in
            guard let hours = Int(groups[1]), let minutes = Int(groups[2]), let seconds = Int(groups[3]), minutes < 60, seconds < 60 else { return nil }
            return "\(count(hours, "hour")) \(count(minutes, "minute")) and \(count(seconds, "second"))"
        }),
        TextRule("\(start)(\\d{1,2})(?::(\\d{2}))? ?\(half)? ?- ?(\\d{1,2})(?::(\\d{2}))? ?\(half)", ignoringCase: true, needsDigit: true, { groups in
            let isHalved = groups[3].isEmpty == false
            let from = groups[2].isEmpty && isHalved == false ? Int(groups[1]).map(NumberWords.cardinal) : clock(groups[1], groups[2].isEmpty ? "00" : groups[2], groups[3], "")
            guard let from, let to = clock(groups[4], groups[5].isEmpty ? "00" : groups[5], groups[6], "") else { return nil }
            return "\(from) to \(to)"
        }),
        TextRule("\(start)(\\d{1,2}):(\\d{2}) ?- ?(\\d{1,2}):(\\d{2})\(end)", needsDigit: true, { groups in
            guard let from = clock(groups[1], groups[2], "", ""), let to = clock(groups[3], groups[4], "", "") else { return nil }
            return "\(from) to \(to)"
        }),
        TextRule("\(start)(\\d{1,2})[:.](\\d{2}) ?([AaPp]\\.[Mm]\\.)\(zones)\\b", ignoringCase: true, needsDigit: true, { clock($0[1], $0[2], $0[3], $0[4]) }),
        TextRule("\(start)(\\d{1,2})[:.](\\d{2}) ?([AaPp]\\.? ?[Mm](?:\\.(?! ?$)|\\b))(?![\\w])(?:\\.? ?\(zones)\\b)?", ignoringCase: true, needsDigit: true, {
            clock($0[1], $0[2], $0[3], $0[4])
        }),
        TextRule("\(start)(\\d{1,2}):(\\d{2}) ?\(zones)\\b", ignoringCase: true, needsDigit: true, { clock($0[1], $0[2], "", $0[3]) }),
        TextRule("\(start)(\\d{1,2}):(\\d{2})\\b(?!:|\\w)(?: ?\(zones)\\b)?", ignoringCase: true, needsDigit: true, { clock($0[1], $0[2], "", $0[3]) }),
        TextRule("\(start)(\\d{1,2}) ?([AaPp]\\.?[Mm](?:\\.(?! ?$)|\\b))(?![\\w])(?: ?\(zones)\\b)?", ignoringCase: true, needsDigit: true, {
            clock($0[1], "00", $0[2], $0[3])
        }),
        TextRule("\(start)(\\d{1,3}) ?h(?:rs?)? ?(\\d{1,2}) ?m(?:in)?(?: ?(\\d{1,2}) ?s(?:ec)?)?\\b(?!/)", needsDigit: true, { groups in
            guard let hours = Int(groups[1]), let minutes = Int(groups[2]) else { return nil }
            return "\(count(hours, "hour")) \(count(minutes, "minute"))" + (Int(groups[3]).map { " \(count($0, "second"))" } ?? "")
        }),
        TextRule("\(start)(\\d{1,3}) ?m(?:in)? ?(\\d{1,2}) ?s(?:ec)?\\b(?!/)", needsDigit: true, { groups in
            guard let minutes = Int(groups[1]), let seconds = Int(groups[2]) else { return nil }
            return "\(count(minutes, "minute")) \(count(seconds, "second"))"
        }),
        // What is no time of day is a ratio: 16:9.
        TextRule("\(start)(\\d{1,4}):(\\d{1,4})\(end)", needsDigit: true, { groups in
            // Minutes and seconds: a race in 25:30.
            let isTime = groups[2].count == 2 && groups[1].count == 2 && Int(groups[1]).map { $0 > 24 && $0 < 100 } == true && groups[2] < "60"
            let joint = isTime ? (groups[2].hasPrefix("0") ? " oh " : " ") : " to "
            return "\(NumberWords.number(groups[1]))\(joint)\(Int(groups[2]).map(NumberWords.cardinal) ?? "")"
        }),
    ]
}
