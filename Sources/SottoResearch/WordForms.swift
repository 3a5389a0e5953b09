import SottoText

/// The words of a text in the forms under which they count as the same.
struct WordForms: Sendable {
    private let known: Set<String>
    /// The words in order, a space before and behind each.
    private let running: String
    /// The first letters of neighboring capitalized words: "EU" is held by "European Union".
    private let initials: String

    init(_ text: String) {
        let spans = Terms.spans(text)
        let tokens = Terms.tokens(text)
        known = Set(tokens.flatMap(Self.forms))
        running = " " + tokens.joined(separator: " ") + " "
        initials = spans.reduce(into: " ") { letters, span in
            if ["of", "and", "the", "for"].contains(span) { return }
            letters.append(span.first.map { $0.isUppercase ? $0 : " " } ?? " ")
        } + " "
    }

    /// The words of several texts together.
    init(_ texts: some Sequence<WordForms>) {
        known = texts.reduce(into: []) { $0.formUnion($1.known) }
        running = texts.map(\.running).joined()
        initials = texts.map(\.initials).joined()
    }

    /// Whether the text holds what a question names: a word in one of its forms, words in a row ("debian 14"), or the words that an
    /// abbreviation stands for.
    func names(_ name: String) -> Bool {
        if name.contains(" ") { return running.contains(" " + name + " ") || holds(name.filter { $0 != " " }) }
        return holds(name) || (2...5).contains(name.count) && initials.contains(name.uppercased())
    }

    /// Whether the text holds a lower-case token in one of its forms, or as the parts of a compound: "client-side" by "client … side".
    func holds(_ token: String) -> Bool {
        Self.forms(token).contains(where: known.contains) || partsHeld(token)
    }

    private func partsHeld(_ token: String) -> Bool {
        let parts = token.split(whereSeparator: { "-/".contains($0) }).map(String.init)
        guard parts.count > 1, token.hasPrefix("/") == false, token.hasPrefix("-") == false else { return false }
        return parts.allSatisfy { part in Self.forms(part).contains(where: known.contains) }
    }

    /// A token, its stem, and a small number as word and figure.
    static func forms(_ token: String) -> [String] {
        var forms = [token]
        let stem = Terms.stem(token)
        if stem != token { forms.append(stem) }
        if let figure = figures[token] { forms.append(figure) }
        if let month = months[token] { forms.append(month) }
        if token.hasSuffix("'s") { forms.append(String(token.dropLast(2))) }
        let joined = token.filter { $0.isLetter || $0.isNumber }
        if joined != token, joined.isEmpty == false { forms.append(joined) }
        if Terms.isNumber(token) { forms.append(token.filter(\.isNumber)) }
        return forms
    }

    /// Months as newspapers shorten them. "May" is whole, and "mar" and "dec" are no other words of prose.
    private static let months: [String: String] = [
        "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august", "sep": "september",
        "sept": "september", "oct": "october", "nov": "november", "dec": "december",
    ]

    /// The figures of a number, written as figures or as a small number's word; `nil` for other words.
    static func number(_ token: String) -> String? {
        if let figure = figures[token] { return figure }
        return Terms.isNumber(token) ? token.filter(\.isNumber) : nil
    }

    /// As ``number(_:)``, and a letter's sum or product too: "n+1", "2n".
    static func quantity(_ token: String) -> String? {
        if let number = number(token) { return number }
        return token.wholeMatch(of: /[a-z][+\-]\d+|\d+[a-z]|\d+[a-z][+\-]\d+/) != nil ? token : nil
    }

    private static let figures: [String: String] = [
        "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
        "ten": "10", "eleven": "11", "twelve": "12", "once": "1", "twice": "2", "first": "1st", "second": "2nd", "third": "3rd",
        "single": "1",
    ]
}
