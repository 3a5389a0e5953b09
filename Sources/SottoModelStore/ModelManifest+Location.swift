import Foundation

extension ModelManifest {
    /// Where the list of models is: `$SOTTO_MANIFEST`, else beside an installed program, else in the checkout around it.
    ///
    /// - Parameters:
    ///   - environment: Only `SOTTO_MANIFEST` is read.
    ///   - executable: The running program's absolute path; links are followed.
    /// - Returns: The path of a file that exists.
    /// - Throws: ``ModelStoreError`` `.manifestNotFound` with every place that was tried.
    public static func locate(environment: [String: String], executable: String) throws(ModelStoreError) -> String {
        if let named = environment["SOTTO_MANIFEST"], named.isEmpty == false {
            guard FileFacts.of(named)?.isRegular == true else {
                throw ModelStoreError(.manifestNotFound, "SOTTO_MANIFEST names \(named), and no file is there")
            }
            return named
        }
        let program = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
        var folder = program.deletingLastPathComponent()
        var tried = [folder.deletingLastPathComponent().path + "/share/sotto/models/manifest.json"]
        while true {
            // A checkout is a folder with the package's own description beside it, so that a stray file is not taken.
            if FileFacts.of(folder.path + "/Package.swift")?.isRegular == true { tried.append(folder.path + "/Models/manifest.json") }
            let parent = folder.deletingLastPathComponent()
            if parent.path == folder.path { break }
            folder = parent
        }
        for path in tried where FileFacts.of(path)?.isRegular == true { return path }
        throw ModelStoreError(
            .manifestNotFound,
            "the list of models was not found (tried \(tried.joined(separator: ", "))). Set SOTTO_MANIFEST to manifest.json")
    }
}
