/// Tells the language of a text from its script and its commonest words.
///
/// Right for ordinary prose of a few sentences in the languages that ``FunctionWords`` and the scripts below cover; `nil`
/// rather than a guess for tables of numbers, code and a handful of words.
public enum LanguageDetector {
    /// The BCP 47 primary tag (`en`, `ja`, …), or `nil` when the text does not tell.
    ///
    /// - Parameter text: Only the first 20 000 Unicode scalars are read.
    /// - Complexity: O(1) beyond that bound.
    public static func language(of text: some StringProtocol) -> String? {
        var counts: [Script: Int] = [:]
        var letters = 0
        var words: [String: Int] = [:]
        var wordCount = 0
        var word = String.UnicodeScalarView()
        var marks = Marks()
        func closeWord() {
            guard word.isEmpty == false else { return }
            words[String(word).lowercased(), default: 0] += 1
            wordCount += 1
            word.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars.prefix(20_000) {
            guard scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark else {
                closeWord()
                continue
            }
            let script = Script(scalar)
            counts[script, default: 0] += 1
            letters += 1
            marks.count(scalar)
            if word.count < 24 { word.append(scalar) }
        }
        closeWord()
        guard letters >= 12, let (script, share) = counts.max(by: { $0.value < $1.value }) else { return nil }

        // One kana in ten letters makes it Japanese; Chinese has none. Hangul may stand among Latin names.
        let wide = counts[.han, default: 0] + counts[.kana, default: 0]
        if wide * 3 > letters { return counts[.kana, default: 0] * 12 >= wide ? "ja" : "zh" }
        if counts[.hangul, default: 0] * 4 > letters { return "ko" }
        // Technical text in other scripts is full of Latin names: a quarter of the letters is enough to tell.
        for (other, language) in Script.single where counts[other, default: 0] * 4 > letters { return language }
        if counts[.arabic, default: 0] * 4 > letters { return marks.arabic }
        if counts[.cyrillic, default: 0] * 4 > letters { return marks.cyrillic(words: words) }
        guard script == .latin, share * 2 > letters else { return nil }
        return latin(words: words, total: wordCount)
    }

    /// The language whose function words make up the largest share, where that share is that of prose and clearly the largest.
    private static func latin(words: [String: Int], total: Int) -> String? {
        guard total >= 4 else { return nil }
        var scores: [(language: String, score: Double)] = []
        for (language, list) in FunctionWords.latin {
            var score = 0.0
            // A word that several languages share says less.
            for (word, count) in words where list.contains(word) { score += Double(count) / FunctionWords.sharing[word, default: 1] }
            scores.append((language, score / Double(total)))
        }
        scores.sort { ($0.score, $1.language) > ($1.score, $0.language) }
        guard let best = scores.first, scores.count > 1, best.score > 0.06, best.score > scores[1].score * 1.15 else { return nil }
        return best.language
    }

    private enum Script: Hashable {
        case latin, cyrillic, greek, hebrew, arabic, devanagari, thai, han, kana, hangul, georgian, armenian, bengali, tamil, other

        static let single: [(Script, String)] = [
            (.greek, "el"), (.hebrew, "he"), (.devanagari, "hi"), (.thai, "th"), (.georgian, "ka"), (.armenian, "hy"), (.bengali, "bn"),
            (.tamil, "ta"),
        ]

        init(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0x41...0x24F, 0x1E00...0x1EFF, 0x300...0x36F: self = .latin
            case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
            case 0x400...0x52F: self = .cyrillic
            case 0x530...0x58F: self = .armenian
            case 0x590...0x5FF: self = .hebrew
            case 0x600...0x6FF, 0x750...0x77F, 0x8A0...0x8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFF: self = .arabic
            case 0x900...0x97F: self = .devanagari
            case 0x980...0x9FF: self = .bengali
            case 0xB80...0xBFF: self = .tamil
            case 0xE00...0xE7F: self = .thai
            case 0x10A0...0x10FF: self = .georgian
            case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: self = .kana
            case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7AF: self = .hangul
            case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3134F: self = .han
            default: self = .other
            }
        }
    }

    /// Letters that only some languages of a script have.
    private struct Marks {
        var persian = 0, urdu = 0, ukrainian = 0, belarusian = 0, serbian = 0, bulgarianSigns = 0, russian = 0

        mutating func count(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "پ", "چ", "ژ", "گ", "ک", "ی": persian += 1
            case "ٹ", "ڈ", "ڑ", "ے", "ں": urdu += 1
            case "ї", "є", "ґ", "Ї", "Є", "Ґ": ukrainian += 1
            case "ў", "Ў": belarusian += 1
            case "ђ", "ћ", "љ", "њ", "џ", "ј", "Ђ", "Ћ", "Љ", "Њ", "Џ", "Ј": serbian += 1
            case "ъ", "Ъ": bulgarianSigns += 1
            case "ы", "э", "ё", "Ы", "Э", "Ё": russian += 1
            default: break
            }
        }

        var arabic: String { urdu > 0 && urdu * 4 > persian ? "ur" : persian > 0 ? "fa" : "ar" }

        func cyrillic(words: [String: Int]) -> String? {
            let best = [("uk", ukrainian), ("be", belarusian * 2), ("sr", serbian), ("ru", russian)].max { $0.1 < $1.1 }
            if let best, best.1 > 0, best.1 >= bulgarianSigns { return best.0 }
            return bulgarianSigns > 0 ? "bg" : "ru"
        }
    }
}
