import SottoText

/// Finds what a question is about by name: sources that never mention it do not answer, whatever they say of its neighbors.
public enum QuestionFocus {
    /// The names and numbers of a question, and those of its words that a model's vocabulary has no single token for, such as `podman`.
    ///
    /// Common words of the language that a vocabulary was mostly made from are single tokens; so the last are asked of English questions
    /// only, and names are looked for only where capitals tell: not in German, whose nouns all have them, and not in a question that
    /// capitalizes all its words.
    /// - Parameter pieces: How many tokens a word takes inside a sentence.
    /// - Returns: In lower case; a name with the number behind it is one: `debian 14`.
    public static func words(of question: String, language: String, pieces: (String) async throws -> Int) async rethrows -> Set<String> {
        var focus = names(in: question, language: language)
        guard language.lowercased().hasPrefix("en") else { return focus }
        for span in Terms.spans(question) {
            let word = String(span).lowercased()
            guard Terms.stopWords.contains(word) == false, word.count > 3, word.allSatisfy(\.isLetter), focus.contains(word) == false, isDerived(word) == false
            else { continue }
            // In the case in which it stands: "Chicago" is one token, "chicago" two.
            if try await pieces(" " + String(span)) > 1 { focus.insert(word) }
        }
        return focus
    }

    /// Names, numbers and names with numbers, in lower case.
    static func names(in question: String, language: String) -> Set<String> {
        let spans = Terms.spans(question)
        let words = spans.dropFirst().filter { $0.first?.isLetter == true && Terms.stopWords.contains($0.lowercased()) == false }
        let capitalsTell = language.lowercased().hasPrefix("de") == false && words.contains { $0.first?.isLowercase == true }
        var names: Set<String> = []
        for (place, span) in spans.enumerated() {
            let token = span.lowercased()
            let before = place > 0 ? spans[place - 1] : nil
            if Terms.isNumber(token) {
                // "Debian 14" is one name; "port 25" is a number that may stand elsewhere, and "787-9" tells by itself, whatever stands before it.
                if let before, capitalsTell, isName(before, at: place - 1), token.count(where: \.isNumber) < 3 { names.insert(before.lowercased() + " " + token) } else { names.insert(token) }
                continue
            }
            guard capitalsTell, isName(span, at: place) else { continue }
            // "16 GB": a unit, written in many ways.
            if let before, Terms.isNumber(before.lowercased()) { continue }
            names.insert(token.hasSuffix("'s") || token.hasSuffix("’s") ? String(token.dropLast(2)) : token)
        }
        return names
    }

    /// A capitalized word that the beginning of the sentence does not explain, or one with a capital inside it.
    private static func isName(_ span: Substring, at place: Int) -> Bool {
        let token = span.lowercased().replacing("’", with: "'")
        guard Terms.stopWords.contains(token) == false, token.hasPrefix("i'") == false, calendar.contains(token) == false else { return false }
        if span.dropFirst().contains(where: \.isUppercase) { return true }
        return place > 0 && span.first?.isUppercase == true && span.count > 1
    }

    /// A long word that its ending shows to be an ordinary one: whoever reads "Rep." may ask about the "congresswoman".
    private static func isDerived(_ word: String) -> Bool {
        word.count >= 8 && endings.contains { word.hasSuffix($0) }
    }

    private static let endings = [
        "woman", "women", "person", "people", "ness", "ment", "ments", "tion", "tions", "sion", "sions", "able", "ible", "ful", "less", "ship", "hood", "ism",
        "ist", "ists", "ing", "ings", "ized", "ised", "ally", "ily", "ously", "ively", "ity", "ities", "ance", "ence", "ward", "wards",
    ]

    /// Written in too many ways ("Mon", "12/2026") to be missed by their letters.
    private static let calendar: Set<String> = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays",
        "sundays", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]
}
