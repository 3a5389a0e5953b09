/// Whether a model can be used.
public enum ModelState: Sendable, Equatable {
    /// Every file is there and was verified.
    case installed
    case missing
    /// Some of it is there; a pull continues from these bytes.
    case partial(bytes: Int64)
    /// A file is not what the manifest names; a pull replaces it.
    case damaged(reason: String)
}

/// One line of `sotto models list`.
public struct ModelRow: Sendable, Equatable {
    public var id: String
    public var role: String
    public var name: String
    public var license: String
    /// Bytes of all files.
    public var size: Int64
    public var state: ModelState
    /// The sets that hold it, sorted.
    public var sets: [String]
}

/// A model that was found whole.
public struct InstalledModel: Sendable, Equatable {
    public var id: String
    /// The absolute path of its folder.
    public var folder: String
    /// The paths of its files below the folder.
    public var files: [String]

    /// The absolute path of one of its files.
    public func path(_ file: String) -> String { folder + "/" + file }
}

/// What a pull did.
public struct PullReport: Sendable, Equatable {
    /// Models that are whole now and were not before.
    public var installed: [String] = []
    public var alreadyThere: [String] = []
}

/// What an import did.
public struct ImportReport: Sendable, Equatable {
    /// The model's files that were taken over.
    public var imported: [String] = []
    /// The model's files that are still to come.
    public var missing: [String] = []
}
