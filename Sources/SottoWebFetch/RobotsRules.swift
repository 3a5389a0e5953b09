/// The part of a robots.txt that is addressed to one robot (RFC 9309).
struct RobotsRules: Sendable, Equatable {
    struct Rule: Sendable, Equatable {
        var isAllowing: Bool
        /// Percent-encoding normalized; may hold `*` and a final `$`.
        var pattern: [UInt8]
    }

    /// No rule: everything may be read.
    static let none = RobotsRules(rules: [])

    private(set) var rules: [Rule]
    /// `Crawl-delay`, which is not in the standard and widely used: seconds between two requests.
    private(set) var delay: Double?

    private init(rules: [Rule]) { self.rules = rules }

    /// How much is read: the standard asks for at least 500 KiB (§2.5).
    static let maximumBytes = 512 * 1_024
    /// More rules than any real file has; the rest is ignored.
    private static let maximumRules = 20_000
    /// What one question may cost, over all rules; rules that cost more are made to, and the answer is no.
    private static let maximumSteps = 5_000_000

    /// - Parameters:
    ///   - bytes: The file; what is not UTF-8 is replaced.
    ///   - product: The product token of the robot, compared without case.
    init(_ bytes: [UInt8], product: String) {
        var own = RobotsRules(rules: [])
        var general = RobotsRules(rules: [])
        var isOwnNamed = false
        // Which robots the group names that is being read, and whether its rules have begun.
        var isOwn = false
        var isGeneral = false
        var hasRules = true
        var read = bytes.prefix(Self.maximumBytes)
        // Half a line may say the opposite of the whole one.
        if read.count < bytes.count, let end = read.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) { read = read[...end] }
        let text = String(decoding: read, as: UTF8.self)
        let product = product.lowercased()
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            let line = String(String.UnicodeScalarView(line.prefix { $0 != "#" }))
            guard let colon = line.firstIndex(of: ":") else { continue }
            let key = Self.trimmed(line[..<colon]).lowercased()
            let value = Self.trimmed(line[line.index(after: colon)...])
            switch key {
            case "user-agent":
                if hasRules { (isOwn, isGeneral, hasRules) = (false, false, false) }
                // The token is what comes before anything that no token may hold: "Sotto/1.0" names "sotto".
                let token = value.prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }.lowercased()
                if token == product, token.isEmpty == false { (isOwn, isOwnNamed) = (true, true) }
                if value == "*" { isGeneral = true }
            case "allow", "disallow":
                hasRules = true
                // An empty one rules nothing.
                guard value.isEmpty == false else { continue }
                let rule = Rule(isAllowing: key == "allow", pattern: Self.normalized(value))
                if isOwn, own.rules.count < Self.maximumRules { own.rules.append(rule) }
                if isGeneral, general.rules.count < Self.maximumRules { general.rules.append(rule) }
            case "crawl-delay":
                hasRules = true
                guard let seconds = Double(value), seconds.isFinite, seconds >= 0 else { continue }
                if isOwn { own.delay = seconds }
                if isGeneral { general.delay = seconds }
            default: continue
            }
        }
        self = isOwnNamed ? own : general
    }

    /// - Parameter target: Path and query.
    func allows(_ target: String) -> Bool {
        if target == "/robots.txt" { return true }
        let path = Self.normalized(target)
        var steps = Self.maximumSteps
        // The longest pattern counts; of equal ones, the one that allows (§2.2.2).
        var best: Rule?
        for rule in rules where Self.matches(rule.pattern, path, &steps) {
            guard let known = best else {
                best = rule
                continue
            }
            if rule.pattern.count > known.pattern.count || (rule.pattern.count == known.pattern.count && rule.isAllowing) { best = rule }
        }
        return steps > 0 && best?.isAllowing ?? true
    }

    /// Greedy matching with one point of return: at most pattern × path steps.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8], _ steps: inout Int) -> Bool {
        let isAnchored = pattern.last == UInt8(ascii: "$")
        let pattern = isAnchored ? pattern.dropLast() : pattern[...]
        var (place, position) = (pattern.startIndex, 0)
        var star: (place: Int, position: Int)?
        while steps > 0 {
            steps -= 1
            if place == pattern.endIndex {
                if isAnchored == false || position == path.count { return true }
            } else if pattern[place] == UInt8(ascii: "*") {
                star = (place + 1, position)
                place += 1
                continue
            } else if position < path.count, pattern[place] == path[position] {
                place += 1
                position += 1
                continue
            }
            guard let last = star, last.position < path.count else { return false }
            star = (last.place, last.position + 1)
            (place, position) = (last.place, last.position + 1)
        }
        return false
    }

    /// §2.2.2: bytes outside ASCII are compared percent-encoded, and percent-encoded unreserved characters decoded.
    private static func normalized(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                let isUnreserved =
                    (0x30...0x39).contains(value) || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) || "-._~".utf8.contains(value)
                result += isUnreserved ? [value] : [byte, digits[Int(value >> 4)], digits[Int(value & 15)]]
                index += 3
                continue
            }
            result += byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            index += 1
        }
        return result
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
        var scalars = text.unicodeScalars.drop(while: isSpace)
        while let last = scalars.last, isSpace(last) { scalars = scalars.dropLast() }
        return String(String.UnicodeScalarView(scalars))
    }
}
