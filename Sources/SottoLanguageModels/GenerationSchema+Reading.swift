extension GenerationSchema {
    /// Reads a JSON Schema (draft 2020-12) that somebody else wrote, as programs hand them over for structured answers.
    ///
    /// Understood: `type` (one or several), `properties`, `items`, `minItems`, `maxItems`, `minLength`, `maxLength`, bounds of integers, `enum`,
    /// `const`,
    /// `anyOf`, `oneOf` (as `anyOf`), `allOf` of one, `$ref` to `$defs` and `definitions` that does not lead back to itself. Every property is
    /// written,
    /// whether `required` names it or not, in the order of `properties`, and no others. Annotations count for nothing, `format` among them. Any other
    /// word is refused:
    /// an answer might break it.
    ///
    /// - Throws: ``LanguageModelError`` `.badSchema` that names the place.
    public init(jsonSchema text: String) throws(LanguageModelError) {
        guard let root = JSONText(text) else { throw LanguageModelError(.badSchema, "the schema is no JSON object, or is nested too deeply") }
        var reader = JSONSchemaReader(root: root)
        self = try reader.schema(root, at: "$", following: [])
        // Whether a bound is too large shows here.
        _ = try grammar()
    }
}

private struct JSONSchemaReader {
    /// References may multiply what is written once.
    private static let mostSchemas = 2_000
    private static let annotations: Set<String> = [
        "title", "description", "default", "examples", "example", "$schema", "$id", "$comment", "$anchor", "deprecated", "readOnly", "writeOnly",
        "format",
        "discriminator", "contentMediaType", "contentEncoding",
    ]
    /// The largest whole number that every reader of JSON keeps exact (RFC 8259, section 6).
    private static let largestWhole = (1 << 53) - 1

    let root: JSONText
    private var count = 0

    init(root: JSONText) { self.root = root }

    mutating func schema(_ value: JSONText, at place: String, following references: [String]) throws(LanguageModelError) -> GenerationSchema {
        count += 1
        guard count <= Self.mostSchemas else { throw bad("the schema is larger than \(Self.mostSchemas) schemas once its references are followed") }
        guard let members = value.members else { throw bad("\(place) is to be an object") }
        let words = Set(members.map(\.name)).subtracting(Self.annotations).subtracting(["$defs", "definitions"])
        func only(_ allowed: Set<String>) throws(LanguageModelError) {
            if let odd = words.subtracting(allowed).min() { throw bad("\(place): \"\(odd)\" cannot be kept to") }
        }
        if let reference = value["$ref"] {
            try only(["$ref"])
            return try referred(reference, at: place, following: references)
        }
        if let constant = value["const"] {
            try only(["const", "type"])
            return try literal(constant, at: place)
        }
        if let list = value["enum"] {
            try only(["enum", "type"])
            return try choice(list, at: place)
        }
        for word in ["anyOf", "oneOf"] where value[word] != nil {
            try only([word])
            guard let elements = value[word]?.elements, elements.isEmpty == false else { throw bad("\(place).\(word) is to be a list with schemas") }
            var schemas: [GenerationSchema] = []
            for (index, element) in elements.enumerated() {
                schemas.append(try schema(element, at: "\(place).\(word)[\(index)]", following: references))
            }
            return schemas.count == 1 ? schemas[0] : .any(of: schemas)
        }
        if let list = value["allOf"] {
            try only(["allOf"])
            guard let elements = list.elements, elements.count == 1 else { throw bad("\(place).allOf can be kept to when it has one schema only") }
            return try schema(elements[0], at: "\(place).allOf[0]", following: references)
        }
        if let types = value["type"]?.elements {
            var schemas: [GenerationSchema] = []
            for type in types {
                guard let name = type.string else { throw bad("\(place).type is to be a name or a list of names") }
                schemas.append(try typed(name, value, words: words, among: types.count, at: place, following: references))
            }
            guard schemas.isEmpty == false else { throw bad("\(place).type is empty") }
            return schemas.count == 1 ? schemas[0] : .any(of: schemas)
        }
        guard let type = value["type"]?.string ?? (value["properties"] == nil ? nil : "object") else { throw bad("\(place) has no type") }
        return try typed(type, value, words: words, among: 1, at: place, following: references)
    }

