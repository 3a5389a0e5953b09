extension GenerationSchema {
    /// The most elements or characters that one repetition may have: llama.cpp refuses grammars above this.
    ///
    /// Source: `MAX_REPETITION_THRESHOLD` in llama.cpp `src/llama-grammar.cpp`.
    public static let maximumRepetition = 2000

    /// The schema as a GBNF grammar, which makes an engine write compact JSON of exactly this shape.
    ///
    /// Properties come in their declared order and no white space is written, so that no tokens are spent on layout.
    /// Strings are one line: raw control characters, line separators and surrogates are not in the grammar, and of the
    /// escapes only `\"` and `\\`, which is all that JSON needs then; models write other scripts as they are.
    ///
    /// - Returns: The same text for the same schema; the start rule is `root`.
    /// - Throws: ``LanguageModelError`` with `.badSchema` when nothing could satisfy the schema, or a bound is above
    ///   ``maximumRepetition``.
    public func grammar() throws(LanguageModelError) -> String {
        var writer = GrammarWriter()
        let root = try writer.expression(for: self)
        return writer.text(root: root)
    }
}

/// Collects the rules of one grammar, in the order in which they are first needed.
private struct GrammarWriter {
    private var rules: [(name: String, body: String)] = []
    private var usesCharacters = false

