internal import SottoDocumentReading

/// The rules of a page's `style` elements that decide whether a text is seen.
///
/// Read are selectors made of element names, classes and ids, with descendants and children; others match nothing. Rules for print, for small or
/// large windows and for states such as `:hover` are left out, since the page is not shown that way.
struct StyleSheet {
    private struct Compound {
        var tag: HTMLTag?
        /// Names by their number on the page.
        var id: Int32?
        var classes: [Int32] = []
        /// Whether it is the parent of what follows it, not just any ancestor.
        var isParent = false
    }

    private struct Rule {
        /// Innermost first.
        var compounds: [Compound]
        /// Where its declarations stand.
        var declarations: Int
        var weight: Int
    }

    private var rules: [Rule] = []
    /// The text of declarations, and what it says once a rule of theirs was looked at.
    private var declarations: [[UInt8]] = []
    private var looks: [Look?] = []
    private var byClass: [Int32: [Int]] = [:]
    private var byID: [Int32: [Int]] = [:]
    private var byTag: [HTMLTag: [Int]] = [:]
    private var attempts = 0
    /// Numbers of the classes and ids that the page uses; rules for others are passed over.
    private var numbers: [String: Int32] = [:]
    /// Of each node: where its classes stand in ``classes``, and its id.
    private var ranges: [Range<Int32>] = []
    private var ids: [Int32] = []
    private var classes: [Int32] = []
    private let page: HTMLPage

    /// Honest pages stay far below; a page above them cannot be checked and is not read.
    private static let ruleLimit = 20_000
    private static let attemptLimit = 20_000_000

    var isEmpty: Bool { rules.isEmpty }

    init(page: HTMLPage) { self.page = page }

    private mutating func collectNames() {
        guard ranges.isEmpty else { return }
        ranges = [Range<Int32>](repeating: 0..<0, count: page.nodes.count)
        ids = [Int32](repeating: -1, count: page.nodes.count)
        var known: [String: Range<Int32>] = [:]
        for node in page.nodes.indices where page.tag(node) != .text {
            if let range = page.range(node, .classes) {
                let value = String(decoding: page.bytes[range], as: UTF8.self)
                if let found = known[value] {
                    ranges[node] = found
                } else {
                    let start = Int32(classes.count)
                    for name in value.lowercased().utf8.split(whereSeparator: { $0 <= 0x20 }) { classes.append(number(of: String(decoding: name, as: UTF8.self))) }
                    ranges[node] = start..<Int32(classes.count)
                    known[value] = ranges[node]
                }
            }
            if let id = page.value(node, .id) { ids[node] = number(of: id.lowercased()) }
        }
    }

    private mutating func number(of name: String) -> Int32 {
        if let found = numbers[name] { return found }
        let number = Int32(numbers.count)
        numbers[name] = number
        return number
    }

    mutating func add(_ text: [UInt8]) throws {
        collectNames()
        var scanner = Scanner(text: text)
        try scanner.blocks { selectors, body in
            var number: Int?
            for selector in selectors.split(separator: UInt8(ascii: ",")) where mayMatch(selector) {
                guard let (compounds, specificity) = compounds(String(decoding: selector, as: UTF8.self)[...]) else { continue }
                guard rules.count < Self.ruleLimit else { throw DocumentReadingError(.tooLarge, "the page has too many style rules to tell what it hides") }
                if number == nil {
                    number = declarations.count
                    declarations.append(Array(body))
                    looks.append(nil)
                }
                let rule = rules.count
                rules.append(Rule(compounds: compounds, declarations: number ?? 0, weight: specificity << 20 | rule))
                if let id = compounds[0].id {
                    byID[id, default: []].append(rule)
                } else if let name = compounds[0].classes.first {
                    byClass[name, default: []].append(rule)
                } else if let tag = compounds[0].tag {
                    byTag[tag, default: []].append(rule)
                }
            }
        }
    }

    /// Whether the innermost part of a selector is one that is read, with a name that the page uses.
    private func mayMatch(_ selector: ArraySlice<UInt8>) -> Bool {
        var end = selector.endIndex
        while end > selector.startIndex, selector[end - 1] <= 0x20 { end -= 1 }
        var start = end
        var mark: Int?
        while start > selector.startIndex {
            switch selector[start - 1] {
            case 0...0x20, UInt8(ascii: ">"), UInt8(ascii: "+"), UInt8(ascii: "~"):
                return mark.map { numbers[Self.name(selector[$0..<end])] != nil } ?? (start < end)
            case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\\"): return false
            case UInt8(ascii: "."), UInt8(ascii: "#"): mark = start
            default: break
            }
            start -= 1
        }
        return mark.map { numbers[Self.name(selector[$0..<end])] != nil } ?? (start < end)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }

    /// What a rule's declarations say; read when they are first needed.
    private mutating func look(_ rule: Int) -> Look {
        let number = rules[rule].declarations
        if let known = looks[number] { return known }
        let look = Look(declarations: String(decoding: declarations[number], as: UTF8.self), isInline: false)
        looks[number] = look
        return look
    }

    private func compounds(_ selector: Substring) -> (compounds: [Compound], specificity: Int)? {
        var result: [Compound] = []
        var specificity = 0
        var isParent = false
        for part in selector.replacing(">", with: " > ").split(whereSeparator: \.isWhitespace) {
            if part == ">" {
                guard result.isEmpty == false else { return nil }
                isParent = true
                continue
            }
            if isParent { result[result.count - 1].isParent = true }
            isParent = false
            var compound = Compound()
            var rest = part[...]
            var isAny = false
            while let first = rest.first {
                let mark = first == "." || first == "#" ? first : nil
                if mark != nil { rest = rest.dropFirst() }
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0.unicodeScalars.contains { $0.value > 0x7F } }
                if name.isEmpty {
                    guard mark == nil, first == "*", isAny == false else { return nil }
                    isAny = true
                    rest = rest.dropFirst()
                    continue
                }
                rest = rest.dropFirst(name.count)
                switch mark {
                // A name that the page does not use matches nothing.
                case ".":
                    guard let number = numbers[String(name)] else { return nil }
                    compound.classes.append(number)
                case "#":
                    guard let number = numbers[String(name)] else { return nil }
                    compound.id = number
                default:
                    let tag = HTMLTag(name: String(name))
                    guard tag != .other else { return nil }
                    compound.tag = tag
                }
            }
            specificity += (compound.id == nil ? 0 : 10_000) + compound.classes.count * 100 + (compound.tag == nil ? 0 : 1)
            result.append(compound)
        }
        guard result.isEmpty == false, isParent == false, result.count <= 12 else { return nil }
        if let last = result.last, last.tag == nil, last.id == nil, last.classes.isEmpty { return nil }
        return (result.reversed(), specificity)
    }

    /// The declarations that win for an element, rules and attribute together.
    ///
    /// - Parameter own: What the element's `style` attribute says.
    mutating func look(of node: Int, in page: HTMLPage, own: Look?) throws -> Look? {
        var found: [Int] = []
        for index in ranges[node] { if let rules = byClass[classes[Int(index)]] { found += rules } }
        if ids[node] >= 0, let rules = byID[ids[node]] { found += rules }
        if let rules = byTag[page.tag(node)] { found += rules }
        // A rule that hides nothing needs no matching.
        found = found.filter { look($0).isEmpty == false }
        guard found.isEmpty == false else { return own }
        attempts += found.count
        guard attempts < Self.attemptLimit else { throw DocumentReadingError(.timedOut, "the page's style rules take too long to follow; it is likely made to do so") }
        found = found.filter { matches(rules[$0], node, page) }.sorted { rules[$0].weight < rules[$1].weight }
        guard found.isEmpty == false else { return own }
        var result = Look(declarations: "", isInline: false)
        func merge(_ next: Look) {
            func pick(_ old: Look.Choice?, _ new: Look.Choice?) -> Look.Choice? {
                guard let old, let new else { return new ?? old }
                return old.isImportant && new.isImportant == false ? old : new
            }
            result.display = pick(result.display, next.display)
            result.visibility = pick(result.visibility, next.visibility)
            result.opacity = pick(result.opacity, next.opacity)
            result.isOutOfSight = result.isOutOfSight || next.isOutOfSight
            result.color = next.color ?? result.color
            if next.background != nil || next.hasUnknownBackground { (result.background, result.hasUnknownBackground) = (next.background, next.hasUnknownBackground) }
        }
        for number in found { merge(look(number)) }
        if let own { merge(own) }
        return result
    }

    private mutating func matches(_ rule: Rule, _ node: Int, _ page: HTMLPage) -> Bool {
        guard matches(rule.compounds[0], node) else { return false }
        var node = node
        for compound in rule.compounds.dropFirst() {
            node = page.parent(node)
            if compound.isParent {
                guard node > 0, matches(compound, node) else { return false }
            } else {
                while node > 0, matches(compound, node) == false {
                    attempts += 1
                    node = page.parent(node)
                }
                guard node > 0 else { return false }
            }
        }
        return true
    }

    private func matches(_ compound: Compound, _ node: Int) -> Bool {
        if let tag = compound.tag, page.tag(node) != tag { return false }
        if let id = compound.id, ids[node] != id { return false }
        return compound.classes.allSatisfy { name in classes[Int(ranges[node].lowerBound)..<Int(ranges[node].upperBound)].contains(name) }
    }

    /// Finds rules in a style sheet's text, in one pass.
    private struct Scanner {
        var text: [UInt8]
        var index = 0

        init(text: [UInt8]) {
            // Comments go, letters become small, escapes are read as what they stand for only where they hide nothing.
            var result: [UInt8] = []
            result.reserveCapacity(text.count)
            var index = 0
            while index < text.count {
                if text[index] == UInt8(ascii: "/"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "*") {
                    index += 2
                    while index < text.count, !(text[index] == UInt8(ascii: "*") && index + 1 < text.count && text[index + 1] == UInt8(ascii: "/")) { index += 1 }
                    index += 2
                } else {
                    result.append((0x41...0x5A).contains(text[index]) ? text[index] | 0x20 : text[index])
                    index += 1
                }
            }
            self.text = result
        }

        mutating func blocks(_ body: (_ selectors: ArraySlice<UInt8>, _ declarations: ArraySlice<UInt8>) throws -> Void) throws {
            while index < text.count {
                let start = index
                while index < text.count, text[index] != UInt8(ascii: "{"), text[index] != UInt8(ascii: "}"), text[index] != UInt8(ascii: ";") { index += 1 }
                guard index < text.count else { return }
                let mark = text[index]
                let prelude = text[start..<index].drop { $0 <= 0x20 }
                index += 1
                guard mark == UInt8(ascii: "{") else { continue }
                if prelude.first == UInt8(ascii: "@") {
                    // What is inside counts as if it stood alone, where the condition holds on a screen; its closing brace is passed over.
                    if Self.holds(String(decoding: prelude, as: UTF8.self)) == false { skip() }
                    continue
                }
                let from = index
                while index < text.count, text[index] != UInt8(ascii: "}"), text[index] != UInt8(ascii: "{") { index += 1 }
                if index < text.count, text[index] == UInt8(ascii: "{") {
                    // Rules inside rules: what stands before the inner selector still counts.
                    let inner = text[from..<index].lastIndex(of: UInt8(ascii: ";")) ?? from
                    try body(prelude, text[from..<inner])
                    index += 1
                    skip()
                    continue
                }
                try body(prelude, text[from..<index])
                index += 1
            }
        }

        /// `@media screen`, `@media all`, `@supports`, `@layer` and the like; not print, not a width, not key frames.
        private static func holds(_ prelude: String) -> Bool {
            if prelude.hasPrefix("@media") {
                return prelude.contains("print") == false && prelude.contains("not ") == false && prelude.split(separator: "(").dropFirst().allSatisfy(isTrue)
            }
            return prelude.hasPrefix("@supports") || prelude.hasPrefix("@layer") || prelude.hasPrefix("@scope") || prelude.hasPrefix("@container")
        }

        /// Whether a condition such as `min-width: 600px) and ` holds for a window 1 280 pixels wide.
        private static func isTrue(_ condition: Substring) -> Bool {
            let parts = condition.prefix { $0 != ")" }.filter { $0 != " " }.split(separator: ":")
            guard parts.count == 2, let number = Double(parts[1].prefix { $0.isNumber || $0 == "." }) else { return false }
            let pixels = parts[1].hasSuffix("em") ? number * 16 : number
            return parts[0] == "min-width" ? pixels <= 1_280 : parts[0] == "max-width" ? pixels >= 1_280 : false
        }

        /// Past the end of a block whose brace has been read.
        private mutating func skip() {
            var depth = 1
            while index < text.count, depth > 0 {
                if text[index] == UInt8(ascii: "{") { depth += 1 } else if text[index] == UInt8(ascii: "}") { depth -= 1 }
                index += 1
            }
        }
    }
}
