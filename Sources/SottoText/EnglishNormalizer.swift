/// Plain written English → the words that are said: numbers, dates, times, money, units, addresses, abbreviations.
///
/// Rules in a fixed order, each independent of the voice, in classes that have a file each. The classes are those of Google's and
/// NVIDIA's text-normalization grammars (NeMo-text-processing); where their spoken style and ordinary speech differ, ordinary
/// speech wins.
enum EnglishNormalizer {
    static func spoken(_ text: String) -> String {
        // Most sentences of a book hold nothing but words and their points.
        let isPlain = text.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (65...90).contains(byte) || byte == 0x20 || byte == 0x2C || byte == 0x27 || byte == 0x3F || byte == 0x21
        }
        return text.applying(isPlain ? plainRules : rules)
    }

    /// A number as it may be written: with commas between thousands, with a decimal part, with that alone.
    static let number = "(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|(?<![.\\w])\\.\\d+)"
    /// Not inside a word or a longer number.
    static let start = "(?<![\\w.,:/-])"
    static let end = "(?![\\w]|[.,:]\\d)"

    private static let rules =
        signRules + electronicRules + telephoneRules + machineNumberRules + numberedRules + addressRules + dateRules + timeRules + moneyRules + measureRules
        + numberRules + romanRules + abbreviationRules + plainNumberRules + symbolRules

    private static let plainRules = addressRules + romanRules + abbreviationRules
}