    /// What stands in a rule for a value of `schema`: literals inline, one named rule for each composite.
    mutating func expression(for schema: GenerationSchema) throws(LanguageModelError) -> String {
        switch schema {
        case .object(let properties):
            return try object(properties)
        case .array(let element, let minimum, let maximum):
            try check(minimum, maximum, "an array")
            guard maximum > 0 else { return #""[]""# }
            let item = try expression(for: element)
            let more = maximum > 1 ? #" ("," \#(item))"# + Self.repetition(max(0, minimum - 1), maximum < .max ? maximum - 1 : .max) : ""
            let items = minimum == 0 ? "(\(item)\(more))?" : item + more
            return define("array", #""[" \#(items) "]""#)
        case .string(let minimum, let maximum):
            try check(minimum, maximum, "a string")
            usesCharacters = true
            return define("string", #""\"" char"# + Self.repetition(minimum, maximum) + #" "\"""#)
        case .integer(let range):
            return define("integer", Self.alternatives(range).joined(separator: " | "))
        case .boolean:
            return define("boolean", #""true" | "false""#)
        case .choice(let strings):
            guard strings.isEmpty == false else { throw LanguageModelError(.badSchema, "a choice needs at least one string") }
            return define("choice", strings.map { Self.literal(GenerationSchema.quoted($0)) }.joined(separator: " | "))
        case .text: return text()
        case .number: return number()
        case .literal(let json):
            guard json.isEmpty == false else { throw LanguageModelError(.badSchema, "a literal needs JSON") }
            return Self.literal(json)
        case .any(let schemas):
            guard schemas.isEmpty == false else { throw LanguageModelError(.badSchema, "one of several shapes is asked for, and there is none") }
            var alternatives: [String] = []
            for schema in schemas { alternatives.append(try expression(for: schema)) }
            return define("any", alternatives.joined(separator: " | "))
        case .anyObject: return anyObject()
        }
    }

    /// The finished grammar, start rule first.
    func text(root: String) -> String {
        var lines = ["root ::= \(root)"] + rules.map { "\($0.name) ::= \($0.body)" }
        if usesCharacters {
            lines.append(#"char ::= [^"\\\x00-\x1F\x7F-\x9F\u2028\u2029\uD800-\uDFFF] | "\\" ["\\]"#)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func text() -> String {
        addOnce("letter", #"[^"\\\x00-\x1F\x7F-\x9F\u2028\u2029\uD800-\uDFFF] | "\\" ["\\/bfnrt]"#)
        return define("text", #""\"" letter* "\"""#)
    }

    private mutating func number() -> String {
        define("number", #""-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?"#)
    }

    private mutating func anyObject() -> String {
        let (text, number) = (text(), number())
        addOnce("value", #"members | elements | \#(text) | \#(number) | "true" | "false" | "null""#)
        addOnce("elements", #""[" (value ("," value)*)? "]""#)
        addOnce("members", #""{" (\#(text) ":" value ("," \#(text) ":" value)*)? "}""#)
        return "members"
    }

    /// Gives a rule a name of its own, which other rules may use before it is defined.
    private mutating func addOnce(_ name: String, _ body: String) {
        if rules.contains(where: { $0.name == name }) == false { rules.append((name, body)) }
    }

    private static func repetition(_ minimum: Int, _ maximum: Int) -> String {
        if maximum < .max { return "{\(minimum),\(maximum)}" }
        return minimum == 0 ? "*" : "{\(minimum),}"
    }

    private mutating func object(_ properties: [GenerationSchema.Property]) throws(LanguageModelError) -> String {
        guard properties.isEmpty == false else { return #""{}""# }
        guard Set(properties.map(\.name)).count == properties.count else {
            throw LanguageModelError(.badSchema, "an object has two properties of one name: \(properties.map(\.name))")
        }
        var parts: [String] = []
        for (index, property) in properties.enumerated() {
            parts.append(Self.literal((index == 0 ? "{" : ",") + GenerationSchema.quoted(property.name) + ":"))
            parts.append(try expression(for: property.schema))
        }
        parts.append(#""}""#)
        return define("object", parts.joined(separator: " "))
    }

    /// Gives a body a name; equal bodies share one.
    private mutating func define(_ kind: String, _ body: String) -> String {
        if let known = rules.first(where: { $0.body == body }) { return known.name }
        let count = rules.count { $0.name.hasPrefix(kind) }
        let name = "\(kind)-\(count + 1)"
        rules.append((name, body))
        return name
    }

    private func check(_ minimum: Int, _ maximum: Int, _ what: String) throws(LanguageModelError) {
        let largest = maximum < .max ? maximum : minimum
        guard minimum >= 0, minimum <= maximum, largest <= GenerationSchema.maximumRepetition else {
            throw LanguageModelError(
                .badSchema, "\(what) cannot have between \(minimum) and \(maximum) elements (at most \(GenerationSchema.maximumRepetition))")
        }
    }

    /// A GBNF literal that matches exactly `text`.
    private static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let hex = String(scalar.value, radix: 16, uppercase: true)
                literal += "\\x" + (hex.count < 2 ? "0" : "") + hex
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Alternatives that together match the decimal form of every number in the range and nothing else.
    private static func alternatives(_ range: ClosedRange<Int>) -> [String] {
        var parts: [String] = []
        if range.lowerBound < 0 {
            let nearest = range.upperBound < 0 ? range.upperBound.magnitude : 1
            parts += sameLengthRanges(nearest, range.lowerBound.magnitude).map { #""-" "# + digits($0.0, $0.1) }
        }
        if range.upperBound >= 0 {
            parts += sameLengthRanges(UInt(max(0, range.lowerBound)), UInt(range.upperBound)).map { digits($0.0, $0.1) }
        }
        return parts
    }

    /// Splits `low...high` where the number of digits changes.
    private static func sameLengthRanges(_ low: UInt, _ high: UInt) -> [([UInt8], [UInt8])] {
        var ranges: [([UInt8], [UInt8])] = []
        let (first, last) = (Array(String(low).utf8), Array(String(high).utf8))
        for length in first.count...last.count {
            let start = length == first.count ? first : [UInt8(ascii: "1")] + Array(repeating: UInt8(ascii: "0"), count: length - 1)
            let end = length == last.count ? last : Array(repeating: UInt8(ascii: "9"), count: length)
            ranges.append((start, end))
        }
        return ranges
    }

    /// An expression for all digit strings between two of the same length.
    private static func digits(_ low: [UInt8], _ high: [UInt8]) -> String {
        guard let first = low.first, let last = high.first else { return "" }
        let (lowRest, highRest) = (Array(low.dropFirst()), Array(high.dropFirst()))
        guard lowRest.isEmpty == false else { return characters(first, last) }
        if first == last { return join(characters(first, first), digits(lowRest, highRest)) }
        let nines = Array(repeating: UInt8(ascii: "9"), count: lowRest.count)
        let zeros = Array(repeating: UInt8(ascii: "0"), count: lowRest.count)
        var parts: [String] = []
        var (from, to) = (first, last)
        if lowRest != zeros {
            parts.append(join(characters(first, first), digits(lowRest, nines)))
            from += 1
        }
        if highRest != nines { to -= 1 }
        if from <= to { parts.append(join(characters(from, to), "[0-9]{\(lowRest.count)}")) }
        if highRest != nines { parts.append(join(characters(last, last), digits(zeros, highRest))) }
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " | ") + ")"
    }

    private static func characters(_ from: UInt8, _ to: UInt8) -> String {
        let (low, high) = (Character(Unicode.Scalar(from)), Character(Unicode.Scalar(to)))
        return from == to ? "\"\(low)\"" : "[\(low)-\(high)]"
    }

    private static func join(_ left: String, _ right: String) -> String { left + " " + right }
}
