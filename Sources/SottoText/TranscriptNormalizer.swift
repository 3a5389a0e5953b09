/// Brings two transcripts of the same speech to one spelling, so that only what was heard differently counts as an error.
///
/// Lower case; no punctuation; numerals, ordinals, years, clock times, money and percentages as words; the common titles written
/// out. "3 hours" and "Three hours." are equal, and so are "$2.50" and "two dollars and fifty cents". It knows nothing of any
/// engine or corpus: both sides of a comparison go through it alike.
public enum TranscriptNormalizer {
    private static let titles = ["mr": "mister", "mrs": "missus", "dr": "doctor", "&": "and", "okay": "ok"]
    private static let currencies: [Character: (one: String, many: String, part: String, parts: String)] = [
        "$": ("dollar", "dollars", "cent", "cents"), "£": ("pound", "pounds", "penny", "pence"), "€": ("euro", "euros", "cent", "cents"),
    ]
    private static let smallNumbers: Set<String> = Set((1..<100).flatMap { NumberWords.cardinal($0).split(separator: " ").map(String.init) })

    /// The words of a transcript in the common spelling.
    public static func words(_ text: String) -> [String] {
        var plain = ""
        for character in text.lowercased() {
            switch character {
            case "’", "‘", "ʼ": plain.append("'")
            case "-", "–", "—", "‑", "/", "…", "_": plain.append(" ")
            default: plain.append(character)
            }
        }
        var words: [String] = []
        for token in plain.split(whereSeparator: \.isWhitespace) { words += spoken(token) }
        return withoutJoiningAnd(words)
    }

    private static func spoken(_ token: Substring) -> [String] {
        if token == "&" { return ["and"] }
        guard token.contains(where: { $0.isASCII && $0.isNumber }) else {
            let letters = String(token.filter { $0.isLetter || $0.isNumber })
            return letters.isEmpty ? [] : [titles[letters] ?? letters]
        }
        var rest = token
        while let first = rest.first, first.isNumber == false, first.isLetter == false, currencies[first] == nil { rest.removeFirst() }
        while let last = rest.last, last.isNumber == false, last.isLetter == false, last != "%" { rest.removeLast() }
        if let sign = rest.first, let currency = currencies[sign], let money = money(rest.dropFirst(), currency) { return money }
        // Numbers with the commas and points inside them, apart from the letters around.
        var words: [String] = []
        while let first = rest.first {
            if isDigit(first) {
                let number = rest.prefix { isDigit($0) || $0 == "," || $0 == "." || $0 == ":" }
                rest = rest.dropFirst(number.count)
                let suffix = rest.prefix { $0.isLetter }
                if ["st", "nd", "rd", "th"].contains(suffix), let value = Int(number.filter(isDigit)), value < 1_000_000_000_000 {
                    words += split(NumberWords.ordinal(value))
                    rest = rest.dropFirst(2)
                } else if suffix == "s", let value = Int(number), (10..<10_000).contains(value) {
                    words += split(NumberWords.decade(value))
                    rest = rest.dropFirst()
                } else {
                    words += cardinal(number)
                }
            } else if first == "%" {
                words.append("percent")
                rest.removeFirst()
            } else if first.isLetter {
                let letters = rest.prefix { $0.isLetter || $0 == "'" }
                rest = rest.dropFirst(letters.count)
                words.append(letters.filter { $0 != "'" })
            } else {
                rest.removeFirst()
            }
        }
        return words
    }

    private static func cardinal(_ text: Substring) -> [String] {
        let clock = text.split(separator: ":", omittingEmptySubsequences: false)
        if clock.count == 2, let hour = Int(clock[0]), let minute = Int(clock[1]), hour < 25, clock[1].count == 2, minute < 60 {
            let minutes = minute == 0 ? [] : (minute < 10 ? ["oh"] : []) + split(NumberWords.cardinal(minute))
            return split(NumberWords.cardinal(hour)) + minutes
        }
        var number = text.filter { $0 != ":" }
        while number.last == "." || number.last == "," { number.removeLast() }
        // Four digits without a comma are read as years where years lie.
        if number.count == 4, let value = Int(number), (1100..<2100).contains(value) { return split(NumberWords.year(value)) }
        let parts = number.split(separator: ".")
        // Dots in a version or an address: each part by itself.
        if parts.count > 2 { return parts.flatMap { split(NumberWords.number($0)) } }
        return split(NumberWords.number(number))
    }

    private static func money(
        _ amount: Substring, _ currency: (one: String, many: String, part: String, parts: String)
    ) -> [String]? {
        let parts = amount.filter { $0 != "," }.split(separator: ".")
        guard let first = parts.first, let whole = Int(first), parts.count <= 2, whole < 1_000_000_000_000 else { return nil }
        var words = split(NumberWords.cardinal(whole)) + [whole == 1 ? currency.one : currency.many]
        if parts.count == 2 {
            guard parts[1].count == 2, let part = Int(parts[1]) else { return nil }
            if part > 0 { words += ["and"] + split(NumberWords.cardinal(part)) + [part == 1 ? currency.part : currency.parts] }
        }
        return words
    }

    /// "one hundred and five" is how half the world says "one hundred five".
    private static func withoutJoiningAnd(_ words: [String]) -> [String] {
        words.indices.filter { index in
            guard words[index] == "and", index > 0, index + 1 < words.count else { return true }
            return ["hundred", "thousand", "million"].contains(words[index - 1]) == false || smallNumbers.contains(words[index + 1]) == false
        }.map { words[$0] }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private static func split(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
