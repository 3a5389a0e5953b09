import Foundation

/// Words as search and checking see them.
public enum Terms {
    /// Lower-cased words, numbers and identifiers in order. What belongs together stays together: `dpkg-reconfigure`,
    /// `/etc/default/grub`, `3.14`, `user@host`, `don't`.
    public static func tokens(_ text: String) -> [String] {
        spans(text).map { String($0).lowercased().replacingOccurrences(of: "’", with: "'") }
    }

    /// The same pieces as ``tokens(_:)`` in their own case.
    public static func spans(_ text: String) -> [Substring] {
        var pieces: [Substring] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard isInside(text[index]) || text[index] == "/" || text[index] == "-" else {
                index = text.index(after: index)
                continue
            }
            var end = index
            while end < text.endIndex, isInside(text[end]) || isJoiner(text[end]) { end = text.index(after: end) }
            var piece = text[index..<end]
            while let last = piece.last, isJoiner(last), last != "/" || piece.count == 1 { piece = piece.dropLast() }
            while let first = piece.first, isJoiner(first), first != "/", first != "-" { piece = piece.dropFirst() }
            while piece.hasPrefix("-"), piece.dropFirst().first.map({ $0 == "-" || isInside($0) }) != true { piece = piece.dropFirst() }
            if piece.contains(where: isInside) { pieces.append(piece) }
            index = end > index ? end : text.index(after: index)
        }
        return pieces
    }

    private static func isInside(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    private static func isJoiner(_ character: Character) -> Bool { "-_./@:'’+~".contains(character) }

    /// Tokens that carry meaning: no stop words.
    public static func content(_ text: String) -> [String] {
        tokens(text).filter { stopWords.contains($0) == false }
    }

    public static func isNumber(_ token: String) -> Bool {
        token.contains(where: \.isNumber) && token.contains(where: \.isLetter) == false
    }

    /// A word's stem: enough to let "files" meet "file" and "configured" meet "configuring". Identifiers are left alone.
    ///
    /// A light suffix stripper in the manner of Harman's S-stemmer, with -ed, -ing, -ly and -ation added; exactness matters
    /// less here than never joining two different short words.
    public static func stem(_ token: String) -> String {
        guard token.count > 3, token.allSatisfy({ $0.isLetter || $0 == "'" }) else { return token }
        var word = token
        if word.hasSuffix("'s") { word.removeLast(2) }
        for (suffix, replacement, minimum) in suffixes where word.hasSuffix(suffix) && word.count - suffix.count >= minimum {
            word.removeLast(suffix.count)
            word += replacement
            break
        }
        if word.hasSuffix("e"), word.count > 4 { word.removeLast() }
        if word.count > 4, let last = word.last, word.dropLast().last == last, "aeiouls".contains(last) == false { word.removeLast() }
        return word
    }

    private static let suffixes: [(String, String, Int)] = [
        ("izations", "iz", 3), ("ization", "iz", 3), ("ations", "", 4), ("ation", "", 4), ("ies", "y", 2), ("sses", "ss", 2), ("xes", "x", 2),
        ("ches", "ch", 2), ("shes", "sh", 2), ("ingly", "", 3), ("edly", "", 3), ("ing", "", 3), ("ied", "y", 2), ("ed", "", 3), ("ly", "", 3),
        ("es", "e", 3), ("ss", "ss", 0), ("us", "us", 0), ("is", "is", 0), ("s", "", 3),
    ]

    /// English function words, question words among them.
    public static let stopWords: Set<String> = Set(
        """
        a an the and or but nor so yet if then else than as of in on at by for from to into onto with without within about over under
        between through during before after above below up down out off again further once here there when where why how what which who
        whom whose this that these those it its it's he she they them his her their our your my me we you i is am are was were be been being
        do does did doing have has had having can could may might must shall should will would not no only own same too very just also any
        each few more most other some such all both s t d ll m re ve let lets get gets got like use using used one's there's that's
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
