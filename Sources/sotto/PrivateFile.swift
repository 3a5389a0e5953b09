import Foundation
import Glibc

/// Files of the cache that only their owner may read.
enum PrivateFile {
    @discardableResult static func write(_ data: Data, to path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let temporary = path + ".new"
            try? FileManager.default.removeItem(atPath: temporary)
            guard FileManager.default.createFile(atPath: temporary, contents: data, attributes: [.posixPermissions: 0o600]) else { return false }
            // Unlike Foundation's, this replaces what is there and needs nothing to be there.
            return unsafe rename(temporary, path) == 0
        } catch {
            return false
        }
    }
}
