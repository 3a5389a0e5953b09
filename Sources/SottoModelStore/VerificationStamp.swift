import Foundation

/// Remembers which files were hashed and found right, so that the next check costs one look at each file.
struct VerificationStamp: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        var size: Int64
        var modified: Int64
        var inode: UInt64
        var sha256: SHA256Digest
    }

    static let name = ".stamp.json"

    var schemaVersion = 1
    var files: [String: Entry] = [:]

    /// - Returns: An empty stamp when there is none or it cannot be understood: the files are then hashed again.
    static func read(in folder: String) -> VerificationStamp {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)), data.count < 1 << 22,
            let stamp = try? JSONDecoder().decode(VerificationStamp.self, from: data), stamp.schemaVersion == 1
        else { return VerificationStamp() }
        return stamp
    }

    func write(in folder: String) throws(ModelStoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let data: Data
        do {
            data = try encoder.encode(self)
        } catch {
            throw ModelStoreError(.fileFailed, "cannot write the stamp in \(folder): \(error)", cause: error)
        }
        try StoreFolder.write(data, to: folder + "/" + Self.name)
    }

    /// Whether `file` was verified and has not been touched since.
    func covers(_ file: ModelManifest.File, _ facts: FileFacts) -> Bool {
        guard let entry = files[file.path] else { return false }
        return entry.sha256 == file.sha256 && entry.size == facts.size && entry.modified == facts.modified && entry.inode == facts.inode
            && facts.isRegular
    }

    mutating func record(_ file: ModelManifest.File, _ facts: FileFacts) {
        files[file.path] = Entry(size: facts.size, modified: facts.modified, inode: facts.inode, sha256: file.sha256)
    }
}
