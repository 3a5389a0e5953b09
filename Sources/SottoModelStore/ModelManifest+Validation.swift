import Foundation

extension ModelManifest {
    /// Checks everything that later becomes a path, an argument or a size.
    ///
    /// - Returns: The manifest itself.
    /// - Throws: ``ModelStoreError`` `.invalidManifest` with the first fault.
    public func validated() throws(ModelStoreError) -> ModelManifest {
        guard schemaVersion == Self.supportedSchemaVersion else {
            throw fault("its schemaVersion is \(schemaVersion), this version of sotto reads \(Self.supportedSchemaVersion); update sotto")
        }
        guard models.isEmpty == false else { throw fault("it lists no model") }
        var ids: Set<String> = []
        for model in models {
            guard Self.isSafeID(model.id) else {
                throw fault("the id “\(model.id)” cannot be a folder's name; use letters, digits, “.”, “_” and “-”")
            }
            // File systems that ignore case would put both into one folder.
            guard ids.insert(model.id.lowercased()).inserted else { throw fault("the id “\(model.id)” is there twice") }
            try validate(model)
        }
        for (name, members) in sets.sorted(by: { $0.key < $1.key }) {
            guard Self.isSafeID(name), ids.contains(name.lowercased()) == false else { throw fault("the set's name “\(name)” is not usable") }
            for id in members where models.contains(where: { $0.id == id }) == false {
                throw fault("the set “\(name)” names “\(id)”, which is not a model")
            }
        }
        return self
    }

    private func validate(_ model: Model) throws(ModelStoreError) {
        guard model.files.isEmpty == false else { throw fault("model \(model.id) has no files") }
        var paths: Set<String> = []
        for file in model.files {
            guard Self.isSafePath(file.path) else { throw fault("model \(model.id): the path “\(file.path)” is not a plain relative path") }
            guard file.size > 0, file.size < 1 << 46 else { throw fault("model \(model.id): \(file.path) cannot have \(file.size) bytes") }
            guard paths.insert(file.path).inserted else { throw fault("model \(model.id): \(file.path) is there twice") }
        }
        for path in paths where paths.contains(where: { $0.hasPrefix(path + "/") }) {
            throw fault("model \(model.id): “\(path)” is both a file and a folder")
        }
        for source in model.sources {
            switch source {
            case .wheel(let wheels):
                for wheel in wheels.wheels {
                    guard wheel.requirement.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*/) != nil else {
                        throw fault("model \(model.id): “\(wheel.requirement)” is not of the form name==version")
                    }
                    guard wheel.platform?.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_]*/) != nil || wheel.platform == nil else {
                        throw fault("model \(model.id): “\(wheel.platform ?? "")” is not a platform tag")
                    }
                }
                for file in wheels.files {
                    guard paths.contains(file.to) else { throw fault("model \(model.id): a source makes “\(file.to)”, which is not among its files") }
                    guard file.join.isEmpty == false else { throw fault("model \(model.id): a source joins nothing to make \(file.to)") }
                    try validate(file.join, file.to, wheels, model)
                }
                for made in wheels.made { try validate(made, wheels, paths, model) }
            case .url(let downloads):
                for file in downloads.files {
                    guard paths.contains(file.to) else { throw fault("model \(model.id): a source makes “\(file.to)”, which is not among its files") }
                    guard let url = URL(string: file.url), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
                        url.host?.isEmpty == false, url.user == nil, url.password == nil
                    else { throw fault("model \(model.id): “\(file.url)” is not an http or https address") }
                }
            case .unknown: break
            }
        }
    }

    private func validate(_ entries: [Entry], _ name: String, _ source: WheelSource, _ model: Model) throws(ModelStoreError) {
        for entry in entries where source.wheels.indices.contains(entry.wheel) == false {
            throw fault("model \(model.id): \(name) names wheel \(entry.wheel), and there are \(source.wheels.count)")
        }
    }

    private func validate(_ made: MadeFile, _ source: WheelSource, _ paths: Set<String>, _ model: Model) throws(ModelStoreError) {
        guard paths.contains(made.to) else { throw fault("model \(model.id): a source makes “\(made.to)”, which is not among its files") }
        // Conversions that are not known were left out with a note while reading.
        guard let conversion = FileConversion(rawValue: made.conversion) else { throw fault("model \(model.id): no conversion is called “\(made.conversion)”") }
        let names = made.from.map(\.name)
        guard names.count == Set(names).count, Set(names) == conversion.ingredients else {
            throw fault("model \(model.id): \(made.to) is made from \(names.sorted()), and “\(made.conversion)” needs \(conversion.ingredients.sorted())")
        }
        for ingredient in made.from {
            guard ingredient.size > 0, ingredient.size < 1 << 46 else { throw fault("model \(model.id): \(ingredient.name) cannot have \(ingredient.size) bytes") }
            guard ingredient.join.isEmpty == false else { throw fault("model \(model.id): a source joins nothing to make \(ingredient.name)") }
            try validate(ingredient.join, ingredient.name, source, model)
        }
    }

    /// Whether `id` may name a folder of the store.
    static func isSafeID(_ id: String) -> Bool {
        id.utf8.count <= 100 && id.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
    }

    /// Whether `path` stays inside its folder; dot files are the store's own.
    static func isSafePath(_ path: String) -> Bool {
        guard path.utf8.count <= 500, path.utf8.allSatisfy({ $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }) else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.isEmpty == false && parts.allSatisfy { $0.isEmpty == false && $0.first != "." && $0.utf8.count <= 200 }
    }

    private func fault(_ text: String) -> ModelStoreError { ModelStoreError(.invalidManifest, "the model list is not usable: \(text)") }
}
