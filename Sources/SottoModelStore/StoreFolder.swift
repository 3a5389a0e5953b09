import Foundation
import Glibc
import SottoStreams

/// Small steps on the store's folders: private modes, atomic replacement, and hashing as a stream.
enum StoreFolder {
    /// Makes the folder and its parents, each readable by the owner alone.
    static func make(_ path: String) throws(ModelStoreError) {
        if FileFacts.of(path)?.isFolder == true { return }
        let parent = (path as NSString).deletingLastPathComponent
        if parent.isEmpty == false, parent != path { try make(parent) }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw OpenFile.failure("make", path) }
        guard FileFacts.of(path)?.isFolder == true else {
            throw ModelStoreError(.fileFailed, "\(path) is in the way: it is not a folder. Move it and try again")
        }
    }

    /// Puts a finished file in its place in one step and makes the step survive a power cut.
    static func replace(_ destination: String, with source: String) throws(ModelStoreError) {
        guard unsafe rename(source, destination) == 0 else { throw OpenFile.failure("put in place", destination) }
        try synchronize((destination as NSString).deletingLastPathComponent)
    }

    /// Writes a small file so that a reader sees the old one or the new one, whole.
    static func write(_ data: Data, to path: String) throws(ModelStoreError) {
        let temporary = path + ".new"
        do {
            let file = try OpenFile(temporary, .replace)
            try write(data, to: file)
            try file.synchronize()
        }
        try replace(path, with: temporary)
    }

    static func write(_ data: Data, to file: borrowing OpenFile) throws(ModelStoreError) {
        let bytes = [UInt8](data)
        let descriptor = file.descriptor
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if count < 0 {
                guard errno == EINTR else { throw OpenFile.failure("write", file.path) }
                continue
            }
            offset += count
        }
    }

    static func synchronize(_ folder: String) throws(ModelStoreError) {
        let folder = try OpenFile(folder.isEmpty ? "." : folder, .read)
        try folder.synchronize()
    }

    /// Removes a file or a folder with all that is in it; nothing there is no error. A link is removed, not followed.
    static func remove(_ path: String) throws(ModelStoreError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            if unsafe lstat(path, &status) != 0 { return }
            throw ModelStoreError(.fileFailed, "cannot remove \(path): \(error.localizedDescription)", cause: error)
        }
    }

    /// The names in a folder, sorted; empty when there is none.
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Bytes of all regular files below `path`, links not followed.
    static func size(of path: String) -> Int64 {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return 0 }
        let facts = FileFacts(status)
        if facts.isRegular { return facts.size }
        guard facts.isFolder else { return 0 }
        return names(in: path).reduce(0) { $0 + size(of: path + "/" + $1) }
    }

    /// Hashes a whole file, a megabyte at a time.
    ///
    /// - Parameter report: Receives the bytes hashed since the last call.
    /// - Throws: `CancellationError` within one megabyte after `flag` is raised.
    static func hash(_ path: String, flag: CancellationFlag?, report: (Int64) -> Void = { _ in }) throws -> SHA256Digest {
        let file = try OpenFile(path, .read)
        return try hash(file, flag: flag, report: report)
    }

    static func hash(_ file: borrowing OpenFile, flag: CancellationFlag?, report: (Int64) -> Void = { _ in }) throws -> SHA256Digest {
        var hasher = try SHA256Hasher()
        let buffer = ByteBuffer()
        while true {
            if flag?.isCancelled == true { throw CancellationError() }
            let count = try unsafe file.read(into: buffer.bytes)
            if count == 0 { return try hasher.digest() }
            unsafe hasher.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
            report(Int64(count))
        }
    }
}
