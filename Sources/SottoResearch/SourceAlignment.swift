import SottoDocument
import SottoPassageIndex
import SottoText

/// The sentences of one passage, to be compared with claims that are drawn from it.
///
/// A draft goes wrong in few ways that a set of words does not show: it joins two sentences into one that neither says, puts a number
/// to another thing, loses or adds a “not”, a “sometimes”, an “if”. Each is a rule here. A claim that departs from its sentence need
/// not be lost: the sentence itself can be shown in its place.
struct SourceAlignment: Sendable {
    /// How much of what a claim adds to the question must stand in one sentence.
    static let minimumHeld = 0.75
    private let sentences: [Sentence]

    init(_ hit: PassageHit) {
        sentences = SentenceSplitter.sentences(hit.passage.text).map(Sentence.init)
    }

    struct Finding: Sendable, Equatable {
        /// The index of the sentence that the claim keeps to most.
        var sentence: Int
        /// In what the claim departs from it; `nil` when it keeps to it.
        var departure: String?
        /// The share of the claim's words that it holds, the question's among them.
        var held: Double
        /// Whether the sentence is near enough to stand in the claim's place.
        var isNear: Bool
    }

    /// - Parameters:
    ///   - claim: One sentence.
    ///   - asked: The question's words, which the claim may repeat from it and which the sentence need not hold.
    ///   - read: The words of everything that was read: what another sentence brought is no wording of the claim's own.
    /// - Returns: `nil` when the passage has no sentence.
    func check(_ claim: String, asked: WordForms, read: WordForms) -> Finding? {
        let words = Sentence(claim)
        let news = words.content.filter { asked.holds($0) == false }
        // A claim made of the question's words alone is compared by these.
        let wanted = news.isEmpty ? words.content : news
        func held(_ sentence: Sentence) -> Int { wanted.count { sentence.forms.holds($0) } }
        func all(_ sentence: Sentence) -> Int { words.content.count { sentence.forms.holds($0) } }
        guard let best = sentences.indices.max(by: { (held(sentences[$0]), all(sentences[$0]), -$0) < (held(sentences[$1]), all(sentences[$1]), -$1) }) else { return nil }
        let source = sentences[best]
        // What a sentence points back to belongs to it.
        let ground = pointsBack(best) ? WordForms([sentences[best - 1].forms, source.forms]) : source.forms
        let missing = wanted.filter { ground.holds($0) == false }
        let share = wanted.isEmpty ? 1 : 1 - Double(missing.count) / Double(wanted.count)
        let whole = words.content.isEmpty ? 1 : Double(words.content.count { ground.holds($0) }) / Double(words.content.count)
        // One word of its own ("shut" for "closed") is no second sentence; a number or what stands elsewhere is.
        let isParaphrase = missing.count == 1 && whole >= Self.minimumHeld && missing.allSatisfy { read.holds($0) == false && WordForms.quantity($0) == nil }
        let departure = share < Self.minimumHeld && isParaphrase == false ? "it joins what several sentences say" : words.departure(from: source, asked: asked)
        // A draft that ran into its limit copies a passage and answers nothing: neither does its sentence.
        return Finding(sentence: best, departure: words.isCut ? "it is cut off" : departure, held: whole, isNear: share >= 0.5 && words.isCut == false)
    }

    /// A sentence word for word, with those before it that it points back to, two at most.
    func quotation(of index: Int) -> String {
        var first = index
        while index - first < 2, pointsBack(first) { first -= 1 }
        let text = sentences[first...index].map(\.text).joined(separator: " ")
        // The mark of a list's item.
        return text.first.map { "-•*–".contains($0) } == true && text.dropFirst().first == " " ? String(text.dropFirst(2)) : text
    }

    private func pointsBack(_ index: Int) -> Bool {
        index > 0 && ClaimCheck.leansBack(sentences[index].text)
    }
}

/// A sentence with what is compared of it.
private struct Sentence: Sendable {
    let text: String
    /// Lower-case words in order.
    let tokens: [String]
    let content: [String]
    let forms: WordForms

    init(_ text: String) {
        self.text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        tokens = Terms.tokens(text)
        content = tokens.filter { Terms.stopWords.contains($0) == false && Self.prepositions.contains($0) == false }
        forms = WordForms(text)
    }

    /// Whether it is as long as a draft may be and has no end.
    var isCut: Bool {
        guard text.count >= 300, let last = text.last else { return false }
        return last.isLetter || last.isNumber || ",;:-–(".contains(last)
    }

