internal import Glibc

/// Lists the documents below a folder, one directory at a time, in a stable order.
///
/// Hidden names are skipped. Symbolic links are followed, each directory is entered once, and a link to a folder above the root is not.
/// A directory that cannot be read is reported and skipped.
struct FolderWalk {
    struct File: Sendable {
        var path: String
        var size: Int64
        /// Seconds since 1970.
        var modified: Double
    }

    enum Step { case file(File), unreadable(path: String, reason: String) }

    private struct Identity: Hashable {
        var device: UInt
        var inode: UInt
    }

    private let isDocument: (String) -> Bool
    private var directories: [String]
    private var files: [Step] = []
    private var seen: Set<Identity> = []

    init(root: String, isDocument: @escaping (String) -> Bool) {
        self.isDocument = isDocument
        directories = [root]
        // The folders above: entering one by a link would read the whole disk.
        var above = root
        while above.count > 1 {
            above = above.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            if above.isEmpty { above = "/" }
            if let status = Self.status(of: above) { seen.insert(Self.identity(status)) }
        }
    }

    /// What `stat` says, following links; `nil` when there is nothing.
    static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    static func file(_ path: String, _ status: stat) -> File {
        let modified = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        return File(path: path, size: Int64(status.st_size), modified: modified)
    }

    static func isDirectory(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }
    static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    private static func identity(_ status: stat) -> Identity { Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino)) }

    mutating func next() -> Step? {
        while files.isEmpty {
            guard let directory = directories.popLast() else { return nil }
            read(directory)
        }
        return files.removeLast()
    }

    private mutating func read(_ directory: String) {
        guard let status = Self.status(of: directory), seen.insert(Self.identity(status)).inserted else { return }
        guard let stream = unsafe opendir(directory) else {
            files.append(.unreadable(path: directory, reason: unsafe String(cString: strerror(errno))))
            return
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasPrefix(".") == false { names.append(name) }
        }
        // Both lists are taken from their ends.
        var below: [String] = []
        for name in names.sorted(by: >) {
            let path = directory == "/" ? "/" + name : directory + "/" + name
            guard let status = Self.status(of: path) else { continue }
            if Self.isDirectory(status) {
                below.append(path)
            } else if Self.isRegular(status), isDocument(name) {
                files.append(.file(Self.file(path, status)))
            }
        }
        directories += below
    }
}
