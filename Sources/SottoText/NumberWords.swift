/// English words for numbers, in the American manner: no "and" after hundreds, years in pairs.
public enum NumberWords {
    private static let small = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
        "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    private static let tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    private static let scales = [
        "", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion", " sextillion", " septillion", " octillion", " nonillion", " decillion",
    ]
    private static let irregularOrdinals = [
        "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
    ]

    /// "one hundred twenty three".
    public static func cardinal(_ value: Int) -> String {
        if value < 0 { return "minus " + cardinal(-value) }
        if value < 20 { return small[value] }
        if value < 100 { return tens[value / 10] + (value % 10 == 0 ? "" : " " + small[value % 10]) }
        if value < 1000 { return small[value / 100] + " hundred" + (value % 100 == 0 ? "" : " " + cardinal(value % 100)) }
        var groups: [String] = []
        var rest = value
        var scale = 0
        while rest > 0, scale < scales.count {
            let group = rest % 1000
            if group > 0 { groups.append(cardinal(group) + scales[scale]) }
            rest /= 1000
            scale += 1
        }
        return groups.reversed().joined(separator: " ")
    }

    /// "twenty first".
    public static func ordinal(_ value: Int) -> String {
        let words = cardinal(value).split(separator: " ").map(String.init)
        guard let last = words.last else { return "" }
        let ending: String
        if let irregular = irregularOrdinals[last] {
            ending = irregular
        } else if last.hasSuffix("y") {
            ending = last.dropLast() + "ieth"
        } else {
            ending = last + "th"
        }
        return (words.dropLast() + [ending]).joined(separator: " ")
    }

    /// "nineteen ninety eight", "two thousand one", "twenty fourteen", "nineteen hundred", "nineteen oh one".
    public static func year(_ value: Int) -> String {
        guard (1000..<10_000).contains(value), (2000..<2010).contains(value) == false, value % 1000 != 0 else { return cardinal(value) }
        return pairs(value)
    }

    /// "nineteen eighties", from 1980; "eighties" from 80.
    public static func decade(_ value: Int) -> String {
        let words = value >= 1000 ? year(value) : cardinal(value)
        return words.hasSuffix("y") ? words.dropLast() + "ies" : words + "s"
    }

    /// A number of a house, a room or a model as it is called out: in pairs, "twenty seven eighty eight", "seven oh eight".
    ///
    /// One or two digits are a plain number; more than four, or a leading zero, are read digit by digit.
    public static func label(_ text: some StringProtocol) -> String {
        guard let value = Int(text), text.hasPrefix("0") == false || text.count == 1, text.count <= 4 else { return digits(text) }
        switch text.count {
        case 1, 2: return cardinal(value)
        case 3:
            let (first, rest) = (value / 100, value % 100)
            return rest == 0 ? cardinal(value) : cardinal(first) + (rest < 10 ? " oh " : " ") + cardinal(rest)
        default: return value % 1000 == 0 ? cardinal(value) : pairs(value)
        }
    }

    /// The two digits of a year: "ninety eight", "oh five".
    static func shortYear(_ value: Int) -> String {
        value < 10 ? "oh " + cardinal(value) : cardinal(value)
    }

    private static func pairs(_ value: Int) -> String {
        let (first, rest) = (value / 100, value % 100)
        return cardinal(first) + (rest == 0 ? " hundred" : (rest < 10 ? " oh " : " ") + cardinal(rest))
    }

    /// Each digit by its name; other characters are left out.
    public static func digits(_ text: some StringProtocol) -> String {
        text.compactMap { $0.isASCII ? $0.wholeNumberValue : nil }.map { small[$0] }.joined(separator: " ")
    }

    /// A number as it is written, with or without thousands' commas, decimal point and sign.
    ///
    /// Leading zeros and more than fifteen digits are read digit by digit: who counts so far writes the commas, and then they are counted.
    public static func number(_ text: some StringProtocol) -> String {
        let hasCommas = text.contains(",")
        var rest = String(text.filter { $0 != "," && $0.isWhitespace == false })
        var sign = ""
        if rest.first == "-" || rest.first == "−" {
            sign = "minus "
            rest.removeFirst()
        } else if rest.first == "+" {
            sign = "plus "
            rest.removeFirst()
        }
        let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first ?? ""
        var words = ""
        if hasCommas, whole.count > 15, whole.count <= 3 * scales.count, whole.hasPrefix("0") == false {
            words = grouped(whole)
        } else if whole.count > 15 || (whole.count > 1 && whole.hasPrefix("0")) {
            words = digits(whole)
        } else if let value = Int(whole) {
            words = cardinal(value)
        }
        if parts.count == 2, parts[1].isEmpty == false {
            words += (words.isEmpty ? "" : " ") + "point " + digits(parts[1])
        }
        return sign + words
    }

    /// A whole number of any length for which there are names of scales.
    private static func grouped(_ digits: Substring) -> String {
        var rest = digits
        var groups: [String] = []
        for scale in scales {
            if let value = Int(rest.suffix(3)), value > 0 { groups.append(cardinal(value) + scale) }
            rest = rest.dropLast(3)
            if rest.isEmpty { break }
        }
        return groups.reversed().joined(separator: " ")
    }

    /// The value of a Roman numeral in capitals, if it is one in its usual form.
    public static func roman(_ text: some StringProtocol) -> Int? {
        let values: [(String, Int)] = [
            ("M", 1000), ("CM", 900), ("D", 500), ("CD", 400), ("C", 100), ("XC", 90), ("L", 50), ("XL", 40), ("X", 10), ("IX", 9), ("V", 5),
            ("IV", 4), ("I", 1),
        ]
        var rest = Substring(String(text))
        var total = 0
        for (letters, value) in values {
            while rest.hasPrefix(letters) {
                rest = rest.dropFirst(letters.count)
                total += value
            }
        }
        guard rest.isEmpty, total > 0 else { return nil }
        var check = ""
        var left = total
        for (letters, value) in values {
            while left >= value {
                check += letters
                left -= value
            }
        }
        return check == String(text) ? total : nil
    }
}
