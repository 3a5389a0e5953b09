import Foundation
import SottoLanguageModels
import Testing

@Suite struct JSONSchemaReadingTests {
    @Test("properties keep the order in which they are written, which a dictionary would lose")
    func order() throws {
        let names = ["zebra", "apple", "mango", "kiwi", "banana", "a\"b", "pear", "fig"]
        let properties = names.map { "\(String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self)): {\"type\": \"boolean\"}" }
            .joined(separator: ", ")
        let schema = try GenerationSchema(jsonSchema: "{\"type\": \"object\", \"properties\": {\(properties)}, \"required\": [\"zebra\"]}")
        #expect(schema == .object(names.map { .init($0, .boolean) }))
    }

    @Test("what pydantic writes for nested models is understood")
    func pydantic() throws {
        // pydantic 2.11, Model.model_json_schema(): class Step(BaseModel): text: str; kind: Literal["a", "b"]; score: float | None = None
        // class Plan(BaseModel): steps: list[Step]; first: Step; count: int = Field(ge=0, lt=10)
        let schema = try GenerationSchema(
            jsonSchema: #"""
                {"$defs": {"Step": {"properties": {"text": {"title": "Text", "type": "string"}, "kind": {"enum": ["a", "b"], "title": "Kind", "type": "string"},
                 "score": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": null, "title": "Score"}}, "required": ["text", "kind"], "title": "Step",
                 "type": "object"}}, "properties": {"steps": {"items": {"$ref": "#/$defs/Step"}, "title": "Steps", "type": "array"}, "first": {"$ref": "#/$defs/Step"},
                 "count": {"exclusiveMaximum": 10, "minimum": 0, "title": "Count", "type": "integer"}}, "required": ["steps", "first", "count"], "title": "Plan",
                 "type": "object"}
                """#)
        let step = GenerationSchema.object([
            .init("text", .text), .init("kind", .choice(["a", "b"])), .init("score", .any(of: [.number, .literal("null")])),
        ])
        #expect(
            schema == .object([.init("steps", .array(of: step, minimum: 0, maximum: .max)), .init("first", step), .init("count", .integer(0...9))]))
    }

    private static let single: [(String, GenerationSchema)] = [
        (#"{"type": "string", "maxLength": 5}"#, GenerationSchema.string(minimumLength: 0, maximumLength: 5)),
        (#"{"type": ["string", "null"]}"#, .any(of: [.text, .literal("null")])),
        (#"{"const": 4.50}"#, .literal("4.50")), (#"{"enum": ["a", 1, null]}"#, .any(of: [.choice(["a"]), .literal("1"), .literal("null")])),
        (#"{"type": "object"}"#, .anyObject), (#"{"type": "object", "additionalProperties": false}"#, .object([])),
        (#"{"allOf": [{"type": "boolean"}]}"#, .boolean),
        (#"{"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 3.0}"#, .array(of: .number, minimum: 1, maximum: 3)),
        (
            #"{"properties": {"a": {"type": "string", "format": "date", "minLength": 2}}}"#,
            .object([.init("a", .string(minimumLength: 2, maximumLength: .max))])
        ),
    ]

    @Test("single words", arguments: single)
    func words(text: String, schema: GenerationSchema) throws {
        #expect(try GenerationSchema(jsonSchema: text) == schema)
    }

    private static let refusals: [(String, String)] = [
        (##"{"type": "string", "pattern": "a+"}"##, "pattern"), (##"{"type": "number", "minimum": 0}"##, "minimum"),
        (##"{"type": ["number", "integer"], "minimum": 0}"##, "minimum"),
        (##"{"type": "array"}"##, "items"), (##"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"##, "uniqueItems"),
        (##"{"properties": {"deep": {"properties": {"er": {"type": "color"}}}}}"##, "$.properties.deep.properties.er"),
        (##"{"$ref": "#/$defs/none"}"##, "#/$defs/none"),
        (##"{"$ref": "https://example.org/x"}"##, "$ref"),
        (##"{"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}"##, "itself"),
        (##"{"type": "integer", "minimum": 5, "maximum": 4}"##, "5"), (##"{"type": "object", "properties": {}, "required": ["x"]}"##, "x"),
        (##"{}"##, "type"), ("[]", "object"),
        ("{", "no JSON"), (##"{"type": "string", "maxLength": 2001}"##, "2001"), (##"{"not": {"type": "string"}}"##, "type"),
        (##"{"enum": []}"##, "enum"),
        (##"{"type": "object", "additionalProperties": {"type": "string"}}"##, "additionalProperties"),
        (##"{"type": "string", "minLength": "2"}"##, "minLength"),
        (##"{"allOf": [{"type": "string"}, {"type": "null"}]}"##, "allOf"), (##"{"const": {"a": 1}}"##, "values"),
    ]

    @Test("what an answer might break is refused, with the place", arguments: refusals)
    func refused(text: String, word: String) throws {
        let error = try #require(throws: LanguageModelError.self) { try GenerationSchema(jsonSchema: text) }
        #expect(error.code == .badSchema && error.message.contains(word), "\(error.message)")
    }

    @Test("references cannot multiply a small text into a huge grammar")
    func bomb() throws {
        var definitions = [#""a0": {"type": "boolean"}"#]
        for level in 1...20 {
            definitions.append(
                "\"a\(level)\": {\"anyOf\": [\(Array(repeating: "{\"$ref\": \"#/$defs/a\(level - 1)\"}", count: 10).joined(separator: ","))]}")
        }
        let text = "{\"$defs\": {\(definitions.joined(separator: ","))}, \"$ref\": \"#/$defs/a20\"}"
        let error = try #require(throws: LanguageModelError.self) { try GenerationSchema(jsonSchema: text) }
        #expect(error.code == .badSchema && error.message.contains("2000"))
    }

    @Test(
        "what was read is written as an equal schema",
        arguments: [
            GenerationSchema.text, .number, .literal("null"), .any(of: [.boolean, .literal("12")]), .anyObject,
            .array(of: .text, minimum: 2, maximum: .max), .string(minimumLength: 1, maximumLength: .max),
            .object([.init("b", .number), .init("a", .choice(["x"]))]), .integer(-3...17),
        ])
    func back(schema: GenerationSchema) throws {
        #expect(try GenerationSchema(jsonSchema: schema.jsonSchema) == schema)
    }

    @Test("the grammar of what clients may ask for is fixed text")
    func grammar() throws {
        let schema = GenerationSchema.object([
            .init("n", .number), .init("o", .anyObject), .init("s", .array(of: .any(of: [.text, .literal("null")]), minimum: 1, maximum: .max)),
        ])
        #expect(
            try schema.grammar() == #"""
                root ::= object-1
                number-1 ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?
                letter ::= [^"\\\x00-\x1F\x7F-\x9F\u2028\u2029\uD800-\uDFFF] | "\\" ["\\/bfnrt]
                text-1 ::= "\"" letter* "\""
                value ::= members | elements | text-1 | number-1 | "true" | "false" | "null"
                elements ::= "[" (value ("," value)*)? "]"
                members ::= "{" (text-1 ":" value ("," text-1 ":" value)*)? "}"
                any-1 ::= text-1 | "null"
                array-1 ::= "[" any-1 ("," any-1)* "]"
                object-1 ::= "{\"n\":" number-1 ",\"o\":" members ",\"s\":" array-1 "}"

                """#)
    }
}
