import SottoText

/// What kind of thing a question asks for, as far as its wording tells.
///
/// A claim that lacks it answers something else, however true it is: asked for a temperature, a sentence without a number is no answer.
public enum ExpectedAnswer: Sendable, Equatable {
    /// How many, how much, which price, port, year.
    case quantity
    /// What something costs, is worth, earns: an amount with its currency.
    case money
    /// How often, how frequently.
    case frequency
    /// Who: a name.
    case person
    case anything

    public init(_ question: String) {
        let words = Terms.tokens(question)
        func has(_ phrase: String) -> Bool {
            let parts = phrase.split(separator: " ").map(String.init)
            guard words.count >= parts.count else { return false }
            return (0...(words.count - parts.count)).contains { Array(words[$0..<($0 + parts.count)]) == parts }
        }
        // A question of two parts is answered part by part; no single claim must have what one part asks for.
        if Self.parts(of: question) > 1 {
            self = .anything
        } else if has("how often") || has("how frequently") {
            self = .frequency
        } else if Self.asksForMoney(words) {
            self = .money
        } else if has("how many") || has("how much") || has("how old") || has("how long") || has("how far") || has("how tall") || has("how high") || has("what date")
            || has("which date") || has("what year") || has("which year") || words.first == "when"
        {
            self = .quantity
        } else if let first = words.first, ["what", "which"].contains(first), Self.asksForNumber(words) {
            self = .quantity
        } else if words.first == "who", words.dropFirst().first.map({ ["is", "was", "were", "are", "won", "wrote", "founded", "leads", "led", "created", "invented"].contains($0) }) == true {
            self = .person
        } else {
            self = .anything
        }
    }

    /// How many things are asked: "what does it do, and how often?" asks two.
    static func parts(of question: String) -> Int { kinds(of: question).count }

    /// What each part of a question asks for, in order.
    static func kinds(of question: String) -> [ExpectedAnswer] {
        var parts: [[Substring]] = [[]]
        for span in Terms.spans(question) {
            let isAsking = ["what", "which", "who", "how", "when", "where", "why"].contains(span.lowercased())
            if isAsking, let last = parts[parts.count - 1].last, ["and", "or"].contains(last.lowercased()) {
                parts[parts.count - 1].removeLast()
                parts.append([])
            }
            parts[parts.count - 1].append(span)
        }
        let texts = parts.filter { $0.isEmpty == false }.map { $0.joined(separator: " ") }
        return texts.count > 1 ? texts.map { ExpectedAnswer($0) } : [.anything]
    }

    /// Whether a text holds such a thing at all.
    public func isMet(by claim: String) -> Bool {
        let spans = Terms.spans(claim).map(String.init)
        let words = spans.map { $0.lowercased() }
        switch self {
        case .anything: return true
        case .quantity: return words.contains { Self.isQuantity($0) }
        case .money: return claim.contains { "$€£¥₹₩¢".contains($0) } || words.contains { Self.currencies.contains(Terms.stem($0)) }
        // "Each package" is no time: "each" and "every" count by the unit that they stand before.
        case .frequency: return words.contains { Self.often.contains($0) || Self.units.contains(Terms.stem($0)) }
        case .person: return spans.contains { $0.contains(where: \.isUppercase) }
        }
    }

    /// "What is the price of …", "which monthly fee …": the head noun decides, and it stands before the first "of", "for",
    /// "does", "is" or "the" that follows it.
    private static func asksForNumber(_ words: [String]) -> Bool {
        let rest = words.dropFirst().drop { ["is", "was", "are", "were", "the", "a", "an", "does", "did"].contains($0) }
        let head = rest.prefix { ["of", "for", "is", "was", "are", "does", "do", "did", "has", "have", "at", "in", "on", "that", "which", "can", "to", "the", "a", "an"].contains($0) == false }
        guard let noun = head.last.map(Terms.stem) else { return false }
        return measures.contains(noun) || (noun == Terms.stem("number") && head.contains("port") == false && head.contains("version") == false)
    }

    /// "How much does … cost", "what is … worth", "what salary does …", "how much are the tickets", "how many euros".
    private static func asksForMoney(_ words: [String]) -> Bool {
        guard words.count > 2, let first = words.first else { return false }
        let isHowMuch = first == "how" && ["much", "many"].contains(words.dropFirst().first ?? "")
        guard isHowMuch || ["what", "which"].contains(first) else { return false }
        let stems = words.map(Terms.stem)
        if isHowMuch, stems.contains(where: currencies.contains) { return true }
        // "How many people pay" asks for people.
        if words[1] == "much", stems.contains(where: { ["money", "ticket", "pay", "paid", "earn", "rent"].map(Terms.stem).contains($0) }) { return true }
        // Asked of a thing that costs something, "which" asks for the thing; and "worth reading" is no price.
        let costs = ["cost", "price", "priced"].map(Terms.stem)
        let isWorth = words.firstIndex(of: "worth").map { $0 + 1 == words.count || words[$0 + 1].hasSuffix("ing") == false } ?? false
        if words[1] == "much" || first == "what", isWorth || stems.dropFirst().contains(where: costs.contains) { return true }
        return stems.dropFirst().prefix(3).contains { ["salary", "wage", "fee", "rent"].map(Terms.stem).contains($0) }
    }

    private static let currencies = Set(
        ["dollar", "euro", "pound", "cent", "yen", "rupee", "yuan", "franc", "krona", "zloty", "rs", "usd", "eur", "gbp", "chf", "free"].map(Terms.stem))

    private static let measures: Set<String> = Set(
        """
        price cost fee salary wage discount temperature speed weight height length width depth distance age duration percentage population
        amount frequency voltage capacity date year port score rate
        """.split(whereSeparator: \.isWhitespace).map { Terms.stem(String($0)) })

    private static let often: Set<String> = [
        "daily", "weekly", "monthly", "yearly", "annually", "hourly", "once", "twice", "always", "never", "constantly", "continuously", "regularly", "nightly",
        "biannually", "quarterly", "seldom", "often", "rarely", "periodically",
    ]

    private static let units = Set(["second", "minute", "hour", "day", "night", "week", "weekday", "month", "quarter", "year", "decade"].map(Terms.stem))

    private static func isQuantity(_ word: String) -> Bool {
        word.contains(where: \.isNumber) || numbers.contains(word)
    }

    private static let numbers: Set<String> = Set(
        """
        zero no none one single two both three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
        nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion dozen half third
        quarter january february march april june july august september october november december monday tuesday wednesday thursday friday
        saturday sunday today yesterday tomorrow free unlimited several many
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
