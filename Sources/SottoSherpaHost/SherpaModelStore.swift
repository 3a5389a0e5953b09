internal import Foundation

/// The models of sherpa-onnx that the user installed: one folder each below `sherpa` in the models' folder.
public struct SherpaModelStore: Sendable {
    /// A folder, and what is in it.
    public struct Entry: Sendable {
        public var name: String
        public var folder: String
        /// Of all its files.
        public var bytes: Int64
        /// The model, or why it cannot be used.
        public var model: Result<SherpaModelFiles, SherpaHostError>
    }

    /// How a model is named where an engine or a model is chosen: `sherpa:NAME`.
    public static let prefix = "sherpa:"

    private let root: String

    /// - Parameter models: The folder of all models.
    public init(models: String) { root = models + "/sherpa" }

    /// All of them, by name.
    public func list() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.filter { $0.hasPrefix(".") == false && isFolder(root + "/" + $0) }.sorted().map(entry)
    }

    /// A model by its name, with or without the prefix.
    ///
    /// - Throws: ``SherpaHostError`` `.modelRefused`, which names the models that there are.
    public func model(_ name: String) throws(SherpaHostError) -> SherpaModelFiles {
        let name = Self.bare(name)
        guard Self.isName(name), isFolder(root + "/" + name) else {
            let names = list().map(\.name)
            throw SherpaHostError(
                .modelRefused,
                "no model \"\(name)\" of sherpa-onnx is installed; "
                    + (names.isEmpty
                        ? "take one from the disk: sotto models import FOLDER" : "there is \(names.map { Self.prefix + $0 }.joined(separator: ", "))")
            )
        }
        return try entry(name).model.get()
    }

    /// Copies a folder into the store, once it is known to hold a model. Only what the model needs is taken.
    ///
    /// - Parameter extras: Further files that belong to it, as ZipVoice's vocoder, which comes by itself.
    /// - Returns: The entry.
    /// - Throws: ``SherpaHostError`` `.modelRefused` when it holds none, or one of that name is there already; `.failed` when it cannot be copied.
    public func `import`(_ folder: String, extras: [String] = []) throws(SherpaHostError) -> Entry {
        let path = URL(fileURLWithPath: folder).standardizedFileURL
        let name = path.lastPathComponent
        guard Self.isName(name) else {
            throw SherpaHostError(.modelRefused, "\"\(name)\" is no name for a model; letters, digits, \".\", \"_\" and \"-\" are")
        }
        let destination = root + "/" + name
        guard FileManager.default.fileExists(atPath: destination) == false else {
            throw SherpaHostError(.modelRefused, "a model \"\(name)\" is there already; remove it first: sotto models remove \(Self.prefix)\(name)")
        }
        let staging = root + "/.\(name).\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: staging) }
            // Links to the files themselves first, to look at them as one folder; archives hold large files of other precisions.
            var sources: [String: String] = [:]
            for source in try Self.files(of: path.path).map({ path.path + "/" + $0 }) + extras {
                sources[URL(fileURLWithPath: source).lastPathComponent] = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
            }
            for (file, source) in sources { try FileManager.default.createSymbolicLink(atPath: staging + "/" + file, withDestinationPath: source) }
            let found = try SherpaModelFiles(folder: staging, names: sources.keys.sorted(), metadata: ONNXMetadata.read)
            let needed = Set(found.paths.map { URL(fileURLWithPath: $0).lastPathComponent })
            for (file, source) in sources {
                try FileManager.default.removeItem(atPath: staging + "/" + file)
                // The rest that matters is small: lists of words, licenses, notes.
                let isSmall = (try FileManager.default.attributesOfItem(atPath: source)[.size] as? Int ?? 0) < 1 << 20
                if needed.contains(file) || isSmall { try FileManager.default.copyItem(atPath: source, toPath: staging + "/" + file) }
            }
            try FileManager.default.moveItem(atPath: staging, toPath: destination)
        } catch let error as SherpaHostError {
            throw error
        } catch {
            throw SherpaHostError(.failed, "\(folder) could not be taken: \(error.localizedDescription)", cause: error)
        }
        return entry(name)
    }

    /// Removes a model.
    ///
    /// - Returns: The bytes that are free now.
    /// - Throws: ``SherpaHostError``.
    public func remove(_ name: String) throws(SherpaHostError) -> Int64 {
        let name = Self.bare(name)
        guard Self.isName(name), isFolder(root + "/" + name) else {
            throw SherpaHostError(.modelRefused, "no model \"\(name)\" of sherpa-onnx is installed")
        }
        let bytes = entry(name).bytes
        do { try FileManager.default.removeItem(atPath: root + "/" + name) } catch {
            throw SherpaHostError(.failed, "\(root)/\(name) could not be removed: \(error.localizedDescription)", cause: error)
        }
        return bytes
    }

    private func entry(_ name: String) -> Entry {
        let folder = root + "/" + name
        let names = (try? Self.files(of: folder)) ?? []
        let bytes = names.reduce(Int64(0)) { sum, file in
            sum + ((try? FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.size] as? Int64) ?? 0)
        }
        let model: Result<SherpaModelFiles, SherpaHostError>
        do throws(SherpaHostError) {
            model = .success(try SherpaModelFiles(folder: folder, names: names, metadata: ONNXMetadata.read))
        } catch {
            model = .failure(error)
        }
        return Entry(name: name, folder: folder, bytes: bytes, model: model)
    }

    private static func bare(_ name: String) -> String { name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name }

    private static func isName(_ name: String) -> Bool {
        name.isEmpty == false && name.hasPrefix(".") == false && name.count <= 120
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private func isFolder(_ path: String) -> Bool {
        var isDirectory = ObjCBool(false)
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Names of the regular files in a folder, links to such included.
    private static func files(of folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            var isDirectory = ObjCBool(false)
            return unsafe name.hasPrefix(".") == false && FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isDirectory)
                && isDirectory.boolValue == false
        }
    }
}
