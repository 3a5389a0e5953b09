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
    private let alignments: [SourceAlignment]
    /// For each passage, the stems of its content words.
    private let stems: [Set<String>]
    private let expected: ExpectedAnswer
    /// For each passage, the words of all passages of its document.
    private let documents: [WordForms]

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
        alignments = passages.map(SourceAlignment.init)
        let members = Dictionary(grouping: passages.indices) { passages[$0].location }.mapValues { [stated] in WordForms($0.map { stated[$0] }) }
        stems = passages.map { Set(Terms.content($0.passage.text).map(Terms.stem)) }
        expected = ExpectedAnswer(question)
        documents = passages.map { members[$0.location] ?? WordForms("") }
    }

    /// A claim with the passage and the sentence that it rests on, where one was found.
    private struct Verdict {
        var claim: ResearchStep.CheckedClaim
        var ground: Ground?
    }

    private struct Ground: Hashable {
        var passage: Int
        var sentence: Int
    }

    /// The claims with their verdicts, a sentence each: small models copy whole paragraphs, and each sentence has its own truth.
    ///
    /// A sentence that leans on the one before it ("This set can be changed …") stays with it. Empty and repeated ones are gone.
    /// One that departs from its source's sentence is replaced by that sentence, unless another claim rests on it already.
    public func check(_ draft: ClaimDraft) -> [ResearchStep.CheckedClaim] {
        var seen: Set<[String]> = []
        var verdicts: [Verdict] = []
        for claim in draft.claims {
            let named = claim.sources.filter { passages.indices.contains($0 - 1) }
            for unit in Self.units(of: Self.plain(claim.text)) {
                let text = unit.joined(separator: " ")
                guard text.contains(where: \.isLetter), seen.insert(Terms.content(text)).inserted else { continue }
                let whole = check(text, named: named)
                // What leans on a sentence must not pull it down.
                if whole.claim.isSupported == false, unit.count > 1, seen.insert(Terms.content(unit[0])).inserted {
                    let first = check(unit[0], named: named)
                    verdicts.append(first.claim.isSupported || first.ground != nil ? first : whole)
                } else {
                    verdicts.append(whole)
                }
            }
        }
        for place in verdicts.indices where verdicts[place].claim.isSupported == false {
            guard let ground = verdicts[place].ground, verdicts.contains(where: { $0.claim.isSupported && $0.ground == ground }) == false,
                let quoted = quoted(ground, insteadOf: verdicts[place].claim), seen.insert(Terms.content(quoted.text)).inserted
            else { continue }
            verdicts[place].claim = quoted
        }
        // A sentence is quoted with what it points back to, which another claim may have been replaced by.
        for place in verdicts.indices where verdicts[place].claim.isSupported {
            let text = verdicts[place].claim.text
            let isHeld = verdicts.indices.contains { other in
                let claim = verdicts[other].claim
                guard other != place, claim.isSupported else { return false }
                if claim.text.count > text.count, claim.text.contains(text) { return true }
                return Self.says(claim.text, allOf: text, andMore: other > place)
            }
            guard isHeld else { continue }
            verdicts[place].claim.isSupported = false
            verdicts[place].claim.reason = "another claim holds it"
        }
        return verdicts.map(\.claim)
    }

    /// Whether one sentence has every word with meaning of another, and denies as it does: small models write the same thing twice.
    private static func says(_ whole: String, allOf part: String, andMore: Bool) -> Bool {
        let (larger, smaller) = (Set(Terms.content(whole).map(Terms.stem)), Set(Terms.content(part).map(Terms.stem)))
        guard smaller.count >= 3, smaller.isSubset(of: larger), andMore == false || smaller.count < larger.count else { return false }
        let denials: Set<String> = ["not", "no", "never", "without", "cannot", "only"]
        return denials.intersection(Terms.tokens(whole)) == denials.intersection(Terms.tokens(part))
    }

    /// The claims without those that contradict one before them; the surest stands first when this is asked.
    public func settled(_ claims: [ResearchStep.CheckedClaim]) -> [ResearchStep.CheckedClaim] {
        var claims = claims
        for later in claims.indices where claims[later].isSupported {
            guard let earlier = claims[..<later].first(where: { $0.isSupported && Self.contradict($0.text, claims[later].text) }) else { continue }
            claims[later].isSupported = false
            claims[later].reason = "it contradicts a surer claim: “\(earlier.text)”"
        }
        return claims
    }

    /// The share of the question's content words that nothing that was read holds, from 0 to 1.
    ///
    /// What sources never speak of they can hardly answer: a "tablet", a "salary". What the question says of the source itself ("does the
    /// book suggest") is not counted, and nothing is when no passage is in the question's language.
    public func unreadShare(language: String) -> Double {
        let asked = LanguageTag.primary(of: language)
        guard passages.contains(where: { $0.language.isEmpty || LanguageTag.primary(of: $0.language) == asked }) else { return 0 }
        let words = Set(Terms.content(question)).filter { Self.aboutSources.contains($0) == false && WordForms.number($0) == nil }
        guard words.isEmpty == false else { return 0 }
        return Double(words.count { read.holds($0) == false }) / Double(words.count)
    }

    /// They say little by themselves.
    private static let lightVerbs: Set<String> = [
        "uses", "make", "makes", "made", "take", "takes", "took", "taken", "give", "gives", "given", "gets", "got", "become", "became", "becomes", "put", "puts",
    ]

    /// What a source names it names; what it recommends, and what its authors did, it must say.
    private static let advice: Set<String> = ["author", "authors", "suggest", "suggests", "suggested", "recommend", "recommends", "recommended"]

    private static let aboutSources: Set<String> = [
        "book", "handbook", "manual", "text", "document", "documents", "documentation", "page", "article", "source", "sources", "passage", "passages", "author",
        "authors", "according", "suggest", "suggests", "suggested", "recommend", "recommends", "recommended", "mention", "mentions", "mentioned", "say", "says",
        "said", "tell", "tells", "told", "name", "names", "named", "describe", "describes", "described", "list", "lists", "explain", "explains", "explained",
        "state", "states", "stated", "cannot", "often", "step", "please", "want", "need",
    ]

    /// Whether two sentences are the same but for one number each: "survives one failed disk", "survives two failed disks".
    static func contradict(_ left: String, _ right: String) -> Bool {
        let (first, second) = (parted(left, number: WordForms.quantity), parted(right, number: WordForms.quantity))
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
            .filter { Self.leansBack($0.text) == false && $0.text.count <= Self.longestExtract }
            .lazy.compactMap { copied($0.text, from: $0.passage) }.prefix(limit).map { $0 }
    }

    /// Characters of a sentence that nobody drafted as an answer.
    private static let longestExtract = 400
    /// Characters. A longer sentence of a passage is no answer, even when it holds one.
    private static let longestQuotation = 500

    /// A sentence of a passage as a claim; `nil` when it does not stand the checks.
    private func copied(_ sentence: String, from passage: Int) -> ResearchStep.CheckedClaim? {
        var claim = check(Self.plain(sentence), named: [passage], isQuotation: true).claim
        guard claim.isSupported else { return nil }
        claim.reason = "copied word for word"
        return claim
    }

    /// The sentence that a drafted claim departs from, with what that one points back to.
    private func quoted(_ ground: Ground, insteadOf claim: ResearchStep.CheckedClaim) -> ResearchStep.CheckedClaim? {
        let text = alignments[ground.passage - 1].quotation(of: ground.sentence)
        guard text.count <= Self.longestQuotation, var quoted = copied(text, from: ground.passage) else { return nil }
        quoted.reason = "copied word for word; of the drafted claim: \(claim.reason)"
        return quoted
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
            for sentence in SentenceSplitter.sentences(passage.passage.text) where sentence.count <= Self.longestQuotation && unmet.contains(where: { $0.isMet(by: sentence) }) {
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
        let tokens = Terms.tokens(sentence)
        guard let first = tokens.first else { return true }
        // "In this case …", "For that purpose …".
        if tokens.count > 1, ["in", "at", "for", "with", "under", "by", "on", "to", "from", "as", "after", "before"].contains(first),
            ["this", "that", "these", "those", "such"].contains(tokens[1])
        { return true }
        if tokens.count > 1, first == "the" {
            if ["former", "latter", "same", "other", "others"].contains(tokens[1]) { return true }
            if tokens.count > 2, ["one", "ones"].contains(tokens[2]) { return true }
        }
        return [
            "it", "its", "this", "that", "these", "those", "they", "their", "them", "he", "she", "his", "her", "such", "furthermore", "moreover", "also",
            "however", "therefore", "thus", "then", "both", "otherwise", "instead", "similarly", "consequently", "besides", "additionally",
        ].contains(first)
    }

    private func check(_ text: String, named: [Int], isQuotation: Bool = false) -> Verdict {
        func verdict(_ passages: [Int], _ isSupported: Bool, _ reason: String, _ ground: Ground? = nil) -> Verdict {
            Verdict(claim: .init(text: text, passages: passages, isSupported: isSupported, reason: reason), ground: ground)
        }
        if let reason = ReaderAddressed.reason(text) { return verdict(named, false, "not for people: \(reason)") }
        // A name of the asker's may stand elsewhere in the same document; what another document says of it is not said here.
        let findings = stated.indices.map { support.check(claim: text, passage: stated[$0], question: asked, surroundings: documents[$0]) }
        let holding = findings.indices.filter { findings[$0].isSupported && share(of: text, in: $0 + 1) >= 0.5 }.map { $0 + 1 }
        guard holding.isEmpty == false else {
            let missing = named.map { findings[$0 - 1] }.max { $0.overlap < $1.overlap }?.missing ?? []
            return verdict(
                named, false, missing.isEmpty ? "its words are not the passage's" : "not in the passage: " + missing.joined(separator: ", "))
        }
        // What is quoted is its own sentence.
        var grounds: [Int: SourceAlignment.Finding] = [:]
        if isQuotation == false {
            for place in holding {
                grounds[place] = ground(of: text, in: place)
                if let word = borrowed(text, in: place, besides: findings[place - 1].elsewhere) {
                    grounds[place]?.departure = "“\(word)” is the question's word, not the passage's"
                }
            }
        }
        let keeping = holding.filter { place in
            if isQuotation { return named.contains(place) }
            guard let found = grounds[place] else { return false }
            return found.departure == nil
        }
        let likely = holding.max { findings[$0 - 1].overlap < findings[$1 - 1].overlap } ?? holding[0]
        guard keeping.isEmpty == false else {
            let place = named.first(where: holding.contains) ?? likely
            guard let found = grounds[place] else { return verdict(named, false, "its words are not the passage's") }
            if let objection = relevance.objection(to: text, question: question, asked: asked, stated: stated[place - 1], read: read) {
                return verdict(named, false, objection)
            }
            if let name = strangeName(to: place) { return verdict(named, false, "its source does not mention “\(name)”") }
            return verdict([place], false, found.departure ?? "", found.isNear ? Ground(passage: place, sentence: found.sentence) : nil)
        }
        // Of several passages that were named, those that state it about as fully as the best, in one sentence and in all.
        func held(_ place: Int) -> Double { (grounds[place]?.held ?? 1) + share(of: text, in: place) }
        let fullest = keeping.map(held).max() ?? 1
        var cited = named.filter { keeping.contains($0) && held($0) >= fullest * 0.75 }
        var note = ""
        if cited.isEmpty, let best = keeping.max(by: { findings[$0 - 1].overlap < findings[$1 - 1].overlap }) {
            cited = [best]
            note = "the model named another passage"
        }
        let ground = grounds[cited[0]].map { Ground(passage: cited[0], sentence: $0.sentence) }
        let stating = WordForms(cited.map { stated[$0 - 1] })
        if let objection = relevance.objection(to: text, question: question, asked: asked, stated: stating, read: read) {
            return verdict(named, false, objection)
        }
        if let name = strangeName(to: cited[0]) { return verdict(named, false, "its source does not mention “\(name)”") }
        // The asker's own names ("… on Debian") need not stand where the answer does; a passage of the same source that holds them is cited too.
        let absent = cited.map { Set(findings[$0 - 1].elsewhere) }.reduce(nil as Set<String>?) { $0?.intersection($1) ?? $1 } ?? []
        for name in absent.sorted() {
            guard cited.contains(where: { stated[$0 - 1].holds(name) }) == false else { continue }
            let home = passages[cited[0] - 1].location
            guard let place = passages.indices.first(where: { passages[$0].location == home && stated[$0].holds(name) }) else { continue }
            cited.append(place + 1)
        }
        return verdict(cited, true, note, ground)
    }

    /// Of what the question is about by name, what the document of a passage lacks, if that is more than half: what is said there of
    /// Ubuntu is no answer about Devuan. A question about two things is answered by documents about one each.
    private func strangeName(to place: Int) -> String? {
        let lacking = relevance.focus.filter { documents[place - 1].names($0) == false }
        return lacking.count * 2 > relevance.focus.count ? lacking.min() : nil
    }

    /// A word that a claim has from the question and that its passage lacks, or everything that was read: asked when something was "released", a small model says so of
    /// what the passage says has "started".
    ///
    /// Asked for a number, a time or a name, since those fit any relation: the answer is in what they are said to be. The asker's names are not meant, nor what is said of the source ("the handbook names").
    private func borrowed(_ text: String, in place: Int, besides names: [String]) -> String? {
        // Any other question may word a thing as its sources do elsewhere.
        let ground = expected == .anything ? read : stated[place - 1]
        return Terms.content(text).first { word in
            asked.holds(word) && ground.holds(word) == false && names.contains(word) == false
                && (Self.aboutSources.contains(word) == false || Self.advice.contains(word)) && Self.lightVerbs.contains(word) == false
                && isSameFamily(word, asIn: place) == false
        }
    }

    /// Whether a passage has a word of the same beginning: "comparing" for "comparison".
    private func isSameFamily(_ word: String, asIn place: Int) -> Bool {
        let stem = Terms.stem(word)
        return stem.count >= 5 && stems[place - 1].contains { AnswerRelevance.isSameFamily(stem, $0) }
    }

    /// The share of a claim's content words, the question's among them, that a passage holds.
    private func share(of text: String, in place: Int) -> Double {
        let words = Terms.content(text)
        return words.isEmpty ? 0 : Double(words.count(where: stated[place - 1].holds)) / Double(words.count)
    }

    /// Where a claim of one sentence or a few rests in a passage. What the first of them rests on counts; none may depart.
    private func ground(of text: String, in place: Int) -> SourceAlignment.Finding? {
        let sentences = SentenceSplitter.sentences(text)
        guard let first = sentences.first, var finding = alignments[place - 1].check(first, asked: asked, read: read) else { return nil }
        for later in sentences.dropFirst() where finding.departure == nil {
            finding.departure = alignments[place - 1].check(later, asked: asked, read: read)?.departure
        }
        return finding
    }

    private static var marks: [Regex<Substring>] {
        [
            /\s*\(\s*(?:(?:source|passage)s?\s*\[?\d+|\[\d+)\]?(?:\s*(?:,|and|&)\s*\[?\d+\]?)*\s*\)/.ignoresCase(),
            /\s*\[\s*(?:(?:source|passage)s?\s*)?\d+(?:\s*,\s*\d+)*\s*\]/.ignoresCase(),
            /\s+\(\d{1,2}\)(?=[.!?]?\s*$)/,
            /\(\s*\)/,
        ]
    }

    /// One line, without marks that look like citations: references are made by code.
    ///
    /// A number in parentheses is one only where it says so or ends the text: "sudoers(5)" is the name of a manual page.
    static func plain(_ text: String) -> String {
        var text = text
        for mark in marks { text.replace(mark, with: "") }
        // Models write "U. S." where the passage has "U.S.".
        text.replace(/\b([A-Z])\. (?=[A-Z]\.)/) { "\($0.1)." }
        return text
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
