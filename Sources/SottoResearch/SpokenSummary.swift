import SottoText

/// Makes and checks the text that is read aloud.
public enum SpokenSummary {
    /// The summary that needs no model: the claims themselves, three at most.
    ///
    /// - Parameter language: BCP 47 tag of the task; the fixed sentences are in it, or in English.
    public static func composed(status: ResearchResult.Status, claims: [String], gaps: [String], language: String = "en") -> String {
        let words = Phrasebook(language)
        switch status {
        case .nothingFound: return words.spokenNothingFound
        case .notAnswered: return words.spokenNotAnswered
        case .stopped: return words.spokenStopped
        case .digest:
            guard let first = claims.first else { return words.spokenDigestEmpty }
            return words.spokenDigest + " " + sentence(first)
        case .answered: return claims.prefix(3).map(sentence).joined(separator: " ")
        }
    }

    /// A model's summary, three sentences at most, when the claims support every one of them and it loses no name or number; else `nil`.
    ///
    /// One that fails is not worth mending: the composed one says the same and is right.
    public static func checked(_ draft: String, claims: [String], question: String, support: ClaimSupport) -> String? {
        let ground = claims.joined(separator: " ")
        let sentences = SentenceSplitter.sentences(plain(draft)).prefix(3)
        guard sentences.isEmpty == false else { return nil }
        guard sentences.allSatisfy({ support.check(claim: $0, passage: ground, question: question).isSupported }) else { return nil }
        // Nothing that a claim names may get lost on the way to the ear.
        let spoken = sentences.joined(separator: " ")
        let names = claims.flatMap { Terms.spans($0) }.map(String.init).filter { $0.contains(where: { "/_".contains($0) }) || Terms.isNumber($0) }
        guard names.allSatisfy(spoken.contains) else { return nil }
        return spoken
    }

    static func plain(_ text: String) -> String {
        text.replacing(/\[\d+\]/, with: "").filter { "*`#".contains($0) == false }
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func sentence(_ text: String) -> String {
        let text = plain(text)
        guard let last = text.last, ".!?…".contains(last) == false else { return text }
        return text + "."
    }
}
