/// A file that is to be in an archive.
public struct ArchiveEntry: Sendable, Equatable {
    /// In the archive, with `/` between folders and none at the beginning.
    public var name: String
    /// On the disk.
    public var path: String
    /// Whether deflating is worth its time: for text, not for sound.
    public var isCompressed: Bool

    public init(name: String, path: String, isCompressed: Bool) {
        self.name = name
        self.path = path
        self.isCompressed = isCompressed
    }
}
