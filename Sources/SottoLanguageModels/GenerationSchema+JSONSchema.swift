extension GenerationSchema {
    /// The schema in the words of JSON Schema (draft 2020-12), for reports, tests and engines that take one.
    ///
    /// Compact, and the same text for the same schema; properties keep their order.
    public var jsonSchema: String {
        switch self {
        case .object(let properties):
            let members = properties.map { Self.quoted($0.name) + ":" + $0.schema.jsonSchema }.joined(separator: ",")
            let names = properties.map { Self.quoted($0.name) }.joined(separator: ",")
            return #"{"type":"object","properties":{\#(members)},"required":[\#(names)],"additionalProperties":false}"#
        case .array(let element, let minimum, let maximum):
            return #"{"type":"array","items":\#(element.jsonSchema),"minItems":\#(minimum)\#(maximum < .max ? #","maxItems":\#(maximum)"# : "")}"#
        case .string(let minimum, let maximum):
            let least = minimum > 0 ? #","minLength":\#(minimum)"# : ""
            let most = maximum < .max ? #","maxLength":\#(maximum)"# : ""
            return #"{"type":"string"\#(least)\#(most)}"#
        case .integer(let range):
            return #"{"type":"integer","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#
        case .boolean:
            return #"{"type":"boolean"}"#
        case .choice(let strings):
            return #"{"type":"string","enum":[\#(strings.map(Self.quoted).joined(separator: ","))]}"#
        case .text:
            return #"{"type":"string"}"#
        case .number:
            return #"{"type":"number"}"#
        case .literal(let json):
            return #"{"const":\#(json)}"#
        case .any(let schemas):
            return #"{"anyOf":[\#(schemas.map(\.jsonSchema).joined(separator: ","))]}"#
        case .anyObject:
            return #"{"type":"object"}"#
        }
    }

    /// A JSON string literal: quotes, backslashes and control characters escaped, everything else as it is.
    static func quoted(_ string: String) -> String {
        var literal = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                literal += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
