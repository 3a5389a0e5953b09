extension EnglishNormalizer {
    private static func groups(_ parts: [String]) -> String {
        parts.filter { $0.isEmpty == false }.joined(separator: ", ")
    }

    private static func groups(of text: String) -> [String] {
        text.split { $0.isNumber == false }.map { NumberWords.digits($0) }
    }

    /// Telephone numbers and others that are dialled or typed, in their written groups, digit by digit.
    static let telephoneRules: [TextRule] = [
        TextRule("(?<!\\w)(\\d{4})([ -])(\\d{4})\\2(\\d{4})\\2(\\d{4})(?![\\w-])", needsDigit: true, { found in groups([1, 3, 4, 5].map { NumberWords.digits(found[$0]) }) }),
        TextRule("\\b(ISBN(?:-1[03])?:?) ([\\d][\\dX-]{9,16})\\b", needsDigit: true, { found in
            "ISBN " + groups(found[2].split(separator: "-").map { NumberWords.digits($0) + ($0.hasSuffix("X") ? " X" : "") })
        }),
        // North American, with or without a country's or trunk code, an extension, or further groups.
        TextRule(
            "(?<![\\w.$€£-])(?:(\\+\\d{1,3}|\\d)[ .-]?)?(\\(\\d{3}\\)[ -]*|\\d{3}[ .-])(\\d{3})([ .-])(\\d{4})((?:-\\d{1,4})*)(?: ?(?:x|ext\\.?) ?(\\d{1,6}))?(?![\\w-]|[.,]\\d)",
            needsDigit: true,
            { found in
                // By spaces alone these may be amounts.
                if found[4] == " ", found[1].hasPrefix("+") == false, found[2].hasPrefix("(") == false { return nil }
                let code = found[1].isEmpty ? "" : (found[1].hasPrefix("+") ? "plus " : "") + NumberWords.digits(found[1])
                let rest = found[6].split(separator: "-").map { NumberWords.digits($0) }
                let local = [code, NumberWords.digits(found[2]), NumberWords.digits(found[3]), NumberWords.digits(found[5])]
                return groups(local + rest + [found[7].isEmpty ? "" : "extension " + NumberWords.digits(found[7])])
            }),
        TextRule("(?<![\\w.])\\+(\\d{1,3})((?:[ .-]?\\(?\\d{1,5}\\)?){2,6})(?![\\w]|[.,-]\\d)", needsDigit: true, { found in
            let parts = groups(of: found[2])
            guard found[0].filter(\.isNumber).count >= 7, found[2].first?.isNumber == false else { return nil }
            return groups(["plus " + NumberWords.digits(found[1])] + parts)
        }),
        TextRule("(?<![\\w-])1-(8\\d\\d|900)-((?:[A-Z]+|\\d+)(?:-(?:[A-Z]+|\\d+))*)(?![\\w-])", needsDigit: true, { found in
            let prefix = found[1].hasSuffix("00") ? NumberWords.cardinal(Int(found[1]) ?? 0) : NumberWords.digits(found[1])
            let rest = found[2].split(separator: "-").map { $0.allSatisfy(\.isNumber) ? NumberWords.digits($0) : String($0) }
            // A lone digit goes with the word before it, "GO 2, HAUL".
            var parts = ["one", prefix]
            for part in rest {
                if let last = parts.last, last.allSatisfy(\.isUppercase), part.contains(" ") == false, part.first?.isLowercase == true {
                    parts[parts.count - 1] = last + " " + part
                } else {
                    parts.append(part)
                }
            }
            return groups(parts)
        }),
        // A social security number.
        TextRule("(?<![\\w.-])(\\d{3})-(\\d{2})-(\\d{4})(?![\\w-])", needsDigit: true, { found in groups(found[1...].map { NumberWords.digits($0) }) }),
        // A local number; "100-1500" is a range.
        TextRule("(?<![\\w.,$€£-])([2-9]\\d{2})-(\\d{4})(?![\\w-]|[.,]\\d)", needsDigit: true, { found in
            found[2].hasSuffix("00") ? nil : groups(found[1...].map { NumberWords.digits($0) })
        }),
        TextRule("(?<![\\w.,$€£-])\\d{3,}(?: \\d{3,}){2,}(?![\\w]|[.,]\\d)", needsDigit: true, { found in groups(groups(of: found[0])) }),
        // What stands after such words is typed, not counted.
        TextRule(
            "\\b(PINs?|(?:pass|zip|area|postal|access|error|verification|security)?codes?|OTP|extension|ext\\.|ending in|ends in|account number|card number|serial number|hotline)((?: number)?(?: is| was|:)?) ?(?<= )#?(\\d{3,})(?![\\w]|[.,]\\d)",
            ignoringCase: true, needsDigit: true,
            { found in "\(found[1])\(found[2]) \(NumberWords.digits(found[3]))" }),
        TextRule("\\b(dial|call) (911|999|112|110|311|411|988)\\b(?![-.]\\d)", ignoringCase: true, needsDigit: true, { found in "\(found[1]) \(NumberWords.digits(found[2]))" }),
        TextRule("(?<![\\w.])(\\d{1,3}(?:\\.\\d{1,3}){3})(?:/(\\d{1,2}))?(?![\\w]|\\.\\d)", needsDigit: true, { found in
            found[1].split(separator: ".").map { NumberWords.digits($0) }.joined(separator: " dot ")
                + (found[2].isEmpty ? "" : " slash " + NumberWords.number(found[2]))
        }),
    ]
}
