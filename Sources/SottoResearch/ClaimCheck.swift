import SottoDocument
public import SottoPassageIndex
import SottoText

/// Puts drafted claims through every rule: support by a passage, addressed to people, relevant to the question.
///
/// Pure: what it is given decides. The model's own judgement comes after it.
public struct ClaimCheck: Sendable {
    private let question: String
    private let passages: [PassageHit]
    private let support: ClaimSupport
    private let relevance: AnswerRelevance
    /// The words of the question, of each passage as the model saw it, and of all passages: every claim asks about them.
    private let asked: WordForms
    private let stated: [WordForms]
    private let read: WordForms

    /// - Parameters:
    ///   - passages: As the model saw them, screened, in order.
    ///   - focus: See ``AnswerRelevance/focus``.
    public init(question: String, passages: [PassageHit], focus: Set<String>, support: ClaimSupport = ClaimSupport()) {
        self.question = question
        self.passages = passages
        self.support = support
        relevance = AnswerRelevance(focus: focus)
        asked = WordForms(question)
        stated = passages.enumerated().map { WordForms(Prompts.block($1, number: $0 + 1)) }
        read = WordForms(stated)
    }

    /// The claims with their verdicts, a sentence each: small models copy whole paragraphs, and each sentence has its own truth.
    ///
    /// A sentence that leans on the one before it ("This set can be changed …") stays with it. Empty and repeated ones are gone.
    public func check(_ draft: ClaimDraft) -> [ResearchStep.CheckedClaim] {
        var seen: Set<[String]> = []
        var claims: [ResearchStep.CheckedClaim] = []
        for claim in draft.claims {
            let named = claim.sources.filter { passages.indices.contains($0 - 1) }
            for unit in Self.units(of: Self.plain(claim.text)) {
                let text = unit.joined(separator: " ")
                guard text.contains(where: \.isLetter), seen.insert(Terms.content(text)).inserted else { continue }
                let whole = check(text, named: named)
                // What leans on a sentence must not pull it down.
                if whole.isSupported == false, unit.count > 1, seen.insert(Terms.content(unit[0])).inserted {
                    let first = check(unit[0], named: named)
                    claims.append(first.isSupported ? first : whole)
                } else {
                    claims.append(whole)
                }
            }
        }
        for later in claims.indices where claims[later].isSupported {
            guard let earlier = claims.indices.first(where: { $0 < later && claims[$0].isSupported && Self.contradict(claims[$0].text, claims[later].text) })
            else { continue }
            claims[later].isSupported = false
            claims[later].reason = "it contradicts claim \(earlier + 1)"
        }
        return claims
    }

    /// Whether two sentences are the same but for one number each: "survives one failed disk", "survives two failed disks".
    static func contradict(_ left: String, _ right: String) -> Bool {
        let (first, second) = (parted(left, number: WordForms.number), parted(right, number: WordForms.number))
        return first.words == second.words && first.words.count >= 3 && first.numbers.count == 1 && second.numbers.count == 1
            && first.numbers != second.numbers
    }

    /// The numbers of a text and the stems of its other content words.
    private static func parted(_ text: String, number: (String) -> String?) -> (numbers: Set<String>, words: Set<String>) {
        var numbers: Set<String> = []
        var words: Set<String> = []
        for token in Terms.content(text) {
            if let number = number(token) { numbers.insert(number) } else { words.insert(Terms.stem(token)) }
        }
        return (numbers, words)
    }

    /// Sentences of the passages that may answer by themselves, word for word: for when nothing that was drafted stands.
    public func extracts(limit: Int) -> [ResearchStep.CheckedClaim] {
        ExtractiveDigest.sentences(question: question, passages: passages, limit: limit * 3)
            .filter { Self.leansBack($0.text) == false && $0.text.count <= 400 }
            .lazy.compactMap { copied($0.text, from: $0.passage) }.prefix(limit).map { $0 }
    }

    /// A sentence of a passage as a claim; `nil` when it does not stand the checks.
    private func copied(_ sentence: String, from passage: Int) -> ResearchStep.CheckedClaim? {
        var claim = check(Self.plain(sentence), named: [passage])
        guard claim.isSupported else { return nil }
        claim.reason = "copied word for word"
        return claim
    }

    /// A sentence of the passages that has what a part of the question asks for and no claim has, such as how often; `nil` when there is none.
    ///
    /// Of all such sentences it is the one that shares most words with the question and the claims.
    public func completion(of claims: [ResearchStep.CheckedClaim]) -> ResearchStep.CheckedClaim? {
        let texts = claims.filter(\.isSupported).map(\.text)
        let unmet = ExpectedAnswer.kinds(of: question).filter { kind in kind != .anything && texts.contains(where: kind.isMet) == false }
        guard unmet.isEmpty == false, texts.isEmpty == false else { return nil }
        let wanted = Set((Terms.content(question) + texts.flatMap { Terms.content($0) }).map(Terms.stem))
        var best: (text: String, passage: Int, shared: Int)?
        for (place, passage) in passages.enumerated() {
            for sentence in SentenceSplitter.sentences(passage.passage.text) where sentence.count <= 400 && unmet.contains(where: { $0.isMet(by: sentence) }) {
                let shared = Set(Terms.content(sentence).map(Terms.stem)).intersection(wanted).count
                if shared >= 4, shared > best?.shared ?? 0 { best = (sentence, place + 1, shared) }
            }
        }
        return best.flatMap { copied($0.text, from: $0.passage) }
    }

