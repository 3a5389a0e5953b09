public import Foundation

extension ModelManifest: Codable {
    enum CodingKeys: String, CodingKey { case schemaVersion, sets, models }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        schemaVersion = try container.decode(Int.self, forKey: .schemaVersion)
        // Nothing else of a newer file can be relied on; validation names the version.
        guard schemaVersion == Self.supportedSchemaVersion else {
            sets = [:]
            models = []
            return
        }
        sets = try container.decodeIfPresent([String: [String]].self, forKey: .sets) ?? [:]
        models = try container.decode([Model].self, forKey: .models)
        for index in models.indices {
            for case .unknown(let kind) in models[index].sources {
                notes.append("model \(models[index].id): a source of kind “\(kind)” is not known to this version and was skipped")
            }
            models[index].sources.removeAll { if case .unknown = $0 { true } else { false } }
            for (place, source) in models[index].sources.enumerated() {
                guard case .wheel(var wheels) = source else { continue }
                for made in wheels.made where FileConversion(rawValue: made.conversion) == nil {
                    notes.append("model \(models[index].id): \(made.to) is made by “\(made.conversion)”, which is not known to this version; update sotto")
                }
                wheels.made.removeAll { FileConversion(rawValue: $0.conversion) == nil }
                models[index].sources[place] = .wheel(wheels)
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(sets, forKey: .sets)
        try container.encode(models, forKey: .models)
    }

    /// Reads and checks a manifest.
    ///
    /// - Throws: ``ModelStoreError`` `.manifestNotFound` or `.invalidManifest`, naming the file and the first fault.
    public static func load(from path: String) throws(ModelStoreError) -> ModelManifest {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ModelStoreError(.manifestNotFound, "the model list \(path) cannot be read: \(error.localizedDescription)", cause: error)
        }
        do {
            return try decode(data)
        } catch {
            throw ModelStoreError(error.code, "\(path): \(error.message)", cause: error.cause)
        }
    }

    /// Decodes and checks a manifest.
    public static func decode(_ data: Data) throws(ModelStoreError) -> ModelManifest {
        let manifest: ModelManifest
        do {
            manifest = try JSONDecoder().decode(ModelManifest.self, from: data)
        } catch let error as DecodingError {
            throw ModelStoreError(.invalidManifest, "not a list of models: \(explain(error))", cause: error)
        } catch {
            throw ModelStoreError(.invalidManifest, "not a list of models: \(error)", cause: error)
        }
        return try manifest.validated()
    }

    private static func explain(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
            return path.isEmpty ? "" : " at \(path)"
        }
        switch error {
        case .keyNotFound(let key, let context): return "“\(key.stringValue)” is missing\(place(context))"
        case .valueNotFound(_, let context): return "a value is missing\(place(context))"
        case .typeMismatch(_, let context), .dataCorrupted(let context): return context.debugDescription + place(context)
        @unknown default: return "\(error)"
        }
    }
}

extension ModelManifest.WheelSource {
    enum CodingKeys: String, CodingKey { case wheels, files, made }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        wheels = try container.decode([ModelManifest.Wheel].self, forKey: .wheels)
        files = try container.decodeIfPresent([ModelManifest.JoinedFile].self, forKey: .files) ?? []
        made = try container.decodeIfPresent([ModelManifest.MadeFile].self, forKey: .made) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(wheels, forKey: .wheels)
        try container.encode(files, forKey: .files)
        if made.isEmpty == false { try container.encode(made, forKey: .made) }
    }
}

extension ModelManifest.Source: Codable {
    enum CodingKeys: String, CodingKey { case kind }

    public init(from decoder: any Decoder) throws {
        let kind = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .kind)
        switch kind {
        case "wheel": self = .wheel(try ModelManifest.WheelSource(from: decoder))
        case "url": self = .url(try ModelManifest.URLSource(from: decoder))
        default: self = .unknown(kind: kind)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .wheel(let source):
            try container.encode("wheel", forKey: .kind)
            try source.encode(to: encoder)
        case .url(let source):
            try container.encode("url", forKey: .kind)
            try source.encode(to: encoder)
        case .unknown(let kind):
            try container.encode(kind, forKey: .kind)
        }
    }
}
