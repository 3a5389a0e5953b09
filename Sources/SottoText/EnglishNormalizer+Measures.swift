extension EnglishNormalizer {
    private static let unit = "(?:\(MeasureUnits.pattern))"
    /// In any case; only where a number stands directly before, and only signs of two letters or more.
    private static let anyUnit = "(?:\(MeasureUnits.pattern)|(?i:\(MeasureUnits.foldedPattern)))"
    private static let winds = ["N": "north", "S": "south", "E": "east", "W": "west"]

    private static func named(_ sign: String, of amount: String) -> String {
        MeasureUnits.name(sign, isOne: amount == "1" || amount == "-1") ?? sign
    }

    /// "meters per second squared": the second unit of a quotient.
    private static func divisor(_ sign: String) -> String {
        if sign == "s²" || sign == "s2" { return "second squared" }
        if sign == "d" { return "day" }
        return MeasureUnits.name(sign, isOne: true) ?? sign
    }

    /// Numbers with units, spans of them, positions, sizes; fractions.
    static let measureRules: [TextRule] = [
        TextRule("\(start)(\\d{1,3}(?:\\.\\d+)?)[°º] ?(\\d{1,2}(?:\\.\\d+)?)['′] ?(?:(\\d{1,2}(?:\\.\\d+)?)[\"″] ?)?([NSEW])\\b", needsDigit: true, { groups in
            let seconds = groups[3].isEmpty ? "" : " \(NumberWords.number(groups[3])) seconds"
            return "\(NumberWords.number(groups[1])) degrees \(NumberWords.number(groups[2])) minutes\(seconds) \(winds[groups[4]] ?? "")"
        }),
        TextRule("\(start)(\\d{1,3}(?:\\.\\d+)?) ?[°º] ?([NSEW])\\b", needsDigit: true, { "\(NumberWords.number($0[1])) degrees \(winds[$0[2]] ?? "")" }),
        TextRule("\(start)(\\d)['′] ?(\\d{1,2})[\"″](?!\\w)", needsDigit: true, { "\(NumberWords.number($0[1])) foot \(NumberWords.number($0[2]))" }),
        TextRule("\(start)(\(number)) ?(?:[″]|in\\.(?= [a-z]|[,;)]|$))", needsDigit: true, { "\(NumberWords.number($0[1])) inch\($0[1] == "1" ? "" : "es")" }),
        TextRule("\(start)(\(number)) ?([-x×]) ?(\\d+)[\"″](?= |$)", needsDigit: true, { groups in
            "\(NumberWords.number(groups[1])) \(groups[2] == "-" ? "to" : "by") \(NumberWords.number(groups[3])) inches"
        }),
        TextRule("\\b(an?|the|this) (\\d+(?:\\.\\d+)?)[\"″] (?=[a-z])", needsDigit: true, { "\($0[1]) \(NumberWords.number($0[2])) inch " }),
        TextRule("\\b(240|360|480|720|1080|1440|2160)([pi])\\b", needsDigit: true, { "\(NumberWords.label($0[1])) \($0[2])" }),
        // Differences: "1- 2", "1-4=5".
        TextRule("(?<![\\w.,-])(\\d+) ?- (?=\\d)", needsDigit: true, to: "$1 minus "),
        TextRule("(?<![\\w.,-])(\\d+) ?- ?(?=\\d+ ?=)", needsDigit: true, to: "$1 minus "),
        // Sizes: "25 x 7 m".
        TextRule("(?<=\\d) ?[x×] ?(?=\\d+(?:\\.\\d+)?(?: ?[x×]| ?\(unit)\\b|[\"″]))|(?<=\\d) [x×] (?=\\d)|(?<=\\d{3})[x×](?=\\d{3})|(?<=\\d)×(?=\\d)", needsDigit: true, to: " by "),
        TextRule("\(start)(-?\(number)) ?% ?- ?(-?\(number)) ?%", needsDigit: true, { "\(NumberWords.number($0[1])) percent to \(NumberWords.number($0[2])) percent" }),
        TextRule("\(start)(-?\(number)) ?- ?(\(number)) ?(\(unit))(/(?:\(unit)|d|s²|s2))?(?![\\w²³])", needsDigit: true, { groups in
            let per = groups[4].isEmpty ? "" : " per " + divisor(String(groups[4].dropFirst()))
            return "\(NumberWords.number(groups[1])) to \(NumberWords.number(groups[2])) \(named(groups[3], of: groups[2]))\(per)"
        }),
        // "a 5-km run"
        TextRule("\(start)(\(number))-(kg|km|m|cm|mm|lb|oz|ft|mi|g|mg|ml|mL|L|GB|MB|TB|kB|GHz|MHz|kHz|kW|MW|W|V|mph|min|hr|sec|ms|bit|yr|px)(?![\\w/-])", needsDigit: true, { groups in
            "\(NumberWords.number(groups[1])) \(named(groups[2], of: "1"))"
        }),
        TextRule("(?<![\\w.,:/])(-?\(number)) ?(million|billion|trillion|thousand)? ?(\(unit))/(\(unit)|d|s²|s2)(?![\\w²³/])", needsDigit: true, { groups in
            let amount = NumberWords.number(groups[1]) + (groups[2].isEmpty ? "" : " " + groups[2])
            return "\(amount) \(named(groups[3], of: groups[2].isEmpty ? groups[1] : "")) per \(divisor(groups[4]))"
        }),
        TextRule("(?<![\\w.,:/])(-?\(number)) ?(million|billion|trillion|thousand)? ?(\(unit))(?![\\w²³/]|\\.\\w)", needsDigit: true, { groups in
            let amount = NumberWords.number(groups[1]) + (groups[2].isEmpty ? "" : " " + groups[2])
            return "\(amount) \(named(groups[3], of: groups[2].isEmpty ? groups[1] : ""))"
        }),
        TextRule("(?<![\\w.,:/])(-?\(number)) ?(\(anyUnit))(?:/(\(unit)))?(?![\\w²³/]|\\.\\w)", needsDigit: true, { groups in
            guard let unit = MeasureUnits.name(groups[2], isOne: groups[1] == "1") else { return nil }
            return "\(NumberWords.number(groups[1])) \(unit)" + (groups[3].isEmpty ? "" : " per \(divisor(groups[3]))")
        }),
        TextRule("\(start)(-?\(number)) ?/ ?(\(unit))(?![\\w²³])", needsDigit: true, { "\(NumberWords.number($0[1])) per \(divisor($0[2]))" }),
        TextRule("(?<![\\w/])(km|m|mi|kg|g|mg|W|L|kB|MB|GB|Mbit|kbit|Gbit|ft)/(h|s|hr|m²|m³|kg|L|l|dL|min|day|s²|year)(?![\\w/])", { groups in
            MeasureUnits.name(groups[1], isOne: false).map { "\($0) per \(divisor(groups[2]))" }
        }),
        TextRule("\\b(?:km|cm|mm|m|ft|mi|yd)[²³]", { MeasureUnits.name($0[0], isOne: false) }),

        // Fractions and marks out of ten.
        TextRule("(?<![\\w/.])(\\d{1,3}) (\\d{1,3})/(\\d{1,3})(?:th|rd|nd|st)?(?![\\w/]|[.,]\\d)", ignoringCase: true, needsDigit: true, { groups in
            guard let whole = Int(groups[1]), let top = Int(groups[2]), let bottom = Int(groups[3]), let part = fraction(top, bottom) else { return nil }
            let said = part == "one half" ? "a half" : part
            return "\(NumberWords.cardinal(whole)) and \(said)"
        }),
        TextRule("(?<![\\w/.])50/50(?![\\w/])", needsDigit: true, to: "fifty fifty"),
        TextRule("(?<![\\w/])(\\d{1,3}\\.\\d+)/(\\d{1,3})(?![\\w/]|\\.\\d)", needsDigit: true, { "\(NumberWords.number($0[1])) out of \(NumberWords.number($0[2]))" }),
        TextRule("\\b(rat(?:ed|ing)|scor(?:ed?|ing)|scores?|gave (?:it|him|her|them)|got|earned)( (?:of |an? |is |was )?)(\\d{1,3})/(5|10|100)(?![\\w/]|[.,]\\d)", ignoringCase: true, needsDigit: true, { groups in
            "\(groups[1])\(groups[2])\(NumberWords.number(groups[3])) out of \(NumberWords.number(groups[4]))"
        }),
        TextRule("(?<![\\w/.])(\\d{1,4}) ?/ ?(\\d{1,4})(?:th|rd|nd|st)?(?![\\w/]|[.,]\\d)", ignoringCase: true, needsDigit: true, { groups in
            guard let top = Int(groups[1]), let bottom = Int(groups[2]) else { return nil }
            return fraction(top, bottom) ?? "\(NumberWords.number(groups[1])) over \(NumberWords.number(groups[2]))"
        }),

        // A number and one digit more, "747-8": the number of a thing. A span rises.
        TextRule("(?<![\\w.,:/-])(\\d{3,4})-(\\d)(?![\\w-]|[.,]\\d)", needsDigit: true, { "\(NumberWords.number($0[1])) dash \(NumberWords.number($0[2]))" }),

        // Spans.
        TextRule("\(start)(-?\(number)) ?- ?(\(number))(?![\\w-]|[.,]\\d)", needsDigit: true, { "\(NumberWords.number($0[1])) to \(NumberWords.number($0[2]))" }),
        TextRule("\(start)(\\d+)[x×](\\d+)\(end)", needsDigit: true, { "\(NumberWords.number($0[1])) by \(NumberWords.number($0[2]))" }),
    ]

    static func fraction(_ top: Int, _ bottom: Int) -> String? {
        guard bottom > 1, bottom <= 100 || [1000, 10_000].contains(bottom), top > 0 else { return nil }
        let name = switch bottom {
        case 2: top == 1 ? "half" : "halves"
        case 4: top == 1 ? "quarter" : "quarters"
        default: NumberWords.ordinal(bottom) + (top == 1 ? "" : "s")
        }
        return "\(NumberWords.cardinal(top)) \(name)"
    }
}
