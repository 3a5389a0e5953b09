/// Where a sentence may be cut so that its beginning can be heard early: between clauses, never inside a phrase.
///
/// A cut that is missed costs some hundred milliseconds; one inside a phrase sounds wrong. So a comma counts only when what stands before it is
/// an introduction or a clause with a verb, and not in lists, dates, numbers, names of places, or between adjectives; without a mark, only a
/// conjunction that must begin a clause is one.
enum ClauseCut {
    /// The lengths of the part before a cut, in characters, in which it is worth its seam.
    static let early = 9...90
    /// What is left must be worth a piece of its own.
    static let shortestRest = 16

    /// The first place where a sentence may be cut.
    ///
    /// - Parameters:
    ///   - spoken: A sentence in words.
    ///   - range: The lengths that the part before the cut may have, in characters.
    /// - Returns: Both parts, or `nil` when there is no such place.
    static func first(in spoken: String, range: ClosedRange<Int> = early) -> (head: String, tail: String)? {
        let words = spoken.split(separator: " ").map(String.init)
        guard words.count >= 6 else { return nil }
        var length = -1
        for index in words.indices.dropLast() {
            length += words[index].count + 1
            guard length <= range.upperBound else { return nil }
            guard length >= range.lowerBound, index >= 1, spoken.count - length >= shortestRest, isCut(after: index, in: words) else { continue }
            return (words[...index].joined(separator: " "), words[(index + 1)...].joined(separator: " "))
        }
        return nil
    }

    /// Whether a clause ends with this word.
    static func isCut(after index: Int, in words: [String]) -> Bool {
        let word = words[index]
        let next = bare(words[index + 1])
        switch word.last {
        case ";", ":", "—", "–": return true
        case ",": return isClauseComma(at: index, in: words)
        case "\"", "”", ")":
            return word.dropLast().last == ","
        default: break
        }
        guard word.last.map({ $0.isLetter || $0.isNumber }) == true, index >= 2, index + 3 < words.count else { return false }
        let after = bare(words[index + 2])
        if beginners.contains(next) { return blockers.contains(bare(word)) == false }
        if coordinators.contains(next) { return subjects.contains(after) && hasVerb(words[...index]) }
        if timely.contains(next) { return (subjects.contains(after) || articles.contains(after)) && blockers.contains(bare(word)) == false && hasVerb(words[...index]) }
        return false
    }

    private static func isClauseComma(at index: Int, in words: [String]) -> Bool {
        let before = bare(words[index])
        let nextWord = words[index + 1]
        let next = bare(nextWord)
        // Dates, numbers and telephone numbers; "Paris, France".
        if isNumeric(before), numbers.contains(next) || next == "nineteen" || next == "twenty" { return false }
        if words[index].first?.isUppercase == true, index > 0, nextWord.first?.isUppercase == true, pronouns.contains(next) == false { return false }
        // Adjectives: "a big, red ball", "very old, very tired".
        if index > 0, determiners.contains(bare(words[index - 1])), isLikelyAdjectivePair(before, words, index) { return false }
        if index > 0, words[index - 1].last == "," { return false }
        // Lists: "apples, pears, and plums".
        if isList(after: index, in: words) { return false }
        let isIntroduced = introductions.contains(bare(words[0])) && words[..<index].contains { $0.last == "," && isNumeric(bare($0)) == false } == false
        return isIntroduced || hasVerb(words[...index])
    }

    private static func isNumeric(_ word: String) -> Bool {
        numbers.contains(word) || ordinalEndings.contains { word.hasSuffix($0) }
    }

    private static func isLikelyAdjectivePair(_ word: String, _ words: [String], _ index: Int) -> Bool {
        // A clause that goes on begins with a function word.
        beginners.contains(bare(words[index + 1])) == false && coordinators.contains(bare(words[index + 1])) == false
            && subjects.contains(bare(words[index + 1])) == false && articles.contains(bare(words[index + 1])) == false
    }

    private static func isList(after index: Int, in words: [String]) -> Bool {
        if ["and", "or"].contains(bare(words[index + 1])) {
            // "…, and it rained" is a clause; "…, and plums" the end of a list.
            return index + 2 < words.count ? subjects.contains(bare(words[index + 2])) == false && hasVerb(words[(index + 2)...].prefix(5)) == false : true
        }
        for distance in 1...4 where index + distance < words.count {
            let word = words[index + distance]
            if distance > 1, ["and", "or"].contains(bare(word)) {
                // Two items without a verb between: a list.
                return hasVerb(words[(index + 1)..<(index + distance)]) == false && subjects.contains(bare(words[index + 1])) == false
            }
            if word.last == "," {
                return hasVerb(words[(index + 1)...(index + distance)]) == false && subjects.contains(bare(words[index + 1])) == false
            }
            if word.last == "." { return false }
        }
        return false
    }

    private static func hasVerb(_ words: some Sequence<String>) -> Bool {
        words.contains { word in
            let word = bare(word)
            return verbs.contains(word) || (word.count > 4 && word.hasSuffix("ed")) || word.hasSuffix("n't") || word.hasSuffix("'s") && pronouns.contains(String(word.dropLast(2)))
                || word.hasSuffix("'re") || word.hasSuffix("'ve") || word.hasSuffix("'ll") || word.hasSuffix("'m")
        }
    }

    private static func bare(_ word: String) -> String {
        word.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "'" }
    }

    private static func set(_ words: String) -> Set<String> { Set(words.split(separator: " ").map(String.init)) }

    private static let pronouns = set("i you he she it we they there this that these those who here let that")
    private static let subjects = set("i you he she it we they there then this these those nobody somebody everybody everyone someone nothing")
    private static let articles = set("the a an his her its their our my your no some all each every")
    private static let coordinators = set("and but so yet or nor")
    /// Always the beginning of a clause.
    private static let beginners = set("because although though unless whereas whilst albeit")
    /// The beginning of a clause before a subject or an article.
    private static let timely = set("when while if until once since where before after")
    /// After these such a word belongs to what stands before.
    private static let blockers = set(
        "know knows knew see sees saw ask asks asked wonder wonders wondered tell tells told say says said what even only just not and or as especially exactly partly mainly simply is are was were be of to from like about on by in than")
    private static let determiners = set("a an the his her its their my our your this that these those very so too more most such some no every another quite rather really")
    private static let introductions = set(
        """
        in on at after before when while if although though because since as for by with without from during until once unless despite under over between however therefore thus hence moreover \
        furthermore instead meanwhile finally first second third then next now today yesterday tomorrow sometimes often usually generally actually basically indeed perhaps maybe fortunately \
        unfortunately clearly obviously yes no well so okay of to according besides according otherwise nevertheless still also here there again later earlier recently eventually suddenly ideally note
        """.replacing("\n", with: " "))
    private static let verbs = set(
        """
        is are was were be been am has have had do does did will would can could may might must should shall says said goes went comes came makes made takes took gets got gives gave \
        knows knew thinks thought sees saw finds found keeps kept lets runs ran shows means becomes became begins began leaves left feels felt puts tells told needs uses wants seems works looks \
        rose fell grew stood lay sat met paid sold bought brought held led read wrote spoke spent won lost sent built cut set hit put lies stands rises falls grows contains includes
        """.replacing("\n", with: " "))
    private static let numbers = set(
        """
        zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety \
        hundred thousand million billion point
        """.replacing("\n", with: " "))
    private static let ordinalEndings = ["first", "second", "third", "th"]
}
