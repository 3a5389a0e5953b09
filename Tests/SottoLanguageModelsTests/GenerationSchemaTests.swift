import Foundation
import SottoLanguageModels
import Testing

@Suite struct GenerationSchemaTests {
    @Test("the JSON Schema is fixed text that JSON parsers read")
    func jsonSchema() throws {
        let schema = ClaimedAnswer.generationSchema.jsonSchema
        #expect(
            schema
                == #"{"type":"object","properties":{"answered":{"type":"boolean"},"claims":{"type":"array","items":{"type":"object","#
                + #""properties":{"text":{"type":"string","minLength":1,"maxLength":200},"sources":{"type":"array","items":{"type":"integer","#
                + #""minimum":1,"maximum":6},"minItems":1,"maxItems":3}},"required":["text","sources"],"additionalProperties":false},"#
                + #""minItems":0,"maxItems":5},"gaps":{"type":"array","items":{"type":"string","maxLength":80},"minItems":0,"maxItems":3}},"#
                + #""required":["answered","claims","gaps"],"additionalProperties":false}"#)
        #expect(try JSONSerialization.jsonObject(with: Data(schema.utf8)) is [String: Any])
    }

    @Test("names and choices with quotes, backslashes and control characters survive JSON")
    func quoting() throws {
        let names = ["a\"b", "c\\d", "e\nf", "\u{1}", "é🎈"]
        let parsed = try JSONSerialization.jsonObject(with: Data(GenerationSchema.choice(names).jsonSchema.utf8)) as? [String: Any]
        #expect(parsed?["enum"] as? [String] == names)
    }

    @Test("the grammar is fixed text")
    func grammar() throws {
        #expect(
            try ClaimedAnswer.generationSchema.grammar() == #"""
                root ::= object-2
                boolean-1 ::= "true" | "false"
                string-1 ::= "\"" char{1,200} "\""
                integer-1 ::= [1-6]
                array-1 ::= "[" integer-1 ("," integer-1){0,2} "]"
                object-1 ::= "{\"text\":" string-1 ",\"sources\":" array-1 "}"
                array-2 ::= "[" (object-1 ("," object-1){0,4})? "]"
                string-2 ::= "\"" char{0,80} "\""
                array-3 ::= "[" (string-2 ("," string-2){0,2})? "]"
                object-2 ::= "{\"answered\":" boolean-1 ",\"claims\":" array-2 ",\"gaps\":" array-3 "}"
                char ::= [^"\\\x00-\x1F\x7F-\x9F\u2028\u2029\uD800-\uDFFF] | "\\" ["\\]

                """#)
        #expect(
            try GenerationSchema.choice(["a\"b", "c\\d", "e\nf"]).grammar() == #"""
                root ::= choice-1
                choice-1 ::= "\"a\\\"b\"" | "\"c\\\\d\"" | "\"e\\nf\""

                """#)
    }

    @Test(
        "an integer's rule matches exactly the numbers of its range",
        arguments: [0...0, 0...9, 0...10, 1...6, 5...5, 7...23, 10...99, 13...47, 99...101, 0...1000, 187...2026, 999...1000, -1...1, -5 ... -2,
            -120...37, -1000 ... -999, 1900...2100])
    func integers(range: ClosedRange<Int>) throws {
        let regex = try regex(for: range)
        for number in (range.lowerBound - 120)...(range.upperBound + 120) {
            #expect(try (regex.wholeMatch(in: String(number)) != nil) == range.contains(number), "\(number)")
        }
        for wrong in ["", "-", "-0", "00", "01", "+1", " 1", "1.0", "1e1", "0\(range.upperBound)"] {
            #expect(try regex.wholeMatch(in: wrong) == nil, "\(wrong)")
        }
    }

    @Test("the widest range has exact ends")
    func widest() throws {
        let regex = try regex(for: Int.min...Int.max)
        for inside in ["-9223372036854775808", "9223372036854775807", "0", "-1"] { #expect(try regex.wholeMatch(in: inside) != nil) }
        for outside in ["-9223372036854775809", "9223372036854775808", "10000000000000000000"] {
            #expect(try regex.wholeMatch(in: outside) == nil)
        }
    }

    @Test(
        "what nothing could satisfy is refused",
        arguments: [
            .choice([]), .array(of: .boolean, minimum: 3, maximum: 2), .array(of: .boolean, minimum: -1, maximum: 2),
            .string(maximumLength: 2001), .string(minimumLength: 2, maximumLength: 1), .object([.init("a", .boolean), .init("a", .boolean)]),
            .array(of: .choice([]), minimum: 0, maximum: 1),
        ] as [GenerationSchema])
    func refusals(schema: GenerationSchema) {
        #expect { try schema.grammar() } throws: { ($0 as? LanguageModelError)?.code == .badSchema }
    }

    /// GBNF's digits, classes, groups and repetitions mean the same as a regular expression once quotes and spaces are gone.
    private func regex(for range: ClosedRange<Int>) throws -> Regex<AnyRegexOutput> {
        let rule = try #require(try GenerationSchema.integer(range).grammar().split(separator: "\n").last?.split(separator: "=", maxSplits: 1).last)
        return try Regex(rule.filter { $0 != "\"" && $0 != " " })
    }
}
