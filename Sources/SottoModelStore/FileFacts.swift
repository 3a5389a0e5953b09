import Glibc

/// What tells cheaply that a file is still the one that was verified.
struct FileFacts: Sendable, Equatable {
    var isRegular: Bool
    var isFolder: Bool
    /// Bytes.
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    var inode: UInt64

    init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    /// - Returns: `nil` when nothing is at `path`, or nothing that may be seen.
    static func of(_ path: String) -> FileFacts? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileFacts(status)
    }
}
