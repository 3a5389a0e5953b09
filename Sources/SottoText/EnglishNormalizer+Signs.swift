extension EnglishNormalizer {
    private static let superscripts: [Character: Int] = [
        "⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9,
    ]
    private static let vulgarFractions: [Character: String] = [
        "½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6",
        "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅐": "1/7", "⅑": "1/9", "⅒": "1/10",
    ]
    private static let lengths: Set<String> = ["m", "km", "cm", "mm", "dm", "nm", "µm", "μm", "ft", "in", "mi", "yd"]

    /// "to the power of six"; small powers have names.
    static func power(_ exponent: Int) -> String {
        switch exponent {
        case 2: "squared"
        case 3: "cubed"
        default: "to the power of \(NumberWords.cardinal(exponent))"
        }
    }

    /// Signs that are written in several ways come to one.
    static let signRules: [TextRule] = [
        TextRule("[\u{2018}\u{2019}\u{02BC}]", to: "'"),
        // A fixed space between groups of three digits is the thousands' mark of many countries, and so is the Swiss apostrophe.
        TextRule("(?<=\\d)[\u{00A0}\u{2009}\u{202F}](?=\\d{3}(?!\\d))", needsDigit: true, to: ","),
        TextRule("(?<![\\w.,'])\\d{1,3}(?:'\\d{3})+(?![\\w'])", needsDigit: true, { $0[0].replacing("'", with: ",") }),
        TextRule("[\u{00A0}\u{2007}\u{2009}\u{202F}]", to: " "),
        TextRule("\u{2212}(?=[\\d.$€£])", needsDigit: true, to: "-"),
        TextRule("(?<=[\\d%°]) ?[\u{2013}\u{2012}] ?(?=[$€£]?\\d)", needsDigit: true, to: "-"),
        TextRule("(?<=\\d)[\u{2013}\u{2012}](?=\\w)", needsDigit: true, to: "-"),
        TextRule("(?<=[AaPp]\\.?[Mm]|[AaPp]\\.[Mm]\\.) ?[\u{2013}\u{2012}] ?(?=\\d)", needsDigit: true, to: "-"),
        // "12 000": a group that begins with zero is no number of its own.
        TextRule("(?<![\\w.,])\\d{1,3}(?: \\d{3})*(?: 0\\d{2})(?: \\d{3})*(?![\\w])", needsDigit: true, { $0[0].replacing(" ", with: ",") }),
        TextRule("(?<=\\b(?:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\\.?) ?[\u{2013}\u{2012}] ?(?=[A-Z][a-z]{2})", to: "-"),
        TextRule(" ?[\u{2013}\u{2015}] ?", to: " \u{2014} "),
        TextRule("(\\d?) ?([½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒])", { groups in
            (groups[1].isEmpty ? "" : groups[1] + " ") + (groups[2].first.flatMap { vulgarFractions[$0] } ?? "")
        }),
        // A raised digit is a power after a number or a single letter, belongs to a unit of length, and is a footnote's mark else.
        TextRule("(?<![\\d.,])(\\d{1,2})([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})", needsDigit: true, { groups in
            "\(groups[1]) \(power(groups[2].compactMap { superscripts[$0] }.reduce(0) { $0 * 10 + $1 }))"
        }),
        TextRule("([A-Za-zµμ]*)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", { groups in
            let exponent = groups[2].compactMap { superscripts[$0] }.reduce(0) { min($0 * 10 + $1, 1_000_000) }
            if exponent == 2 || exponent == 3, lengths.contains(groups[1]) || groups[1] == "s" { return "\(groups[1])\(exponent == 2 ? "²" : "³")" }
            return groups[1].count == 1 ? "\(groups[1]) \(power(exponent))" : groups[1]
        }),
        // "<3" is a heart.
        TextRule("(?<![\\w<>=-])<(?!3\\b)(?=\\d)", needsDigit: true, to: "less than "), TextRule("(?<![\\w<>=-])>(?=\\d)", needsDigit: true, to: "more than "),
        TextRule("\\^\\(?(\\d{1,4})\\)?", needsDigit: true, { groups in Int(groups[1]).map { " " + power($0) } }),
        TextRule("[*†‡]+(?=\\s|$)|[¶•]", to: ""),
        TextRule("(?<!\\S)[:;]-?[)(DPp](?!\\S)", to: ""),
        // Points between thousands and a comma before the decimals.
        TextRule("(?<![\\w.,])(\\d{1,3}(?:\\.\\d{3})+),(\\d{1,2})(?![\\w]|[.,]\\d)", needsDigit: true, { groups in
            groups[1].replacing(".", with: ",") + "." + groups[2]
        }),
        TextRule("(?<![\\w.,])(\\d{1,3}(?:\\.\\d{3}){2,})(?![\\w]|[.,]\\d)", needsDigit: true, { groups in
            let parts = groups[1].split(separator: ".").compactMap { Int($0) }
            return parts.count == 4 && parts.allSatisfy({ $0 < 256 }) ? nil : groups[1].replacing(".", with: ",")
        }),
        // Cents have two digits: in an amount of euros a point before three is the thousands' mark.
        TextRule("(?<![\\w.,])(\\d{1,3})\\.(\\d{3})(?= ?(?:€|EUR\\b|[Ee]uros?\\b))", needsDigit: true, to: "$1,$2"),
        TextRule("(?<=€ ?)(\\d{1,3})\\.(\\d{3})(?![\\w]|[.,]\\d)", needsDigit: true, to: "$1,$2"),
        // A comma that cannot stand before thousands stands before decimals; between spaces it is the thousands' mark too.
        TextRule("(?<![\\w.,])(\\d{1,3}(?: \\d{3})+),(\\d{1,2})(?![\\w]|[.,]\\d)", needsDigit: true, { groups in
            groups[1].replacing(" ", with: ",") + "." + groups[2]
        }),
        TextRule("(?<![\\w.,])(\\d+),(\\d{1,2}|\\d{4,})(?![\\w]|[.,]\\d)", needsDigit: true, to: "$1.$2"),
        TextRule("(?<![\\w.,])(0|\\d{4,}),(\\d+)(?![\\w]|[.,]\\d)", needsDigit: true, to: "$1.$2"),
        TextRule("(?<![\\w.,])(\\d+),(\\d{1,2})(?= ?(?:kg|km|cm|mm|€|%))", needsDigit: true, to: "$1.$2"),
        // A list of digits without spaces.
        TextRule("(?<![\\w.,])\\d{1,2}(?:,\\d{1,2}){2,}(?![\\w]|[.,]\\d)", needsDigit: true, { $0[0].replacing(",", with: ", ") }),
    ]
}
