/// Plain written English → the words that are said: numbers, dates, times, money, units, addresses, abbreviations.
///
/// Rules in a fixed order, each independent of the voice. The classes are those of Google's and NVIDIA's text-normalization
/// grammars (NeMo-text-processing); where their spoken style and ordinary speech differ, ordinary speech wins.
enum EnglishNormalizer {
    static func spoken(_ text: String) -> String {
        text.applying(rules)
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]
    private static let monthPattern =
        "(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)"
    private static let number = "(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)"
    /// Not inside a word or a longer number.
    private static let start = "(?<![\\w.,:/-])"
    private static let end = "(?![\\w]|[.,:]\\d)"

    private static func month(_ text: String) -> String {
        let key = text.lowercased()
        let full = months.first { $0.hasPrefix(key == "sept" ? "sep" : key) } ?? key
        return text.first?.isUppercase == true ? full.prefix(1).uppercased() + full.dropFirst() : full
    }

    private static func yearWords(_ text: String) -> String { Int(text).map(NumberWords.year) ?? text }
    private static func ordinalWords(_ text: String) -> String { Int(text).map(NumberWords.ordinal) ?? text }

    private static func date(day: String, month name: String, year: String) -> String? {
        guard let day = Int(day), (1...31).contains(day) else { return nil }
        return "\(name) \(NumberWords.ordinal(day))" + (year.isEmpty ? "" : ", \(yearWords(year))")
    }

    private static func monthName(_ text: String) -> String? {
        guard let index = Int(text), (1...12).contains(index) else { return nil }
        return months[index - 1].prefix(1).uppercased() + months[index - 1].dropFirst()
    }

    private static func clock(_ hour: String, _ minute: String, _ half: String, _ zone: String) -> String? {
        guard let hours = Int(hour), let minutes = Int(minute), hours < 25, minutes < 60 else { return nil }
        let half = half.filter(\.isLetter).uppercased()
        var words = NumberWords.cardinal(hours)
        if minutes == 0 {
            if half.isEmpty { words = hours == 0 || hours > 12 ? words + " hundred" : words + " o'clock" }
        } else {
            words += (minutes < 10 ? " oh " : " ") + NumberWords.cardinal(minutes)
        }
        return words + (half.isEmpty ? "" : " \(half)") + (zone.isEmpty ? "" : " \(zone.uppercased())")
    }

    private static let currencies: [String: (one: String, many: String, cent: String, cents: String)] = [
        "$": ("dollar", "dollars", "cent", "cents"), "US$": ("US dollar", "US dollars", "cent", "cents"), "€": ("euro", "euros", "cent", "cents"),
        "£": ("pound", "pounds", "penny", "pence"), "¥": ("yen", "yen", "sen", "sen"), "₩": ("won", "won", "jeon", "jeon"),
        "₹": ("rupee", "rupees", "paisa", "paise"), "USD": ("US dollar", "US dollars", "cent", "cents"), "EUR": ("euro", "euros", "cent", "cents"),
        "GBP": ("British pound", "British pounds", "penny", "pence"), "CHF": ("Swiss franc", "Swiss francs", "centime", "centimes"),
        "JPY": ("yen", "yen", "sen", "sen"),
    ]
    private static let magnitudes = [
        "k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion", "t": "trillion", "tn": "trillion",
    ]

