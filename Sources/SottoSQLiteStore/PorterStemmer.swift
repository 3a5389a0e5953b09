/// Porter's stemmer for English, as the `porter` tokenizer of FTS5 applies it, for the second pass of ranking.
///
/// Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
enum PorterStemmer {
    /// - Parameter word: In lower case; a word with anything but `a` to `z`, or shorter than three letters, comes back as it is.
    static func stem(_ word: String) -> String {
        var bytes = Array(word.utf8)
        guard bytes.count > 2, bytes.count < 64, bytes.allSatisfy({ $0 >= 0x61 && $0 <= 0x7A }) else { return word }
        var stem = Stem(bytes: bytes)
        stem.step1()
        stem.step2()
        stem.step3()
        stem.step4()
        stem.step5()
        bytes = stem.bytes
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Stem {
        var bytes: [UInt8]

        private func isConsonant(_ index: Int) -> Bool {
            switch bytes[index] {
            case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"): false
            case UInt8(ascii: "y"): index == 0 || isConsonant(index - 1) == false
            default: true
            }
        }

        /// How many vowel-consonant sequences the first `count` letters hold: Porter's m.
        private func measure(_ count: Int) -> Int {
            var result = 0
            var wasVowel = false
            for index in 0..<count {
                let consonant = isConsonant(index)
                if consonant, wasVowel { result += 1 }
                wasVowel = consonant == false
            }
            return result
        }

        private func hasVowel(_ count: Int) -> Bool { (0..<count).contains { isConsonant($0) == false } }

        private func endsDouble(_ count: Int) -> Bool {
            count > 1 && bytes[count - 1] == bytes[count - 2] && isConsonant(count - 1)
        }

        private func endsShort(_ count: Int) -> Bool {
            guard count > 2, isConsonant(count - 1), isConsonant(count - 2) == false, isConsonant(count - 3) else { return false }
            return "wxy".utf8.contains(bytes[count - 1]) == false
        }

        private func ends(_ suffix: String) -> Bool { bytes.count > suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

        private mutating func replace(_ suffix: String, _ replacement: String) {
            bytes.removeLast(suffix.utf8.count)
            bytes.append(contentsOf: replacement.utf8)
        }

        mutating func step1() {
            if ends("sses") { replace("es", "") } else if ends("ies") { replace("ies", "i") } else if ends("ss") == false, ends("s") { bytes.removeLast() }
            var removed = false
            if ends("eed") {
                if measure(bytes.count - 3) > 0 { bytes.removeLast() }
            } else if ends("ed"), hasVowel(bytes.count - 2) {
                replace("ed", "")
                removed = true
            } else if ends("ing"), hasVowel(bytes.count - 3) {
                replace("ing", "")
                removed = true
            }
            if removed {
                if ends("at") || ends("bl") || ends("iz") {
                    bytes.append(UInt8(ascii: "e"))
                } else if endsDouble(bytes.count), "lsz".utf8.contains(bytes[bytes.count - 1]) == false {
                    bytes.removeLast()
                } else if measure(bytes.count) == 1, endsShort(bytes.count) {
                    bytes.append(UInt8(ascii: "e"))
                }
            }
            if ends("y"), hasVowel(bytes.count - 1) { replace("y", "i") }
        }

        private mutating func apply(_ rules: [(String, String)], over least: Int) {
            for (suffix, replacement) in rules where ends(suffix) {
                if measure(bytes.count - suffix.utf8.count) > least { replace(suffix, replacement) }
                return
            }
        }

        mutating func step2() {
            apply([
                ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"), ("bli", "ble"),
                ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"),
                ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
            ], over: 0)
        }

        mutating func step3() {
            apply([("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")], over: 0)
        }

        mutating func step4() {
            if ends("ion") {
                let count = bytes.count - 3
                if "st".utf8.contains(bytes[count - 1]), measure(count) > 1 { replace("ion", "") }
                return
            }
            apply([
                ("al", ""), ("ance", ""), ("ence", ""), ("er", ""), ("ic", ""), ("able", ""), ("ible", ""), ("ant", ""), ("ement", ""), ("ment", ""),
                ("ent", ""), ("ou", ""), ("ism", ""), ("ate", ""), ("iti", ""), ("ous", ""), ("ive", ""), ("ize", ""),
            ], over: 1)
        }

        mutating func step5() {
            if ends("e") {
                let count = bytes.count - 1
                let m = measure(count)
                if m > 1 || (m == 1 && endsShort(count) == false) { bytes.removeLast() }
            }
            if measure(bytes.count) > 1, endsDouble(bytes.count), bytes[bytes.count - 1] == UInt8(ascii: "l") { bytes.removeLast() }
        }
    }
}
