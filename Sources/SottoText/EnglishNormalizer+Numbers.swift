extension EnglishNormalizer {
    /// Programs whose versions have parts, not decimals: "Python 3.10" is "three point ten".
    private static let versioned =
        "(?:[Vv]ersions?|[Rr]elease|[Vv]er\\.|Python|Swift|Ubuntu|Debian|Fedora|iOS|iPadOS|macOS|watchOS|Android|Windows|Linux|kernel|Java|Node|Ruby|Rust|Go|PHP|Perl|GCC|LLVM|Firefox|Chrome|Safari|PostgreSQL|SQLite|OpenSSL|GNOME|KDE|Qt|Bluetooth|USB|HTTP|TLS|ggml|CUDA|PyTorch|NumPy)"

    private static func versionPart(_ text: Substring) -> String {
        text.count > 1 && text.hasPrefix("0") ? "oh " + NumberWords.number(text.dropFirst()) : NumberWords.number(text)
    }

    private static func version(_ text: String) -> String {
        text.split(separator: ".").map(versionPart).joined(separator: " point ")
    }

    /// Versions: in parts.
    static let machineNumberRules: [TextRule] = [
        TextRule("(?<![\\w.])[vV]?(\\d+(?:\\.\\d+){2,})(?![\\w])(?!\\.\\d)", needsDigit: true, { groups in
            // A date with points is left to the dates.
            let parts = groups[1].split(separator: ".")
            if parts.count == 3, groups[0].first?.isNumber == true, parts[2].count == 4 || parts[0].count == 4, let second = Int(parts[1]), second <= 31 { return nil }
            return (groups[0].first?.isLetter == true ? "version " : "") + version(groups[1])
        }),
        TextRule("(?<!\\w)[vV](\\d+(?:\\.\\d+)?)\(end)", needsDigit: true, { "version \(version($0[1]))" }),
        TextRule("\\b(\(versioned)) (\\d{1,3}\\.\\d{1,3})(?!\\w|[.,]\\d|%| ?(?:million|billion|percent))", needsDigit: true, { "\($0[1]) \(version($0[2]))" }),
    ]

    /// Ordinals, powers of ten, letters with digits.
    static let numberRules: [TextRule] = [
        TextRule("\(start)(\\d{1,3}(?:,\\d{3})+|\\d+)(st|nd|rd|th)\\b", ignoringCase: true, needsDigit: true, { groups in
            let digits = groups[1].filter(\.isNumber)
            guard digits.count <= 15, let value = Int(digits) else { return nil }
            // "1th" is no ordinal: the suffix must be the number's own.
            let ending = switch (value % 10, value % 100) {
            case (_, 11...13): "th"
            case (1, _): "st"
            case (2, _): "nd"
            case (3, _): "rd"
            default: "th"
            }
            return groups[2].lowercased() == ending ? NumberWords.ordinal(value) : "\(NumberWords.cardinal(value)) \(groups[2])"
        }),
        TextRule("\(start)(\\d+(?:\\.\\d+)?)[eE]([+-]?)(\\d{1,3})(?!\\w)", needsDigit: true, { groups in
            "\(NumberWords.number(groups[1])) times ten to the power of \(groups[2] == "-" ? "minus " : "")\(NumberWords.number(groups[3]))"
        }),
        TextRule("\\b([CF])#(?!\\w)", to: "$1 sharp"),
        TextRule("(?<=\\w)\\+\\+(?!\\w)", to: " plus plus"),
        TextRule("(?<=[A-Za-z])\\d+|\\d+(?=[A-Za-z])", needsDigit: true, { groups in
            let digits = groups[0]
            if digits.count == 4, let value = Int(digits), (1900..<2100).contains(value) { return " \(NumberWords.year(value)) " }
            return digits.count <= 3 ? " \(NumberWords.label(digits)) " : " \(NumberWords.digits(digits)) "
        }),
    ]

    /// A four-digit number without a comma is mostly a year; 1100 to 2099 are said as one.
    private static func plainNumber(_ text: String) -> String {
        if text.count == 4, let value = Int(text), (1100..<2100).contains(value) { return NumberWords.year(value) }
        return NumberWords.number(text)
    }

    /// What is left of digits.
    static let plainNumberRules: [TextRule] = [
        TextRule("(?<![\\w.])#(?=\\d)|№ ?(?=\\d)", needsDigit: true, to: "number "),
        TextRule("~ ?(?=\\d)", needsDigit: true, to: "about "),
        TextRule("(?<![\\w)\\]])-(\(number))\(end)", needsDigit: true, { "minus \(NumberWords.number($0[1]))" }),
        TextRule("(?<=[\\w)]) ?\\+ ?(?=[\\d(a-z])", to: " plus "), TextRule("(?<![\\w])\\+(?=\\d)", needsDigit: true, to: "plus "),
        TextRule("(?<=\\d) ?[*·⋅] ?(?=\\d)", needsDigit: true, to: " times "),
        TextRule("\(number)", needsDigit: true, { groups in plainNumber(groups[0]) }),
    ]
}
