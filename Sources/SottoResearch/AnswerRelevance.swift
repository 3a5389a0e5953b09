import SottoText

/// Tells by rule whether a claim can be an answer to a question, whatever its truth.
///
/// It rules out and never in: what passes is still put to a judging pass of the model.
public struct AnswerRelevance: Sendable {
    /// What the question is about by name, such as `podman`, `dell`, `debian 14`: somewhere in what was read each must occur.
    public var focus: Set<String>

    /// - Parameter focus: Lower-case words; see ``QuestionFocus``.
    public init(focus: Set<String> = []) {
        self.focus = focus
    }

    /// Why the claim is no answer; `nil` when nothing speaks against it.
    ///
    /// - Parameters:
    ///   - claim: One sentence.
    ///   - question: As the asker put it.
    ///   - passage: What states the claim; only words that it holds are news.
    ///   - surroundings: Everything that was read, titles and headings among it.
    public func objection(to claim: String, question: String, passage: String, surroundings: String) -> String? {
        objection(to: claim, question: question, asked: WordForms(question), stated: WordForms(passage), read: WordForms(surroundings))
    }

    /// The same for texts whose words were taken before.
    func objection(to claim: String, question: String, asked: WordForms, stated: WordForms, read: WordForms) -> String? {
        if let unread = focus.sorted().first(where: { read.names($0) == false }) {
            return "nothing that was read mentions “\(unread)”"
        }
        let expected = ExpectedAnswer(question)
        if expected.isMet(by: claim) == false { return "it lacks what was asked for: \(Self.name(expected))" }
        guard Self.wantsYesOrNo(question) || Self.saysSomethingNew(claim, question: question, asked: asked, stated: stated) else {
            return "it only repeats the question"
        }
        return nil
    }

    /// Whether the claim has a content word of its passage that is not one of the question's in another form ("administrator",
    /// "administrative").
    private static func saysSomethingNew(_ claim: String, question: String, asked: WordForms, stated: WordForms) -> Bool {
        let askedStems = Terms.content(question).map(Terms.stem)
        return Terms.content(claim).contains { word in
            guard asked.holds(word) == false, stated.holds(word) else { return false }
            if word.contains(where: { $0.isLetter == false }) { return true }
            let stem = Terms.stem(word)
            return askedStems.contains { Self.isSameFamily(stem, $0) } == false
        }
    }

    /// Two words of one family share their first six letters, and those are most of the shorter one.
    static func isSameFamily(_ left: String, _ right: String) -> Bool {
        let shared = zip(left, right).prefix { $0 == $1 }.count
        return shared >= 6 && shared * 4 >= min(left.count, right.count) * 3
    }

    private static func wantsYesOrNo(_ question: String) -> Bool {
        guard let first = Terms.tokens(question).first else { return false }
        return ["is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "must", "should", "will", "has", "have", "had"].contains(first)
    }

    private static func name(_ expected: ExpectedAnswer) -> String {
        switch expected {
        case .money: "an amount of money"
        case .quantity: "a number or a date"
        case .frequency: "how often"
        case .person: "a name"
        case .anything: "an answer"
        }
    }
}