    func departure(from source: Sentence, asked: WordForms) -> String? {
        if let number = misplacedNumber(in: source) { return "“\(number)” counts something else there" }
        let span = source.span(holding: self)
        if Self.count(tokens, Self.negations) % 2 != Self.count(source.tokens[span], Self.negations) % 2 { return "it loses or adds a “not”" }
        if let hedge = source.tokens[span].first(where: Self.hedges.contains), tokens.contains(where: Self.hedges.contains) == false {
            return "it leaves out “\(hedge)”"
        }
        if let absolute = tokens.first(where: { Self.absolutes.contains($0) }), source.tokens.contains(where: Self.absolutes.contains) == false, asked.holds(absolute) == false {
            return "it adds “\(absolute)”"
        }
        if let condition = source.tokens.first(where: Self.strictConditions.contains), tokens.contains(where: Self.conditions.contains) == false {
            return "it leaves out the condition after “\(condition)”"
        }
        if let condition = foreignCondition(source, asked: asked) { return "it adds the condition after “\(condition)”" }
        return isInOrder(source) ? nil : "it puts the words in another order"
    }

    /// A number of this sentence that stands before another word than it does in the source: "N+1 disks" for "one disk (of the N+1)".
    private func misplacedNumber(in source: Sentence) -> String? {
        for (place, token) in tokens.enumerated() where WordForms.quantity(token) != nil {
            let counted = Self.following(place, in: tokens)
            let homes = source.tokens.indices.filter { WordForms.quantity(source.tokens[$0]) == WordForms.quantity(token) }
            // What the sentence does not hold at all is the other rules' matter.
            guard counted.isEmpty == false, homes.isEmpty == false else { continue }
            let isRight = homes.contains { home in
                let there = WordForms(Self.following(home, in: source.tokens, limit: 4).joined(separator: " "))
                return counted.contains(where: there.holds)
            }
            if isRight == false { return token }
        }
        return nil
    }

    /// The content words right behind a place, up to the first function word.
    private static func following(_ place: Int, in tokens: [String], limit: Int = 2) -> [String] {
        Array(tokens[(place + 1)...].prefix { Terms.stopWords.contains($0) == false && WordForms.quantity($0) == nil }.prefix(limit))
    }

    /// Where the words of a claim stand in this sentence, with one word before them.
    func span(holding claim: Sentence) -> Range<Int> {
        let places = tokens.indices.filter { Terms.stopWords.contains(tokens[$0]) == false && claim.forms.holds(tokens[$0]) }
        guard let first = places.first, let last = places.last else { return 0..<0 }
        return max(0, first - 1)..<(last + 1)
    }

    /// A condition of this sentence that the source does not make: neither its own words nor the question's stand behind it there.
    private func foreignCondition(_ source: Sentence, asked: WordForms) -> String? {
        for (place, token) in tokens.enumerated() where Self.conditions.contains(token) {
            let behind = tokens[(place + 1)...].filter { Terms.stopWords.contains($0) == false }.prefix(3)
            guard let first = behind.first, asked.holds(first) == false else { continue }
            let isMade = source.tokens.indices.contains { home in
                guard Self.conditions.contains(source.tokens[home]) else { return false }
                let there = source.tokens[(home + 1)...].filter { Terms.stopWords.contains($0) == false }.prefix(5)
                return behind.contains(where: WordForms(there.joined(separator: " ")).holds)
            }
            if isMade == false { return token }
        }
        return nil
    }

    /// Whether at least half of the shared content words come in the source's order; what is fewer than four words has none.
    private func isInOrder(_ source: Sentence) -> Bool {
        let theirs = source.content.map(Terms.stem)
        let ours = content.map(Terms.stem).filter(theirs.contains)
        guard ours.count >= 4 else { return true }
        var row = [Int](repeating: 0, count: theirs.count + 1)
        for word in ours {
            var diagonal = 0
            for column in theirs.indices {
                let above = row[column + 1]
                row[column + 1] = word == theirs[column] ? diagonal + 1 : max(above, row[column])
                diagonal = above
            }
        }
        return row[theirs.count] * 2 >= ours.count
    }

    private static func count(_ tokens: some Sequence<String>, _ words: Set<String>) -> Int {
        tokens.count { words.contains($0) || words.contains("n't") && $0.hasSuffix("n't") }
    }

    private static let negations: Set<String> = [
        "not", "no", "never", "without", "cannot", "n't", "neither", "nor", "none", "nobody", "nothing", "unable", "impossible", "nowhere", "hardly",
    ]
    /// Those that are no stop words of the search.
    private static let prepositions: Set<String> = [
        "against", "among", "across", "along", "around", "toward", "towards", "via", "per", "upon", "besides", "behind", "beyond", "onto", "inside", "outside",
    ]
    private static let hedges: Set<String> = [
        "may", "might", "sometimes", "usually", "often", "generally", "normally", "typically", "possibly", "probably", "perhaps", "maybe", "rarely", "seldom",
        "almost", "nearly", "partly", "some", "unless", "except", "planned", "proposed", "supposedly", "allegedly", "reportedly", "mostly", "unlikely",
    ]
    private static let absolutes: Set<String> = ["always", "all", "every", "only", "must", "guaranteed", "entirely", "completely", "exclusively", "never"]
    private static let strictConditions: Set<String> = ["if", "unless", "provided", "providing", "assuming"]
    private static let conditions: Set<String> = strictConditions.union([
        "when", "whenever", "until", "till", "after", "before", "while", "once", "because", "since",
    ])
}
