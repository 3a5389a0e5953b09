/// Orders candidates by what full-text scores do not see: how many of the terms a passage holds, how near each other, and where.
///
/// The score is BM25 over text, headings and title together (each field's frequency weighted before saturation, as in
/// Robertson, Zaragoza and Taylor's BM25F, 2004), times the covered share of the query's weight, with a bonus for terms close together.
struct PassageRanker {
    struct Candidate {
        var id: Int64
        var title: String
        var headings: String
        var text: String
    }

    let terms: [SearchTerms.Term]
    /// Inverse document frequencies of the terms, in the same order.
    let rarity: [Double]

    /// - Parameters:
    ///   - frequencies: In how many passages each term stands.
    ///   - total: How many passages there are.
    init(terms: [SearchTerms.Term], frequencies: [Int], total: Int) {
        self.terms = terms
        rarity = zip(terms, frequencies).map { term, count in
            // Never negative, as in Lucene's BM25.
            let idf = Double.logarithm(1 + (Double(total - min(count, total)) + 0.5) / (Double(count) + 0.5))
            return idf * term.weight
        }
    }

    func score(_ candidate: Candidate) -> Double {
        let text = SearchWords.stems(candidate.text)
        let headings = SearchWords.stems(candidate.headings)
        let title = SearchWords.stems(candidate.title)
        var total = 0.0
        var covered = 0.0
        var wanted = 0.0
        var places: [(position: Int, term: Int)] = []
        // Passages are cut to about 150 words; b = 0.4 favors shorter ones a little.
        let normal = 0.6 + 0.4 * Double(text.count) / 150
        for (index, term) in terms.enumerated() {
            let weight = rarity[index]
            if term.weight >= 1 { wanted += weight }
            let found = Self.places(of: term.stems, in: text)
            for place in found { places.append((place, index)) }
            let inHeadings = Self.places(of: term.stems, in: headings).isEmpty ? 0.0 : 1
            let inTitle = Self.places(of: term.stems, in: title).isEmpty ? 0.0 : 1
            let frequency = Double(found.count) / normal + 1.2 * inHeadings + 0.8 * inTitle
            guard frequency > 0 else { continue }
            total += weight * frequency * 2.2 / (frequency + 1.2)
            if term.weight >= 1 { covered += weight * (found.isEmpty ? 0.7 : 1) }
        }
        guard total > 0 else { return 0 }
        let coverage = wanted > 0 ? min(1, covered / wanted) : 1
        return total * (0.4 + 0.6 * coverage) + closeness(places)
    }

    /// Pairs of different terms within twelve words of each other, rarer and nearer ones first.
    private func closeness(_ places: [(position: Int, term: Int)]) -> Double {
        let sorted = places.sorted { $0.position < $1.position }
        var best: [Int: Double] = [:]
        for (index, place) in sorted.enumerated() {
            for other in sorted[(index + 1)...] {
                let distance = other.position - place.position
                if distance > 12 { break }
                guard other.term != place.term, distance > 0 else { continue }
                let value = min(rarity[place.term], rarity[other.term]) / (1 + Double(distance))
                let key = min(place.term, other.term) * 64 + max(place.term, other.term)
                best[key] = max(best[key] ?? 0, value)
            }
        }
        return best.values.reduce(0, +)
    }

    private static func places(of phrase: [String], in words: [String]) -> [Int] {
        guard let first = phrase.first, words.count >= phrase.count else { return [] }
        var result: [Int] = []
        for start in 0...(words.count - phrase.count) where words[start] == first {
            if phrase.count == 1 || words[start..<start + phrase.count].elementsEqual(phrase) { result.append(start) }
        }
        return result
    }
}
