/// Finds numbers that are spelled out in English and writes them in digits, with what belongs to them: money, percentages, decimals, times of
/// day, years, ordinals and strings of digits.
struct NumberReader {
    /// Numbers below it stay words where nothing demands digits.
    let digitsFrom: Int

    private static let units: [String: Int] = [
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    ]
    private static let teens: [String: Int] = [
        "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    ]
    private static let tens: [String: Int] = ["twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90]
    private static let scales: [String: Int] = ["thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000]
    private static let ordinals: [String: Int] = [
        "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11,
        "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
        "twentieth": 20, "thirtieth": 30,
    ]

    func written(_ text: [Word]) -> [Word] {
        let words = text.flatMap(Self.parts)
        var result: [Word] = []
        var index = 0
        while index < words.count {
            if let (word, count) = number(words, at: index) {
                result.append(word)
                index += count
            } else {
                result.append(words[index])
                index += 1
            }
        }
        // What was not turned into digits keeps its hyphens.
        return result == words ? text : Self.joined(result)
    }

    /// "twenty-five" is two words, marked so that they can be joined again.
    private static func parts(_ word: Word) -> [Word] {
        let pieces = word.core.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count > 1, pieces.allSatisfy({ isNumeral($0.lowercased()) }) else { return [word] }
        return pieces.enumerated().map { index, piece in
            Word(before: index == 0 ? word.before : "", core: piece, after: index == pieces.count - 1 ? word.after : "")
        }
    }

    private static func isNumeral(_ key: String) -> Bool {
        units[key] != nil || teens[key] != nil || tens[key] != nil || ordinals[key] != nil || key == "hundred" || scales[key] != nil
    }

    /// A pair of tens and units that stayed words is written with its hyphen.
    private static func joined(_ words: [Word]) -> [Word] {
        var result: [Word] = []
        for word in words {
            if let last = result.last, last.after.isEmpty, tens[last.key] != nil, units[word.key].map({ $0 > 0 }) == true || ordinals[word.key].map({ $0 < 10 }) == true {
                result[result.count - 1].core += "-" + word.core
                result[result.count - 1].after = word.after
            } else {
                result.append(word)
            }
        }
        return result
    }

    /// The number that begins at a word, with all that belongs to it, and the words that it takes.
    private func number(_ words: [Word], at start: Int) -> (Word, Int)? {
        func key(_ index: Int) -> String? { index < words.count ? words[index].key : nil }
        /// Whether nothing stands between a word and the next.
        func continues(_ index: Int) -> Bool { index < words.count && words[index].after.isEmpty }
        func done(_ text: String, _ count: Int) -> (Word, Int) { (Word(before: words[start].before, core: text, after: words[start + count - 1].after), count) }

        if let digits = digitString(words, at: start) { return done(digits.text, digits.count) }
        if let time = time(words, at: start) {
            var word = done(time.text, time.count)
            // Its own full stop is part of "p.m.".
            if word.0.after.hasPrefix(".") { word.0.after.removeFirst() }
            return word
        }
        if let year = year(words, at: start) { return done(String(year.value), year.count) }
        guard let (value, count) = cardinal(words, at: start) else {
            // An ordinal that stands alone.
            if let ordinal = Self.ordinals[words[start].key], ordinal >= max(digitsFrom, 4) { return done(Self.ordinalText(ordinal), 1) }
            return nil
        }
        var end = start + count
        var digits = Self.grouped(value)
        var demands = false
        // Decimals.
        if continues(end - 1), key(end) == "point", continues(end) {
            var decimals = ""
            var index = end + 1
            while let digit = key(index).flatMap({ Self.units[$0] ?? ($0 == "oh" ? 0 : nil) }) {
                decimals += String(digit)
                index += 1
                if continues(index - 1) == false { break }
            }
            if decimals.isEmpty == false {
                digits = String(value) + "." + decimals
                demands = true
                end = index
                if continues(end - 1), let scale = key(end), Self.scales[scale] != nil {
                    digits += " " + scale
                    end += 1
                }
            }
        } else if value >= 1_000_000, let (scale, word) = [(1_000_000_000_000, "trillion"), (1_000_000_000, "billion"), (1_000_000, "million")].first(where: { value % $0.0 == 0 && value / $0.0 < 1000 }) {
            digits = "\(value / scale) \(word)"
        }
        guard continues(end - 1) else { return value >= digitsFrom || demands ? done(digits, end - start) : nil }
        // "twenty first"
        if demands == false, value % 10 == 0, (20...90).contains(value), count == 1, let key = key(end), let ordinal = Self.ordinals[key], ordinal < 10 {
            return done(Self.ordinalText(value + ordinal), end + 1 - start)
        }
        switch key(end) {
        case "percent": return done(digits + "%", end + 1 - start)
        case "dollar", "dollars", "euro", "euros":
            let sign = key(end)?.hasPrefix("euro") == true ? "€" : "$"
            var next = end + 1
            var cents = ""
            if continues(end), demands == false {
                let begin = key(next) == "and" ? next + 1 : next
                if continues(next), begin < words.count, let (value, count) = cardinal(words, at: begin), value < 100, continues(begin + count - 1), ["cent", "cents"].contains(key(begin + count)) {
                    cents = "." + (value < 10 ? "0" : "") + String(value)
                    next = begin + count + 1
                }
            }
            return done(sign + digits + cents, next - start)
        default: return value >= digitsFrom || demands ? done(digits, end - start) : nil
        }
    }

    /// A number in words: "two hundred and five thousand". Marks end it.
    private func cardinal(_ words: [Word], at start: Int) -> (value: Int, count: Int)? {
        var total = 0
        var group = 0
        var hasGroup = false
        // The smallest scale so far, and what may still be added to the group.
        var lastScale = Int.max
        var room = 1000
        var index = start
        var end = start
        while index < words.count {
            let key = words[index].key
            if let value = Self.units[key], room > 9 || (room == 10) {
                guard room >= 10 else { break }
                group += value
                (hasGroup, room) = (true, 0)
            } else if let value = Self.teens[key] {
                guard room >= 100 else { break }
                group += value
                (hasGroup, room) = (true, 0)
            } else if let value = Self.tens[key] {
                guard room >= 100 else { break }
                group += value
                (hasGroup, room) = (true, 10)
            } else if key == "hundred", hasGroup, group > 0, group < 100 {
                group *= 100
                room = 100
            } else if let scale = Self.scales[key], hasGroup, scale < lastScale {
                total += group * scale
                (group, hasGroup, lastScale, room) = (0, false, scale, 1000)
            } else if key == "and", index > start, words[index].after.isEmpty, room == 100 || (hasGroup == false && lastScale < .max), index + 1 < words.count,
                Self.units[words[index + 1].key] != nil || Self.teens[words[index + 1].key] != nil || Self.tens[words[index + 1].key] != nil
            {
                index += 1
                continue
            } else {
                break
            }
            index += 1
            end = index
            if words[index - 1].after.isEmpty == false { break }
        }
        guard end > start else { return nil }
        return (total + group, end - start)
    }

    /// Three or more digits one by one: a telephone number, a code.
    private func digitString(_ words: [Word], at start: Int) -> (text: String, count: Int)? {
        var text = ""
        var index = start
        while index < words.count, let digit = Self.units[words[index].key] ?? (words[index].key == "oh" && index > start ? 0 : nil) {
            text += String(digit)
            index += 1
            if words[index - 1].after.isEmpty == false { break }
        }
        // "one two hundred" is no string.
        if index < words.count, words[index - (index > start ? 1 : 0)].after.isEmpty, words[index].key == "hundred" || Self.scales[words[index].key] != nil { return nil }
        return text.count >= 3 ? (text, index - start) : nil
    }

    /// "nineteen ninety nine", "nineteen oh five", "twenty twenty six".
    private func year(_ words: [Word], at start: Int) -> (value: Int, count: Int)? {
        guard start + 1 < words.count, words[start].after.isEmpty, let century = Self.teens[words[start].key] ?? (words[start].key == "twenty" ? 20 : nil), century > 10 else { return nil }
        if words[start + 1].key == "oh", words[start + 1].after.isEmpty, start + 2 < words.count, let digit = Self.units[words[start + 2].key] { return (century * 100 + digit, 3) }
        guard Self.teens[words[start + 1].key] != nil || Self.tens[words[start + 1].key] != nil, let (rest, count) = cardinal(words, at: start + 1), (10..<100).contains(rest) else { return nil }
        return (century * 100 + rest, 1 + count)
    }

    /// "three thirty p m", "ten a.m.".
    private func time(_ words: [Word], at start: Int) -> (text: String, count: Int)? {
        guard let hour = Self.units[words[start].key] ?? Self.teens[words[start].key], (1...12).contains(hour), words[start].after.isEmpty else { return nil }
        var index = start + 1
        var minutes = ""
        if index < words.count, words[index].after.isEmpty, words[index].key == "oh", index + 1 < words.count, let minute = Self.units[words[index + 1].key], words[index + 1].after.isEmpty {
            minutes = ":0\(minute)"
            index += 2
        } else if index < words.count, let (minute, count) = cardinal(words, at: index), (10..<60).contains(minute), words[index + count - 1].after.isEmpty {
            minutes = ":\(minute)"
            index += count
        }
        guard index < words.count else { return nil }
        let letters = words[index].core.lowercased().filter { $0 != "." }
        if ["am", "pm"].contains(letters) { return ("\(hour)\(minutes) \(letters.first ?? "a").m.", index + 1 - start) }
        if ["a", "p"].contains(letters), words[index].after.isEmpty || words[index].after == ".", index + 1 < words.count, words[index + 1].key == "m" {
            return ("\(hour)\(minutes) \(letters).m.", index + 2 - start)
        }
        return nil
    }

    private static func ordinalText(_ value: Int) -> String {
        let ending = (11...13).contains(value % 100) ? "th" : [1: "st", 2: "nd", 3: "rd"][value % 10] ?? "th"
        return "\(value)\(ending)"
    }

    /// With commas from five digits on; four digits may be a year.
    private static func grouped(_ value: Int) -> String {
        guard value >= 10_000 else { return String(value) }
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