    /// Sentences, each with those that lean on it.
    static func units(of text: String) -> [[String]] {
        var units: [[String]] = []
        var sentences = SentenceSplitter.sentences(text)
        // A text that ran into its length limit ends in the middle of a sentence.
        if sentences.count > 1, let end = sentences.last?.last, end.isLetter || end.isNumber || ",;:-–(".contains(end) { sentences.removeLast() }
        for sentence in sentences {
            if let last = units.last, last.count < 3, leansBack(sentence) { units[units.count - 1].append(sentence) } else { units.append([sentence]) }
        }
        return units
    }

    /// Whether a sentence begins with a word that points back.
    static func leansBack(_ sentence: String) -> Bool {
        guard let first = Terms.tokens(sentence).first else { return true }
        return [
            "it", "its", "this", "that", "these", "those", "they", "their", "them", "he", "she", "his", "her", "such", "furthermore", "moreover", "also",
            "however", "therefore", "thus", "then", "both", "otherwise", "instead", "similarly", "consequently", "besides", "additionally",
        ].contains(first)
    }

    private func check(_ text: String, named: [Int]) -> ResearchStep.CheckedClaim {
        func verdict(_ passages: [Int], _ isSupported: Bool, _ reason: String) -> ResearchStep.CheckedClaim {
            ResearchStep.CheckedClaim(text: text, passages: passages, isSupported: isSupported, reason: reason)
        }
        if let reason = ReaderAddressed.reason(text) { return verdict(named, false, "not for people: \(reason)") }
        let findings = stated.map { support.check(claim: text, passage: $0, question: asked, surroundings: read) }
        var holding = named.filter { findings[$0 - 1].isSupported }
        var note = ""
        if holding.isEmpty, let best = findings.indices.filter({ findings[$0].isSupported }).max(by: { findings[$0].overlap < findings[$1].overlap }) {
            holding = [best + 1]
            note = "the model named another passage"
        }
        guard holding.isEmpty == false else {
            let missing = named.map { findings[$0 - 1] }.max { $0.overlap < $1.overlap }?.missing ?? []
            return verdict(
                named, false, missing.isEmpty ? "its words are not the passage's" : "not in the passage: " + missing.joined(separator: ", "))
        }
        let stating = WordForms(holding.map { stated[$0 - 1] })
        if let objection = relevance.objection(to: text, question: question, asked: asked, stated: stating, read: read) {
            return verdict(named, false, objection)
        }
        // The asker's own names ("… on Debian") need not stand where the answer does; a passage of the same source that holds them is cited too.
        let absent = holding.map { Set(findings[$0 - 1].elsewhere) }.reduce(nil as Set<String>?) { $0?.intersection($1) ?? $1 } ?? []
        for name in absent.sorted() {
            guard holding.contains(where: { stated[$0 - 1].holds(name) }) == false else { continue }
            let home = passages[holding[0] - 1].location
            guard let place = passages.indices.first(where: { passages[$0].location == home && stated[$0].holds(name) }) else { continue }
            holding.append(place + 1)
        }
        return verdict(holding, true, note)
    }

    /// One line, without marks that look like citations: references are made by code.
    static func plain(_ text: String) -> String {
        text.replacing(/\s*[\(\[]\s*(?:source|passage)?s?\s*\[?\d+(?:\s*,\s*\d+)*\]?\s*[\)\]]/.ignoresCase(), with: "")
            .filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format && $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t" } }
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Sentences of other sources that say the same as a claim but for its numbers.
    ///
    /// Only what is nearly word for word counts: every content word but numbers, four at least, and another number where the claim has one.
    public func conflicts(with claims: [ResearchStep.CheckedClaim]) -> [ResearchStep.Conflict] {
        func figures(_ token: String) -> String? { Terms.isNumber(token) ? token : nil }
        var found: [ResearchStep.Conflict] = []
        for (index, claim) in claims.enumerated() where claim.isSupported {
            let ours = Self.parted(claim.text, number: figures)
            guard ours.numbers.isEmpty == false, ours.words.count >= 4 else { continue }
            let homes = Set(claim.passages.map { passages[$0 - 1].location })
            for place in passages.indices where homes.contains(passages[place].location) == false {
                for sentence in SentenceSplitter.sentences(passages[place].passage.text) {
                    let theirs = Self.parted(sentence, number: figures)
                    guard theirs.numbers.isEmpty == false, theirs.numbers.isDisjoint(with: ours.numbers), ours.words.isSubset(of: theirs.words) else { continue }
                    found.append(ResearchStep.Conflict(claim: index, passage: place + 1, sentence: sentence))
                }
            }
        }
        return found
    }
}
