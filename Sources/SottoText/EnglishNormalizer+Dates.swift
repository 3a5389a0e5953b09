extension EnglishNormalizer {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let monthPattern =
        "(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)"
    private static let weekdayPattern = "(Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)(?:day)?"

    private static func month(_ text: String) -> String {
        let key = text.lowercased()
        let full = months.first { $0.lowercased().hasPrefix(key == "sept" ? "sep" : key) } ?? text
        return text.first?.isUppercase == true ? full : full.lowercased()
    }

    private static func weekday(_ text: String) -> String { weekdays.first { $0.hasPrefix(text.prefix(3)) } ?? text }

    static func yearWords(_ text: String) -> String {
        guard let value = Int(text) else { return text }
        return text.count == 2 ? NumberWords.shortYear(value) : NumberWords.year(value)
    }

    private static func ordinal(_ day: String) -> String? {
        guard let day = Int(day), (1...31).contains(day) else { return nil }
        return NumberWords.ordinal(day)
    }

    private static func date(day: String, month name: String, year: String) -> String? {
        ordinal(day).map { "\(name) \($0)" + (year.isEmpty ? "" : ", \(yearWords(year))") }
    }

    private static func monthName(_ text: String) -> String? {
        guard let index = Int(text), (1...12).contains(index) else { return nil }
        return months[index - 1]
    }

    /// Two numbers of which one is the month: American order unless that cannot be.
    private static func date(_ first: String, _ second: String, year: String) -> String? {
        if let name = monthName(first), ordinal(second) != nil { return date(day: second, month: name, year: year) }
        guard let name = monthName(second), let day = ordinal(first) else { return nil }
        return "the \(day) of \(name)" + (year.isEmpty ? "" : " \(yearWords(year))")
    }

    /// What can be a year at all, and what is one where nothing speaks against it.
    private static let anyYear = "(?:1\\d{3}|20\\d\\d)"
    private static let likelyYear = "(?:1[1-9]\\d\\d|20\\d\\d)"
    /// Plural words that follow a year without being counted by it: "in 1998 dollars".
    private static let yearlyNouns = "(?:dollars|euros|pounds|prices|terms|figures|values|elections)"

    /// Dates, years, decades, eras.
    static let dateRules: [TextRule] = [
        TextRule("\\b\(weekdayPattern)\\.? ?- ?\(weekdayPattern)\\b\\.?", { "\(weekday($0[1])) to \(weekday($0[2]))" }),
        TextRule("\\b\(monthPattern)\\.? ?- ?\(monthPattern)\\b\\.?", { "\(month($0[1])) to \(month($0[2]))" }),
        TextRule("(?<=[a-z]) ?\u{2014} ?(?=(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)", to: " to "),
        TextRule("(?<![\\w/])9/11(?![\\w/])", needsDigit: true, to: "nine eleven"),
        TextRule("(?<![\\w/.])24/7(?![\\w/])", needsDigit: true, to: "twenty four seven"),
        TextRule("\(start)(\\d{4})([-./])(\\d{1,2})\\2(\\d{1,2})\(end)", needsDigit: true, { groups in
            monthName(groups[3]).flatMap { date(day: groups[4], month: $0, year: groups[1]) }
        }),
        TextRule("\(start)(\\d{1,2})([-./])(\\d{1,2})\\2(\\d{4})\(end)", needsDigit: true, { date($0[1], $0[3], year: $0[4]) }),
        TextRule("\(start)(\\d{1,2})/(\\d{1,2})/(\\d{2})\(end)", needsDigit: true, { date($0[1], $0[2], year: $0[3]) }),
        TextRule("\\b(?:\(weekdayPattern)|(Mo|Tu|We|Th|Fr|Sa|Su))(\\.?,? \\(?)(\\d{1,2})/(\\d{1,2})\(end)", needsDigit: true, { groups in
            date(groups[4], groups[5], year: "").map { weekday(groups[1] + groups[2]) + groups[3].filter { $0 != "." } + $0 }
        }),
        TextRule("\\b([Oo]n|[Dd]ue|[Dd]ated|[Uu]ntil|[Ss]ince) (\\d{1,2})/(\\d{1,2})\(end)(?! of| cup| inch| mile)", needsDigit: true, { groups in
            date(groups[2], groups[3], year: "").map { groups[1] + " " + $0 }
        }),
        TextRule("\\b(\\d{1,2})-\(monthPattern)(?:-(\\d{4}|\\d{2}))?\\b", ignoringCase: true, needsDigit: true, { date(day: $0[1], month: month($0[2]), year: $0[3]) }),
        TextRule("\\b\(monthPattern)-(\\d{1,2})\\b(?!-)", ignoringCase: true, needsDigit: true, { date(day: $0[2], month: month($0[1]), year: "") }),
        TextRule("\\b\(monthPattern)\\.? (\\d{1,2})-(\\d{1,2})\\b(?!:|-)(?:,? (\\d{4})\\b)?", ignoringCase: true, needsDigit: true, { groups in
            guard let from = date(day: groups[2], month: month(groups[1]), year: ""), let to = ordinal(groups[3]) else { return nil }
            return "\(from) to \(to)" + (groups[4].isEmpty ? "" : ", \(yearWords(groups[4]))")
        }),
        TextRule("\(start)(\\d{1,2})-(\\d{1,2}) \(monthPattern)\\b\\.?(?:,? (\\d{4})\\b)?", needsDigit: true, { groups in
            guard let from = ordinal(groups[1]), let to = ordinal(groups[2]) else { return nil }
            return "the \(from) to the \(to) of \(month(groups[3]))" + (groups[4].isEmpty ? "" : " \(yearWords(groups[4]))")
        }),
        TextRule("\\b\(monthPattern)\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:|[.,]\\d)(?:,? (\\d{4})\\b(?! ?%))?", ignoringCase: true, needsDigit: true, { groups in
            date(day: groups[2], month: month(groups[1]), year: groups[3])
        }),
        TextRule("\\b\(monthPattern)\\.? (\\d{1,2})(?:st|nd|rd|th)? (?=(?:twenty|nineteen) )", ignoringCase: true, needsDigit: true, { groups in
            date(day: groups[2], month: month(groups[1]), year: "").map { $0 + " " }
        }),
        TextRule("\(start)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? \(monthPattern)\\b\\.?(?:,? (\\d{4})\\b)?", ignoringCase: true, needsDigit: true, { groups in
            guard let day = ordinal(groups[1]) else { return nil }
            return "the \(day) of \(month(groups[2]))" + (groups[3].isEmpty ? "" : " \(yearWords(groups[3]))")
        }),
        TextRule("\\bthe the ", to: "the "),
        TextRule("\\b\(monthPattern)\\.?,? (\\d{4})\\b", ignoringCase: true, needsDigit: true, { "\(month($0[1])) \(yearWords($0[2]))" }),
        TextRule("\\b(Jan|Feb|Aug|Sept|Oct|Nov|Dec)\\.(?! ?\\d)", { month($0[1]) }),
        TextRule("\\b(\\d{3}0)s-'?(\\d0)s\\b", needsDigit: true, { groups in
            "\(Int(groups[1]).map(NumberWords.decade) ?? "") to \(Int(groups[2]).map(NumberWords.decade) ?? "")"
        }),
        TextRule("\\b(mid|early|late)-(?=\\d{3}0s|'?\\d0s)", ignoringCase: true, needsDigit: true, to: "$1 "),
        TextRule("(?<!\\w)(\\d{3}0)'?s\\b", needsDigit: true, { Int($0[1]).map(NumberWords.decade) }),
        TextRule("(?<!\\w)'?([2-9]0)'?s\\b", needsDigit: true, { Int($0[1]).map(NumberWords.decade) }),
        TextRule("(?<!\\w)'(\\d\\d)\\b(?![.,]?\\d)", needsDigit: true, { Int($0[1]).map(NumberWords.shortYear) }),
        TextRule("\(start)(\\d{1,5}) ?(A\\.? ?D\\b\\.?|B\\.? ?C\\.? ?E\\b\\.?|B\\.? ?C\\b\\.?|C\\.? ?E\\b\\.?)", needsDigit: true, { groups in
            "\(eraYear(groups[1])) \(groups[2].filter(\.isLetter))"
        }),
        TextRule("\\b(A\\.?D\\.?) (\\d{1,4})\(end)", needsDigit: true, { groups in "AD \(eraYear(groups[2]))" }),
        // A season: 2019/20.
        TextRule("(?<![\\w/.])(19\\d\\d|20\\d\\d)/(\\d\\d)(?![\\w/])", needsDigit: true, { groups in
            guard let first = Int(groups[1]), let second = Int(groups[2]), (first + 1) % 100 == second else { return nil }
            return "\(NumberWords.year(first)) \(NumberWords.shortYear(second))"
        }),
        TextRule("\(start)(1[0-9]\\d\\d|20\\d\\d)-(\\d\\d|1[0-9]\\d\\d|20\\d\\d)(?![\\w.-]| ?(?:kg|km|m|g|lb|lbs|cm|mm|ft|%))", needsDigit: true, { groups in
            "\(yearWords(groups[1])) to \(yearWords(groups[2]))"
        }),
        // After such words four digits are a year, even one that would else be a count.
        TextRule("\\b([Ii]n|[Ss]ince|[Bb]y|[Uu]ntil|[Bb]efore|[Aa]fter|[Yy]ear|[Cc]irca|c\\.) (\(anyYear))(?![\\w%]|[.,:/-]\\d| ?(?:kg|km|m|million|percent))\\b(?! (?!\(yearlyNouns)\\b)[a-z]+s\\b)", needsDigit: true, { groups in
            "\(groups[1]) \(yearWords(groups[2]))"
        }),
        TextRule(
            "\\b((?i:year|spring|summer|autumn|fall|winter|class|battle|treaty|peace|siege|war|crisis|revolution|act|law|events?|beginning|start|end|\(months.joined(separator: "|"))) of|[Bb]etween|[Ff]rom|[Yy]ears|[Ee]arly|[Ll]ate) (\(anyYear))(?![\\w%]|[.,:/-]\\d)(?! (?:and|to|or) (?:[\\d,.]*,|\\d{1,3}\\b|\\d{5}))(?=(?: (?:and|to|or) \(anyYear)\\b(?! [a-z]+s\\b)|[^ ]| (?!and|to|or|(?!(?:was|is|has|does|as|its|his|this)\\b)[a-z]+s\\b)|$))",
            needsDigit: true, { "\($0[1]) \(yearWords($0[2]))" }),
        // "In 1066 and 1024": the first is said already.
        TextRule("(?<= (?:hundred|thousand|ten|eleven|twelve|[a-z]{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine) (?:and|to|or) )(10\\d\\d)(?![\\w%]|[.,:/-]\\d| [a-z]+s\\b)", needsDigit: true, { yearWords($0[1]) }),
        TextRule("\\((\(anyYear))\\)", needsDigit: true, { "(\(yearWords($0[1])))" }),
        // After and before such words they are a count.
        TextRule(
            "(?<!\\bsince |\\bfrom |\\buntil )\\b((?i:(?:more|less|fewer|greater|other) than|at (?:least|most)|(?:total|sum|maximum|minimum|average|number|score|population|distance|height|altitude|price|cost|value) of|as (?:many|few|much) as|nearly|almost|exactly|costs?|equals)) (\(likelyYear))(?![\\w]|[.,:/-]\\d)",
            needsDigit: true, { "\($0[1]) \(NumberWords.number($0[2]))" }),
        TextRule("(?<![\\w.,$€£-])(?<!\\b(?:and|or|years) )(\(likelyYear))(?= (?:out )?of (?:the|them|these|those|all|our|their|\\d)|(?<!, \\d{4}) (?:were|are|have)\\b)", needsDigit: true, { NumberWords.number($0[1]) }),
        TextRule("\\b(\\w+)( ?(?:[=<>≤≥≈]|!=|<=|>=) ?)(\(likelyYear))(?![\\w]|[.,:/-]\\d)", needsDigit: true, { groups in
            ["year", "date", "since", "born"].contains(where: groups[1].lowercased().contains) ? nil : groups[1] + groups[2] + NumberWords.number(groups[3])
        }),
        // So they are before what can be counted.
        TextRule(
            "(?<!\\b[Tt]he )(?<![\\w.,$€£-])(\(likelyYear)) (?=(?!is\\b|was\\b|has\\b|as\\b|its\\b|his\\b|this\\b|us\\b)(?:[a-z]+ )?(?:[a-z]{3,}s|people|men|women|children|feet)\\b(?<!\\b(?:is|was|has|does|says|plus|versus|focus|across|perhaps|always|besides|towards)))",
            needsDigit: true,
            { groups in NumberWords.number(groups[1]) + " " }),
    ]

    private static func eraYear(_ text: String) -> String {
        guard let value = Int(text) else { return text }
        return text.count == 3 ? NumberWords.label(text) : text.count == 4 ? NumberWords.year(value) : NumberWords.cardinal(value)
    }
}
