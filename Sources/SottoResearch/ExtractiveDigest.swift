import SottoDocument
public import SottoPassageIndex
import SottoText

/// Picks the sentences of passages that share most with a question: all that can honestly be said without a model.
public enum ExtractiveDigest {
    /// - Returns: Up to `limit` sentences in order of fit, each word for word from its passage, with the passage's number.
    public static func sentences(question: String, passages: [PassageHit], limit: Int) -> [(text: String, passage: Int)] {
        let wanted = Set(Terms.content(question).map(Terms.stem))
        guard wanted.isEmpty == false else { return [] }
        var scored: [(text: String, passage: Int, score: Double)] = []
        for (index, hit) in passages.enumerated() {
            for sentence in SentenceSplitter.sentences(hit.passage.text) {
                let words = Terms.content(sentence).map(Terms.stem)
                guard (4...60).contains(words.count) else { continue }
                let shared = Set(words).intersection(wanted).count
                guard shared * 3 >= wanted.count else { continue }
                // Rank decides between sentences that share equally much.
                scored.append((sentence, index + 1, Double(shared) / Double(wanted.count) - Double(index) * 0.01))
            }
        }
        return scored.sorted { $0.score > $1.score }.prefix(limit).map { ($0.text, $0.passage) }
    }
}
