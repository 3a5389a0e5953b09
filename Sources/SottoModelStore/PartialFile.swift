import Foundation
import Glibc
import SottoStreams

/// A final file on its way: the bytes so far, and a journal that says how far they can be trusted after a crash.
///
/// Bytes are hashed as they arrive. The journal holds the digest at every finished part, so that resuming hashes what is
/// there once and keeps the longest stretch that is provably right. Not `Sendable`: the ``FileAssembly`` that owns it is.
final class PartialFile {
    struct Boundary: Codable, Equatable {
        /// Bytes of the file up to here.
        var end: Int64
        var sha256: SHA256Digest
    }

    struct Journal: Codable, Equatable {
        var schemaVersion = 1
        /// What the bytes come from; bytes of another source are never continued.
        var source: String
        /// One for each finished part, in order.
        var boundaries: [Boundary] = []
        /// The server's strong ETag, or its Last-Modified date.
        var validator: String?
    }

    let path: String
    /// No file of more bytes than this is wanted.
    let limit: Int64
    private(set) var journal: Journal
    private(set) var size: Int64 = 0
    private let file: OpenFile
    private var hasher: SHA256Hasher

    private static func journalPath(_ path: String) -> String { path + ".json" }

    /// Opens what is there and keeps what can be trusted of it.
    ///
    /// - Parameters:
    ///   - keepTail: Keep bytes after the last boundary too (a download, where the final hash decides); otherwise the file
    ///     is cut back to the last boundary whose digest is right.
    /// - Throws: ``ModelStoreError``; `CancellationError` while hashing what is there.
    init(resuming path: String, source: String, limit: Int64, keepTail: Bool, flag: CancellationFlag?) throws {
        self.path = path
        self.limit = limit
        file = try OpenFile(path, .readWrite)
        hasher = try SHA256Hasher()
        var saved = Journal(source: source)
        if let data = try? Data(contentsOf: URL(fileURLWithPath: Self.journalPath(path))),
            let journal = try? JSONDecoder().decode(Journal.self, from: data), journal.schemaVersion == 1, journal.source == source
        {
            saved = journal
        }
        journal = Journal(source: source)
        let facts = try file.facts()
        let trusted = keepTail && saved.validator != nil ? facts.size : saved.boundaries.last?.end ?? 0
        if facts.size > 0, trusted > 0, facts.size <= limit {
            try replay(saved, upTo: min(trusted, facts.size), keepTail: keepTail, flag: flag)
        }
        try file.truncate(to: size)
    }

    /// Hashes what is there, boundary by boundary, and stops at the first that differs.
    private func replay(_ saved: Journal, upTo end: Int64, keepTail: Bool, flag: CancellationFlag?) throws {
        let buffer = ByteBuffer()
        var goals = saved.boundaries.map { (end: $0.end, sha256: Optional($0.sha256)) }.filter { $0.end <= end && $0.end > 0 }
        if keepTail, goals.last?.end ?? 0 < end { goals.append((end, nil)) }
        var position: Int64 = 0
        var trial = try SHA256Hasher()
        for goal in goals {
            while position < goal.end {
                if flag?.isCancelled == true { throw CancellationError() }
                let wanted = Int(min(Int64(buffer.count), goal.end - position))
                let count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<wanted]))
                if count == 0 { return try rebuild(to: size, buffer) }
                unsafe trial.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
                position += Int64(count)
            }
            if let expected = goal.sha256 {
                guard try trial.digest() == expected else { return try rebuild(to: size, buffer) }
                journal.boundaries.append(Boundary(end: goal.end, sha256: expected))
            }
            size = goal.end
        }
        journal.validator = saved.validator
        hasher = trial
    }

    /// After a part that is not right: the hasher of the good stretch before it.
    private func rebuild(to end: Int64, _ buffer: ByteBuffer) throws {
        hasher = try SHA256Hasher()
        try file.rewind()
        var position: Int64 = 0
        while position < end {
            let wanted = Int(min(Int64(buffer.count), end - position))
            let count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<wanted]))
            guard count > 0 else { throw ModelStoreError(.fileFailed, "\(path) changed while it was read; pull again") }
            unsafe hasher.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
            position += Int64(count)
        }
    }

    /// - Throws: ``ModelStoreError`` `.wrongContents` once there would be more bytes than the file may have.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ModelStoreError) {
        guard size + Int64(bytes.count) <= limit else {
            throw ModelStoreError(.wrongContents, "more than the expected \(limit) bytes arrived")
        }
        try unsafe file.write(bytes)
        unsafe hasher.update(bytes)
        size += Int64(bytes.count)
    }

    /// Marks the end of a part: from here a crash loses nothing before it.
    func seal() throws {
        try file.synchronize()
        journal.boundaries.append(Boundary(end: size, sha256: try hasher.digest()))
        try save()
    }

    /// Cuts back to the last finished part, after a part that failed half-way.
    func revert(flag: CancellationFlag?) throws {
        let end = journal.boundaries.last?.end ?? 0
        guard size != end else { return }
        try rebuild(to: end, ByteBuffer())
        size = end
        try file.truncate(to: end)
    }

    /// Starts a download over, or notes what the server says about the version whose bytes follow.
    func begin(validator: String?, keepingBytes: Bool) throws {
        if keepingBytes == false {
            size = 0
            hasher = try SHA256Hasher()
            try file.truncate(to: 0)
            journal.boundaries = []
        }
        guard journal.validator != validator || keepingBytes == false else { return }
        journal.validator = validator
        try save()
    }

    private func save() throws {
        try StoreFolder.write(try JSONEncoder().encode(journal), to: Self.journalPath(path))
    }

    /// Puts the file in place if it is what was wanted.
    ///
    /// - Throws: ``ModelStoreError`` `.wrongContents`; the partial file stays and must be discarded.
    func finish(as expected: ModelManifest.File, at destination: String) throws {
        let digest = try hasher.digest()
        guard size == expected.size, digest == expected.sha256 else {
            throw ModelStoreError(
                .wrongContents,
                "\(expected.path) came out with \(size) bytes and SHA-256 \(digest), expected \(expected.size) bytes and \(expected.sha256)")
        }
        guard fchmod(file.descriptor, 0o600) == 0 else { throw OpenFile.failure("protect", path) }
        try file.synchronize()
        try StoreFolder.make((destination as NSString).deletingLastPathComponent)
        try StoreFolder.replace(destination, with: path)
        try StoreFolder.remove(Self.journalPath(path))
    }

    static func discard(_ path: String) throws(ModelStoreError) {
        try StoreFolder.remove(path)
        try StoreFolder.remove(journalPath(path))
    }

    /// Bytes that a pull could continue from, for `list`.
    static func resumableBytes(_ path: String) -> Int64 {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: journalPath(path))),
            let journal = try? JSONDecoder().decode(Journal.self, from: data), let facts = FileFacts.of(path)
        else { return 0 }
        return journal.validator != nil ? facts.size : min(facts.size, journal.boundaries.last?.end ?? 0)
    }
}
