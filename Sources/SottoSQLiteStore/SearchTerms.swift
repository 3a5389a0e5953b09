internal import SottoDocument

/// What a query asks for: the terms that say something, each a word or a phrase.
struct SearchTerms: Equatable {
    struct Term: Hashable {
        /// The words of a phrase (`dpkg-reconfigure` → two, `/etc/fstab` → two), folded, not stemmed.
        var words: [String]
        /// The same as the index holds them.
        var stems: [String]
        /// Commands, paths, versions, quoted words and names in capitals weigh more than ordinary words.
        var weight: Double
    }

    var terms: [Term] = []

    /// - Parameters:
    ///   - text: As the user wrote it. Quoted parts are phrases.
    ///   - language: Whose function words are left out; English when `nil`.
    init(_ text: String, language: String?) {
        let functionWords = FunctionWords.words(of: language ?? "en")
        var seen: Set<[String]> = []
        var dropped: [Term] = []
        func add(_ raw: String, isQuoted: Bool) {
            let words = SearchWords.words(SearchWords.indexed(raw))
            guard words.isEmpty == false else { return }
            let isTechnical = words.count > 1 && raw.unicodeScalars.contains(where: SearchWords.isSpaceless) == false
            let isName = words.count == 1 && raw.dropFirst().contains { $0.isUppercase || $0.isNumber }
            let term = Term(words: words, stems: words.map(PorterStemmer.stem), weight: isQuoted || isTechnical ? 1.6 : isName ? 1.3 : 1)
            guard seen.insert(term.stems).inserted else { return }
            if isQuoted == false, words.count == 1, isName == false, functionWords.contains(words[0]) || words[0].count == 1 && words[0].utf8.count == 1 {
                dropped.append(term)
            } else {
                terms.append(term)
            }
            // The parts of a compound may also stand alone: "RAID-4", "apt-cacher".
            if isTechnical, isQuoted == false {
                for word in words where word.count > 2 && functionWords.contains(word) == false {
                    let part = Term(words: [word], stems: [PorterStemmer.stem(word)], weight: 0.5)
                    if seen.insert(part.stems).inserted { terms.append(part) }
                }
            }
        }
        var isInside = false
        for part in text.split(separator: "\"", omittingEmptySubsequences: false) {
            if isInside {
                add(String(part), isQuoted: true)
            } else {
                for word in part.split(whereSeparator: \.isWhitespace) {
                    add(Self.withoutPossessive(word.trimmingPunctuation), isQuoted: false)
                }
            }
            isInside.toggle()
        }
        // "who is it": better to look for the little there is than for nothing.
        if terms.isEmpty { terms = dropped }
        terms = Array(terms.prefix(32))
    }

    private static func withoutPossessive(_ word: Substring) -> String {
        for ending in ["'s", "’s", "'", "’"] where word.hasSuffix(ending) { return String(word.dropLast(ending.count)) }
        return String(word)
    }
}

extension Substring {
    fileprivate var trimmingPunctuation: Substring {
        var text = self
        while let last = text.last, "?!.,;:)]}»”’'…？！。，、；：）」』".contains(last) { text.removeLast() }
        while let first = text.first, "([{«“‘'¿¡（「『".contains(first) { text.removeFirst() }
        return text
    }
}
