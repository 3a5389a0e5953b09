import Foundation

/// Files below some paths.
struct DataFolder: Sendable {
    var bytes: Int64 = 0
    var files: [String] = []

    /// - Parameters:
    ///   - paths: Of files and folders; those that are not there hold nothing.
    ///   - left: Paths that do not count, with all that is below them.
    init(_ paths: [String], without left: Set<String> = []) {
        for path in paths { add(path, left) }
    }

    private mutating func add(_ path: String, _ left: Set<String>) {
        guard left.contains(path) == false, let facts = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        // Where a link leads is not ours.
        guard facts[.type] as? FileAttributeType == .typeDirectory else {
            files.append(path)
            bytes += (facts[.size] as? NSNumber)?.int64Value ?? 0
            return
        }
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() { add(path + "/" + name, left) }
    }

    /// Empties a folder and keeps it, for somebody may be writing there.
    static func empty(_ path: String) throws {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { try remove(path + "/" + name) }
    }

    static func remove(_ path: String) throws {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            guard (error as? CocoaError)?.code == .fileNoSuchFile else {
                throw CommandError("\(path) cannot be removed: \(error.localizedDescription)")
            }
        }
    }
}
