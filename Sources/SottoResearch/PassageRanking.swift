import Foundation
import SottoDocument
public import SottoPassageIndex
import SottoText

/// Orders passages of a few pages by how much they speak of what is asked.
///
/// BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, k1 = 1.2, b = 0.75) over the passages themselves, since no larger
/// collection is known here, with a small lead for passages near the beginning of their page, where articles say what they are about.
public struct PassageRanking: Sendable {
    /// How strongly a word's repetition counts.
    public var saturation = 1.2
    /// How strongly long passages are held back, 0 to 1.
    public var lengthShare = 0.75
    /// What the first passage of a page gains, as a share of its score; the tenth gains a tenth of it.
    public var lead = 0.15
    /// What a word counts that only a planned query has, where one of the question counts 1.
    public var planned = 0.5

    public init() {}

    /// - Parameters:
    ///   - question: Its words count in full.
    ///   - queries: Words that they add count less.
    /// - Returns: Those that share a word with them, best first; equal ones in their order.
    public func rank(_ hits: [PassageHit], question: String, queries: [String]) -> [PassageHit] {
        var weights: [String: Double] = [:]
        for query in queries { for word in Self.words(query) { weights[word] = planned } }
        for word in Self.words(question) { weights[word] = 1 }
        guard weights.isEmpty == false, hits.isEmpty == false else { return [] }

        let bags = hits.map { hit in
            // Where a passage stands says what it is about.
            var counts: [String: Int] = [:]
            let words = Self.words(hit.passage.text) + Self.words(([hit.title] + hit.passage.headings).joined(separator: " "))
            for word in words where weights[word] != nil { counts[word, default: 0] += 1 }
            return (counts: counts, length: Double(max(1, words.count)))
        }
        let average = bags.map(\.length).reduce(0, +) / Double(bags.count)
        var holders: [String: Int] = [:]
        for bag in bags { for word in bag.counts.keys { holders[word, default: 0] += 1 } }

        let scored = hits.indices.map { index in
            let bag = bags[index]
            var score = 0.0
            for (word, count) in bag.counts {
                let holding = Double(holders[word] ?? 0)
                // A word that stands everywhere still counts a little: among pages on one subject that is the subject.
                let rarity = log1p((Double(hits.count) - holding + 0.5) / (holding + 0.5))
                let often = Double(count) * (saturation + 1) / (Double(count) + saturation * (1 - lengthShare + lengthShare * bag.length / average))
                score += (weights[word] ?? 0) * rarity * often
            }
            var hit = hits[index]
            hit.score = score * (1 + lead / Double(max(0, hit.passage.ordinal) + 1))
            return (hit: hit, index: index)
        }
        return scored.filter { $0.hit.score > 0 }.sorted { ($1.hit.score, $0.index) < ($0.hit.score, $1.index) }.map(\.hit)
    }

    private static func words(_ text: String) -> [String] {
        Terms.content(text).flatMap { token in isUnspaced(token) ? pairs(token) : [Terms.stem(token)] }
    }

    /// Whether the script writes no spaces between words: Chinese, Japanese, Thai.
    private static func isUnspaced(_ token: String) -> Bool {
        token.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0E00...0x0E7F, 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }

    /// Neighboring characters two by two: most words of such scripts have two.
    private static func pairs(_ token: String) -> [String] {
        let characters = Array(token)
        guard characters.count > 1 else { return [token] }
        return zip(characters, characters.dropFirst()).map { String([$0, $1]) }
    }
}