    private static let wordsOfTypes: [String: Set<String>] = [
        "object": ["properties", "required", "additionalProperties"], "array": ["items", "minItems", "maxItems"],
        "string": ["minLength", "maxLength"],
        "integer": ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], "number": [], "boolean": [], "null": [],
    ]

    private mutating func typed(
        _ type: String, _ value: JSONText, words: Set<String>, among types: Int, at place: String, following references: [String]
    ) throws(LanguageModelError) -> GenerationSchema {
        guard let own = Self.wordsOfTypes[type] else { throw bad("\(place): there is no type \"\(type)\"") }
        // A word of another type says nothing of this one; but bounds of numbers are for both kinds of number.
        var others = types > 1 ? Set(Self.wordsOfTypes.values.joined()) : []
        if type == "number" { others.subtract(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) }
        if let odd = words.subtracting(own).subtracting(others).subtracting(["type"]).min() {
            throw bad("\(place): \"\(odd)\" cannot be kept to with type \(type)")
        }
        func whole(_ name: String) throws(LanguageModelError) -> Int? {
            guard let given = value[name] else { return nil }
            guard let number = given.whole else { throw bad("\(place).\(name) is to be a whole number") }
            return number
        }
        switch type {
        case "object": return try object(value, at: place, following: references)
        case "array":
            guard let items = value["items"] else { throw bad("\(place) is a list of unknown things; give it items") }
            return .array(
                of: try schema(items, at: place + ".items", following: references), minimum: try whole("minItems") ?? 0,
                maximum: try whole("maxItems") ?? .max)
        case "string":
            let (least, most) = (try whole("minLength"), try whole("maxLength"))
            return least == nil && most == nil ? .text : .string(minimumLength: least ?? 0, maximumLength: most ?? .max)
        case "integer":
            var (low, high) = (-Self.largestWhole, Self.largestWhole)
            if let bound = try whole("minimum") { low = bound }
            if let bound = try whole("exclusiveMinimum"), bound < .max { low = max(low, bound + 1) }
            if let bound = try whole("maximum") { high = bound }
            if let bound = try whole("exclusiveMaximum"), bound > .min { high = min(high, bound - 1) }
            guard low <= high else { throw bad("\(place): no whole number is from \(low) to \(high)") }
            return .integer(low...high)
        case "number": return .number
        case "boolean": return .boolean
        default: return .literal("null")
        }
    }

    private mutating func object(_ value: JSONText, at place: String, following references: [String]) throws(LanguageModelError) -> GenerationSchema {
        let others = value["additionalProperties"]?.text ?? "true"
        guard let properties = value["properties"] else {
            if others == "true" { return .anyObject }
            guard others == "false" else {
                throw bad("\(place): an object whose names are free cannot have \"additionalProperties\" of a given shape")
            }
            return .object([])
        }
        guard let members = properties.members else { throw bad("\(place).properties is to be an object") }
        var known: [GenerationSchema.Property] = []
        for (name, shape) in members { known.append(.init(name, try schema(shape, at: "\(place).properties.\(name)", following: references))) }
        if let required = value["required"] {
            for name in required.elements ?? [] where known.contains(where: { $0.name == name.string }) == false {
                throw bad("\(place): \(name.text) is required and is not among the properties")
            }
        }
        return .object(known)
    }

    private mutating func referred(_ reference: JSONText, at place: String, following references: [String]) throws(LanguageModelError)
        -> GenerationSchema
    {
        guard let target = reference.string, target.hasPrefix("#/") else { throw bad("\(place).$ref is to begin with #/") }
        guard references.contains(target) == false else { throw bad("\(place): \(target) leads back to itself, which cannot be kept to") }
        var found: JSONText? = root
        for step in target.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false) {
            found = found?[String(step).replacing("~1", with: "/").replacing("~0", with: "~")]
        }
        guard let found else { throw bad("\(place): there is no \(target)") }
        return try schema(found, at: target, following: references + [target])
    }

    private func choice(_ list: JSONText, at place: String) throws(LanguageModelError) -> GenerationSchema {
        guard let elements = list.elements, elements.isEmpty == false else { throw bad("\(place).enum is to be a list with values") }
        let strings = elements.compactMap(\.string)
        if strings.count == elements.count { return .choice(strings) }
        var literals: [GenerationSchema] = []
        for element in elements { literals.append(try literal(element, at: place)) }
        return .any(of: literals)
    }

    private func literal(_ value: JSONText, at place: String) throws(LanguageModelError) -> GenerationSchema {
        if let string = value.string { return .choice([string]) }
        guard value.members == nil, value.elements == nil else {
            throw bad("\(place): only texts, numbers, true, false and null can be given as values")
        }
        return .literal(value.text)
    }

    private func bad(_ message: String) -> LanguageModelError { LanguageModelError(.badSchema, message) }
}
