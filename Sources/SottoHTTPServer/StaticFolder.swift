internal import Foundation
public import SottoServing

/// Reads the app's files from a folder, once.
public enum StaticFolder {
    /// All files together, in bytes; more is a mistake in the folder's name.
    private static let most = 64 << 20

    /// Regular files at any depth; hidden ones and links are left out.
    ///
    /// - Throws: ``ServingError`` `.socketFailed` never; `.badResponse` when the folder cannot be read or is too large.
    public static func read(_ path: String) throws(ServingError) -> StaticFiles {
        let root = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
        let keys: [URLResourceKey] = [.isRegularFileKey, .isSymbolicLinkKey, .fileSizeKey]
        guard FileManager.default.fileExists(atPath: root.path),
            let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
        else { throw ServingError(.badResponse, "the app's files are missing: there is no folder \(path)") }
        var contents: [String: [UInt8]] = [:]
        var total = 0
        while let file = walk.nextObject() as? URL {
            guard let values = try? file.resourceValues(forKeys: Set(keys)), values.isRegularFile == true, values.isSymbolicLink != true else {
                continue
            }
            total += values.fileSize ?? 0
            guard total <= most else { throw ServingError(.badResponse, "the folder \(path) holds more than \(most >> 20) MiB; it is not the app's") }
            let name = file.standardizedFileURL.path.dropFirst(root.path.count + 1)
            do { contents[String(name)] = [UInt8](try Data(contentsOf: file)) } catch {
                throw ServingError(.badResponse, "cannot read \(file.path)", cause: error)
            }
        }
        return StaticFiles(contents)
    }

    /// Where the app's files are: beside the program, in an installed tree, or in the checkout that it was built in.
    public static func besideProgram(named name: String = "Web") -> String? {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let folder = (program as NSString).deletingLastPathComponent
        return ["\(folder)/\(name)", "\(folder)/../share/sotto/\(name)", "\(folder)/../../../\(name)"].first { path in
            FileManager.default.fileExists(atPath: path + "/index.html")
        }
    }
}