    private static func money(_ symbol: String, _ amount: String, _ magnitude: String) -> String? {
        guard let currency = currencies[symbol.uppercased()] else { return nil }
        if magnitude.isEmpty == false {
            let scale = magnitudes[magnitude.lowercased()] ?? magnitude.lowercased()
            return "\(NumberWords.number(amount)) \(scale) \(currency.many)"
        }
        let parts = amount.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0].isEmpty ? "0" : String(parts[0])
        let cents = parts.count > 1 ? parts[1] : ""
        guard cents.isEmpty == false else { return "\(NumberWords.number(whole)) \(whole == "1" ? currency.one : currency.many)" }
        let kept = cents.count > 2 && cents.dropFirst(2).allSatisfy { $0 == "0" } ? cents.prefix(2) : cents
        guard kept.count <= 2, let value = Int(kept.count == 1 ? kept + "0" : kept) else {
            return "\(NumberWords.number(amount)) \(currency.many)"
        }
        let minor = "\(NumberWords.cardinal(value)) \(value == 1 ? currency.cent : currency.cents)"
        let major = "\(NumberWords.number(whole)) \(whole == "1" ? currency.one : currency.many)"
        if value == 0 { return major }
        return whole.allSatisfy({ $0 == "0" }) ? minor : "\(major) \(minor)"
    }

    /// One and many of each unit; the order is that of the pattern, longest first.
    private static let units: [(written: String, one: String, many: String)] = [
        ("km/h", "kilometer per hour", "kilometers per hour"), ("km²", "square kilometer", "square kilometers"),
        ("km2", "square kilometer", "square kilometers"), ("kWh", "kilowatt hour", "kilowatt hours"), ("kW", "kilowatt", "kilowatts"),
        ("kph", "kilometer per hour", "kilometers per hour"), ("mph", "mile per hour", "miles per hour"),
        ("m/s", "meter per second", "meters per second"), ("m²", "square meter", "square meters"), ("m2", "square meter", "square meters"),
        ("m³", "cubic meter", "cubic meters"), ("m3", "cubic meter", "cubic meters"), ("cm²", "square centimeter", "square centimeters"),
        ("ft²", "square foot", "square feet"), ("sq ft", "square foot", "square feet"), ("kg", "kilogram", "kilograms"),
        ("KG", "kilogram", "kilograms"), ("mg", "milligram", "milligrams"), ("µg", "microgram", "micrograms"), ("μg", "microgram", "micrograms"),
        ("km", "kilometer", "kilometers"), ("cm", "centimeter", "centimeters"), ("mm", "millimeter", "millimeters"),
        ("µm", "micrometer", "micrometers"), ("μm", "micrometer", "micrometers"), ("nm", "nanometer", "nanometers"),
        ("ft", "foot", "feet"), ("lbs", "pound", "pounds"), ("lb", "pound", "pounds"), ("oz", "ounce", "ounces"), ("yd", "yard", "yards"),
        ("mi", "mile", "miles"), ("ml", "milliliter", "milliliters"), ("mL", "milliliter", "milliliters"), ("kl", "kiloliter", "kiloliters"),
        ("GB", "gigabyte", "gigabytes"), ("MB", "megabyte", "megabytes"), ("KB", "kilobyte", "kilobytes"), ("kB", "kilobyte", "kilobytes"),
        ("TB", "terabyte", "terabytes"), ("PB", "petabyte", "petabytes"), ("GiB", "gibibyte", "gibibytes"), ("MiB", "mebibyte", "mebibytes"),
        ("KiB", "kibibyte", "kibibytes"), ("TiB", "tebibyte", "tebibytes"), ("kbps", "kilobit per second", "kilobits per second"),
        ("mbps", "megabit per second", "megabits per second"), ("Mbps", "megabit per second", "megabits per second"),
        ("gbps", "gigabit per second", "gigabits per second"), ("Gbps", "gigabit per second", "gigabits per second"),
        ("GHz", "gigahertz", "gigahertz"), ("MHz", "megahertz", "megahertz"), ("kHz", "kilohertz", "kilohertz"), ("Hz", "hertz", "hertz"),
        ("MW", "megawatt", "megawatts"), ("GW", "gigawatt", "gigawatts"), ("hp", "horsepower", "horsepower"), ("ms", "millisecond", "milliseconds"),
        ("µs", "microsecond", "microseconds"), ("μs", "microsecond", "microseconds"), ("ns", "nanosecond", "nanoseconds"),
        ("min", "minute", "minutes"), ("hrs", "hour", "hours"), ("hr", "hour", "hours"), ("sec", "second", "seconds"), ("kcal", "kilocalorie", "kilocalories"),
        ("rpm", "revolution per minute", "revolutions per minute"), ("px", "pixel", "pixels"), ("dpi", "dot per inch", "dots per inch"),
        ("kPa", "kilopascal", "kilopascals"), ("hPa", "hectopascal", "hectopascals"), ("dB", "decibel", "decibels"),
        ("°C", "degree Celsius", "degrees Celsius"), ("°F", "degree Fahrenheit", "degrees Fahrenheit"), ("°", "degree", "degrees"),
        ("ha", "hectare", "hectares"), ("Ω", "ohm", "ohms"), ("g", "gram", "grams"), ("m", "meter", "meters"), ("l", "liter", "liters"),
        ("L", "liter", "liters"), ("h", "hour", "hours"), ("s", "second", "seconds"), ("W", "watt", "watts"), ("V", "volt", "volts"),
        ("%", "percent", "percent"),
    ]
    private static let unitPattern = units.map(\.written).sorted { $0.count > $1.count }.map { $0.replacing("/", with: "\\/") }.joined(separator: "|")

    private static func unit(_ written: String, of amount: String) -> String {
        guard let unit = units.first(where: { $0.written == written }) else { return written }
        return amount == "1" || amount == "-1" ? unit.one : unit.many
    }

    private static let abbreviations: [(String, String)] = [
        ("Dr\\.", "Doctor"), ("Mr\\.", "Mister"), ("Mrs\\.", "Missus"), ("Ms\\.", "Miz"), ("Prof\\.", "Professor"), ("Rev\\.", "Reverend"),
        ("Gen\\.", "General"), ("Col\\.", "Colonel"), ("Capt\\.", "Captain"), ("Lt\\.", "Lieutenant"), ("Sgt\\.", "Sergeant"),
        ("Sen\\.", "Senator"), ("Gov\\.", "Governor"), ("Hon\\.", "Honorable"), ("Jr\\.", "Junior"), ("Sr\\.", "Senior"),
        ("St\\.(?= [A-Z])", "Saint"), ("Mt\\.(?= [A-Z])", "Mount"), ("Ft\\.(?= [A-Z])", "Fort"), ("e\\.g\\.", "for example"), ("i\\.e\\.", "that is"),
        ("etc\\.", "et cetera"), ("vs\\.?", "versus"), ("cf\\.", "compare"), ("approx\\.", "approximately"), ("ca\\.(?= ?\\d)", "about"),
        ("Inc\\.", "Incorporated"), ("Ltd\\.", "Limited"), ("Corp\\.", "Corporation"), ("Co\\.(?! [a-z])", "Company"), ("et al\\.", "and others"),
        ("[Nn]o\\.(?= ?\\d)", "number"), ("[Ff]ig\\.(?= ?\\d)", "figure"), ("[Vv]ol\\.(?= ?\\d)", "volume"), ("pp\\.(?= ?\\d)", "pages"),
        ("p\\.(?= ?\\d)", "page"), ("[Cc]h\\.(?= ?\\d)", "chapter"), ("[Ss]ec\\.(?= ?\\d)", "section"), ("[Ee]q\\.(?= ?\\d)", "equation"),
        ("w/o", "without"), ("w/(?= )", "with"), ("Ph\\.D\\.?", "PhD"), ("Ave\\.", "Avenue"), ("Blvd\\.", "Boulevard"), ("Dept\\.", "Department"),
        ("Mon\\.", "Monday"), ("Tues?\\.", "Tuesday"), ("Wed\\.", "Wednesday"), ("Thurs?\\.", "Thursday"), ("Fri\\.", "Friday"),
        ("Sat\\.(?= |-|,)", "Saturday"), ("Sun\\.(?= |-|,)", "Sunday"), ("min\\.(?= [a-z])", "minutes"), ("est\\.(?= ?\\d)", "established"),
    ]

    private static func fraction(_ top: Int, _ bottom: Int) -> String? {
        guard bottom > 1, bottom < 1000, top > 0 else { return nil }
        let name = switch bottom {
        case 2: top == 1 ? "half" : "halves"
        case 4: top == 1 ? "quarter" : "quarters"
        default: NumberWords.ordinal(bottom) + (top == 1 ? "" : "s")
        }
        return "\(NumberWords.cardinal(top)) \(name)"
    }

    /// A four-digit number without a comma is mostly a year; 1100 to 2099 are said as one.
    private static func plainNumber(_ text: String) -> String {
        if text.count == 4, let value = Int(text), (1100..<2100).contains(value) { return NumberWords.year(value) }
        return NumberWords.number(text)
    }

    private static let rules: [TextRule] = [
        // Signs that are spelled in several ways.
        TextRule("[\u{2018}\u{2019}\u{02BC}]", to: "'"),
        TextRule("[\u{00A0}\u{2007}\u{2009}\u{202F}]", to: " "),
        TextRule("\u{2212}(?=\\d)", to: "-"),
        TextRule("(?<=\\d) ?[\u{2013}\u{2012}] ?(?=[$€£]?\\d)", to: "-"),
        TextRule(" ?[\u{2013}\u{2015}] ?", to: " \u{2014} "),
        TextRule("(\\d) ?½", to: "$1 1/2"), TextRule("½", to: "1/2"), TextRule("(\\d)¼", to: "$1 1/4"), TextRule("¼", to: "1/4"),
        TextRule("(\\d)¾", to: "$1 3/4"), TextRule("¾", to: "3/4"), TextRule("⅓", to: "1/3"), TextRule("⅔", to: "2/3"),

        // Electronic.
        TextRule("\\b[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", { ElectronicWords.token($0[0]) }),
        TextRule("\\b(?:https?://|ftp://|www\\.)[^\\s<>\"]*[^\\s<>\".,;:!?)\\]']/?", ignoringCase: true, { ElectronicWords.address($0[0]) }),
        TextRule("(?<![\\w/.~-])(?:~|\\.{1,2})?/(?:[\\w.@+-]+/?)+(?<![.])", { groups in
            groups[0].contains(where: \.isLetter) ? ElectronicWords.token(groups[0]) : nil
        }),
        TextRule("(?<=[\\s(])--?[A-Za-z][\\w-]*(?:=[\\w./:-]*\\w)?", { ElectronicWords.token($0[0]) }),
        TextRule("\\b(?!(?:e\\.g|i\\.e|a\\.m|p\\.m)\\b)[A-Za-z][\\w-]*(?:\\.[\\w-]+)*\\.[a-z][a-z0-9]{0,7}(?:/[\\w./-]*\\w)?(?![\\w]|\\.[A-Za-z])", {
            groups in
            // "U.S.a" and initials are not names of files.
            let labels = groups[0].split(separator: ".")
            return labels.allSatisfy({ $0.count == 1 }) ? nil : ElectronicWords.token(groups[0])
        }),

        // Telephone numbers, addresses of machines, versions.
        TextRule("(?<![\\w.-])(\\+\\d{1,3})?[ -]?\\(?(\\d{3})\\)?[ -]+(\\d{3})-(\\d{4})(?![\\w])", { groups in
            (groups[1].isEmpty ? [] : ["plus " + NumberWords.digits(groups[1])]).appending(
                contentsOf: groups[2...].map { NumberWords.digits($0) }).joined(separator: ", ")
        }),
        TextRule("(?<![\\w.])\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\w]|\\.\\d)", { groups in
            groups[0].split(separator: ".").map { NumberWords.digits($0) }.joined(separator: " dot ")
        }),

        // Dates.
        TextRule("\(start)(\\d{4})-(\\d{2})-(\\d{2})\(end)", { groups in
            monthName(groups[2]).flatMap { date(day: groups[3], month: $0, year: groups[1]) }
        }),
        TextRule("\(start)(\\d{1,2})/(\\d{1,2})/(\\d{4})\(end)", { groups in
            if let name = monthName(groups[1]) { return date(day: groups[2], month: name, year: groups[3]) }
            return monthName(groups[2]).flatMap { date(day: groups[1], month: $0, year: groups[3]) }
        }),
        TextRule("\(start)(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})\(end)", { groups in
            if let name = monthName(groups[1]) { return date(day: groups[2], month: name, year: groups[3]) }
            return monthName(groups[2]).flatMap { date(day: groups[1], month: $0, year: groups[3]) }
        }),
        TextRule("\\b\(monthPattern)\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:,? (\\d{4})\\b(?! ?%))?", ignoringCase: true, { groups in
            date(day: groups[2], month: month(groups[1]), year: groups[3])
        }),
        TextRule("\(start)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? \(monthPattern)\\b\\.?(?:,? (\\d{4})\\b)?", ignoringCase: true, { groups in
            guard let day = Int(groups[1]), (1...31).contains(day) else { return nil }
            return "the \(NumberWords.ordinal(day)) of \(month(groups[2]))" + (groups[3].isEmpty ? "" : " \(yearWords(groups[3]))")
        }),
        TextRule("\\bthe the ", to: "the "),
        TextRule("\\b\(monthPattern)\\.?,? (\\d{4})\\b", ignoringCase: true, { "\(month($0[1])) \(yearWords($0[2]))" }),
        TextRule("\\b(\\d{3}0)s-'?(\\d0)s\\b", { groups in
            "\(Int(groups[1]).map(NumberWords.decade) ?? "") to \(Int(groups[2]).map(NumberWords.decade) ?? "")"
        }),
        TextRule("\\b(mid|early|late)-(?=\\d{3}0s)", ignoringCase: true, to: "$1 "),
        TextRule("(?<!\\w)(\\d{3}0)'?s\\b", { Int($0[1]).map(NumberWords.decade) }),
        TextRule("(?<!\\w)'?([2-9]0)'?s\\b", { Int($0[1]).map(NumberWords.decade) }),

        // Times.
        TextRule("\(start)(\\d{1,2}):(\\d{2}):(\\d{2})\(end)", { groups in
            guard let hours = Int(groups[1]), let minutes = Int(groups[2]), let seconds = Int(groups[3]), minutes < 60, seconds < 60 else { return nil }
            func count(_ value: Int, _ unit: String) -> String { "\(NumberWords.cardinal(value)) \(unit)\(value == 1 ? "" : "s")" }
            return "\(count(hours, "hour")) \(count(minutes, "minute")) and \(count(seconds, "second"))"
        }),
        TextRule("\(start)(\\d{1,2}):(\\d{2})-(\\d{1,2}):(\\d{2})\(end)", { groups in
            guard let from = clock(groups[1], groups[2], "", ""), let to = clock(groups[3], groups[4], "", "") else { return nil }
            return "\(from) to \(to)"
        }),
        TextRule(
            "\(start)(\\d{1,2})[:.](\\d{2}) ?([AaPp]\\.? ?[Mm]\\.?)(?![\\w])(?: ?(est|pst|cst|mst|gmt|utc|cet|edt|pdt)\\b)?", ignoringCase: true,
            { clock($0[1], $0[2], $0[3], $0[4]) }),
        TextRule("\(start)(\\d{1,2}):(\\d{2})\\b(?!:|\\w)(?: ?(est|pst|cst|mst|gmt|utc|cet|edt|pdt)\\b)?", ignoringCase: true, {
            clock($0[1], $0[2], "", $0[3])
        }),
        TextRule("\(start)(\\d{1,2}) ?([AaPp]\\.?[Mm]\\b\\.?)(?: ?(est|pst|cst|mst|gmt|utc|cet|edt|pdt)\\b)?", ignoringCase: true, {
            clock($0[1], "00", $0[2], $0[3])
        }),

        // Money.
        TextRule(
            "(US\\$|[$€£¥₩₹])(\(number))-(?:US\\$|[$€£¥₩₹])?(\(number))(?: ?(thousand|million|billion|trillion|bn|mn|[kmb])\\b)?", ignoringCase: true,
            { groups in
                guard let to = money(groups[1], groups[3], groups[4]) else { return nil }
                return "\(NumberWords.number(groups[2])) to \(to)"
            }),
        TextRule(
            "(?<![\\w$])(-?)(US\\$|[$€£¥₩₹]) ?(\(number))(?: ?(thousand|million|billion|trillion|bn|mn|tn|[kmbt])\\b)?", ignoringCase: true,
            { groups in money(groups[2], groups[3], groups[4]).map { (groups[1].isEmpty ? "" : "minus ") + $0 } }),
        TextRule("\(start)(\(number)) ?(USD|EUR|GBP|CHF|JPY|€|£|¥|₩)(?!\\w)", { money($0[2], $0[1], "") }),

        TextRule("(dollars?|euros?|pounds?|yen|cents?|million|billion)/(mo|month|d|day|yr|y|year|h|hr|hour|wk|week|kg|km|kWh|GB)\\b", { groups in
            let names = ["mo": "month", "d": "day", "yr": "year", "y": "year", "h": "hour", "hr": "hour", "wk": "week"]
            return "\(groups[1]) per \(names[groups[2]] ?? (units.first { $0.written == groups[2] }?.one ?? groups[2]))"
        }),

        // Fractions, ranges and measures.
        TextRule("(?<![\\w.,-])(\\d+) ?- (?=\\d)", to: "$1 minus "),
        TextRule("\(start)(-?\(number))-(\(number)) ?(\(unitPattern))(?![\\w])", { groups in
            "\(NumberWords.number(groups[1])) to \(NumberWords.number(groups[2])) \(unit(groups[3], of: groups[2]))"
        }),
        TextRule("(?<![\\w.,:/])(-?\(number)) ?(million|billion|trillion|thousand)? ?(\(unitPattern))(?![\\w²³/])", { groups in
            let amount = NumberWords.number(groups[1]) + (groups[2].isEmpty ? "" : " " + groups[2])
            // "the 5 s" of a plural is seldom written; a bare letter needs a number just before it.
            return "\(amount) \(unit(groups[3], of: groups[2].isEmpty ? groups[1] : ""))"
        }),
        TextRule("\(start)(-?\(number)) ?/ ?(kg|km²|m²|m2|km2|km|s|h|l)(?![\\w])", { groups in
            "\(NumberWords.number(groups[1])) per \(unit(groups[2], of: "1"))"
        }),
        TextRule("(?<![\\w/.])(\\d+) (\\d{1,3})/(\\d{1,3})(?:th|rd|nd|st)?(?![\\w/])", ignoringCase: true, { groups in
            guard let whole = Int(groups[1]), let top = Int(groups[2]), let bottom = Int(groups[3]), let part = fraction(top, bottom) else { return nil }
            let said = part == "one half" ? "a half" : part
            return "\(NumberWords.cardinal(whole)) and \(said)"
        }),
        TextRule("(?<![\\w/.])24/7(?![\\w/])", to: "twenty four seven"),
        TextRule("(?<![\\w/.])(\\d{1,3})/(\\d{1,3})(?:th|rd|nd|st)?(?![\\w/])", ignoringCase: true, { groups in
            guard let top = Int(groups[1]), let bottom = Int(groups[2]) else { return nil }
            return fraction(top, bottom)
        }),
        TextRule("(?<![\\w.,-])(1[1-9]\\d\\d|20\\d\\d)-(\\d\\d|1[1-9]\\d\\d|20\\d\\d)(?![\\w.-])", { groups in
            "\(yearWords(groups[1])) to \(groups[2].count == 2 ? NumberWords.number(groups[2]) : yearWords(groups[2]))"
        }),
        TextRule("\(start)(\(number))-(\(number))(?![\\w-]|[.,]\\d)", { "\(NumberWords.number($0[1])) to \(NumberWords.number($0[2]))" }),
        TextRule("\(start)(\\d+) ?[x×] ?(\\d+)\(end)", { "\(NumberWords.number($0[1])) by \(NumberWords.number($0[2]))" }),

        // Numbers with letters.
        TextRule("\(start)(\\d{1,3}(?:,\\d{3})+|\\d+)(st|nd|rd|th)\\b", ignoringCase: true, { groups in
            ordinalWords(groups[1].filter { $0 != "," })
        }),
        TextRule("(?<![\\w.])[vV]?(\\d+(?:\\.\\d+){2,})(?![\\w])", { groups in
            (groups[0].first?.isLetter == true ? "version " : "")
                + groups[1].split(separator: ".").map { NumberWords.number($0) }.joined(separator: " point ")
        }),
        TextRule("(?<!\\w)[vV](\\d+\\.\\d+)\(end)", { "version \(NumberWords.number($0[1]))" }),
        TextRule("\\b(Chapter|Part|Section|Volume|Book|Act|Scene|Appendix|Article|Figure|Table|War) ([IVXLC]+)\\b", ignoringCase: true, { groups in
            NumberWords.roman(groups[2]).map { "\(groups[1]) \(NumberWords.cardinal($0))" }
        }),
        TextRule("\\b([A-Z][a-z]+) (II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XV|XVI)\\b", { groups in
            NumberWords.roman(groups[2]).map { "\(groups[1]) the \(NumberWords.ordinal($0))" }
        }),

        // Abbreviations.
        TextRule("\\bS&P\\b", to: "S and P"),
    ] + abbreviations.map { pattern, words in
        TextRule("(?<![\\w.])\(pattern)(?![\\w])", { groups in
            // The point of an abbreviation that ends the text ends its sentence too; the caller's last mark is kept elsewhere.
            groups[0].first?.isUppercase == true ? words.prefix(1).uppercased() + words.dropFirst() : words
        })
    } + [
        TextRule("\\b(?:[A-Z]\\.){2,}(?=\\s+[A-Z][a-z]|\\s*$)", { groups in groups[0].filter { $0 != "." } + "." }),
        TextRule("\\b(?:[A-Z]\\.){2,}[A-Z]?", { $0[0].filter { $0 != "." } }),

        // Plain numbers and signs.
        TextRule("(?<![\\w.])#(?=\\d)", to: "number "),
        TextRule("~ ?(?=\\d)", to: "about "),
        TextRule("(?<![\\w)\\]])-(\(number))\(end)", { "minus \(NumberWords.number($0[1]))" }),
        TextRule("(?<=[\\w)]) ?\\+ ?(?=\\d)", to: " plus "), TextRule("(?<![\\w])\\+(?=\\d)", to: "plus "),
        TextRule(" ?= ?", to: " equals "), TextRule(" ≤ ", to: " at most "), TextRule(" ≥ ", to: " at least "),
        TextRule("(?<=\\w) ?× ?(?=\\w)", to: " times "), TextRule(" ?≈ ?", to: " about "), TextRule("±", to: " plus or minus "),
        TextRule(" < (?=\\S)", to: " less than "), TextRule(" > (?=\\S)", to: " greater than "), TextRule("→", to: ", then "),
        TextRule("(?<=[A-Za-z])(?=\\d)|(?<=\\d)(?=[A-Za-z])", to: " "),
        TextRule("\(number)", { groups in plainNumber(groups[0]) }),
        TextRule(" ?& ?", to: " and "), TextRule("%", to: " percent"), TextRule("§ ?", to: "section "), TextRule("@", to: " at "),
        TextRule("[©®™]", to: ""), TextRule("(?<=\\w)_(?=\\w)", to: " underscore "), TextRule("°", to: " degrees"),
        TextRule("(?<=[a-z])/(?=[a-z])", to: " slash "), TextRule("[ \\t]{2,}", to: " "), TextRule(" (?=[,;:.!?](?:\\s|$))", to: ""),
    ]
}

extension Array {
    fileprivate func appending(contentsOf other: some Sequence<Element>) -> [Element] { self + Array(other) }
}
