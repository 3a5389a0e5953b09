import CLinux
import Foundation
import Glibc
import SottoStreams

extension ModelStore {
    /// Takes files of a model from the disk: a final file, a wheel of the manifest, an archive with a final file in it, or a
    /// folder of any of these (links and dot files in it are not followed). Nothing is believed by its name, and the original stays.
    ///
    /// - Parameters:
    ///   - id: The model.
    ///   - path: A file or folder.
    /// - Returns: What was taken over and what is still missing.
    /// - Throws: ``ModelStoreError`` `.importMismatch` when nothing of it belongs to the model, saying which model it
    ///   belongs to or else what was expected; `.notEnoughSpace`, `.fileFailed`; `CancellationError`.
    public func `import`(
        _ id: String, from path: String, progress: @escaping PullProgressHandler = { _ in }
    ) async throws -> ImportReport {
        let model = try manifest.model(id)
        guard FileFacts.of(path) != nil else { throw ModelStoreError(.importMismatch, "nothing is at \(path)") }
        let lock = try await lockStore(progress)
        defer { extendLifetime(lock) }
        let tracker = PullTracker([model], progress)
        let stored = StoredModel(model, root: configuration.root)
        let conditions = try await conditions(of: stored, isFull: false, phase: .checking, tracker: tracker)
        let missing = zip(model.files, conditions).filter { $0.1 != .verified }.map(\.0)
        if missing.isEmpty { return ImportReport() }

        let candidates = try Self.candidates(at: path)
        let needed = missing.reduce(0) { $0 + $1.size } + configuration.reserve
        if let free = configuration.availableSpace(configuration.root), free < needed {
            throw ModelStoreError(
                .notEnoughSpace, "not enough room in \(configuration.root): \(Self.megabytes(needed)) are needed, \(Self.megabytes(free)) are free")
        }
        try StoreFolder.make(stored.folder)
        try StoreFolder.make(stored.unfinished)
        var report = ImportReport()
        var completed = model.size - missing.reduce(0) { $0 + $1.size }
        let digests = CandidateDigests(worker: worker)
        for file in missing {
            if try await take(file, of: stored, from: candidates, digests, base: completed, tracker) {
                report.imported.append(file.path)
                completed += file.size
            } else {
                report.missing.append(file.path)
            }
        }
        let isPartlyJoined = stored.resumableBytes > 0
        if report.missing.isEmpty { try StoreFolder.remove(stored.unfinished) }
        if report.imported.isEmpty, isPartlyJoined == false {
            throw try await mismatch(model, missing, path, candidates, digests)
        }
        tracker.report(.done, id, model.name, completed: completed)
        return report
    }

    /// The regular files at a path, at most 10 000 of them, at most 8 folders deep.
    static func candidates(at path: String) throws(ModelStoreError) -> [String] {
        guard let top = FileFacts.of(path) else { return [] }
        if top.isRegular { return [path] }
        guard top.isFolder else { throw ModelStoreError(.importMismatch, "\(path) is neither a file nor a folder") }
        var found: [String] = []
        var folders = [(path: path, depth: 0)]
        while let folder = folders.popLast() {
            for name in StoreFolder.names(in: folder.path) where name.hasPrefix(".") == false {
                let item = folder.path + "/" + name
                var status = stat()
                guard unsafe lstat(item, &status) == 0 else { continue }
                let facts = FileFacts(status)
                if facts.isRegular {
                    found.append(item)
                    if found.count > 10_000 { throw ModelStoreError(.importMismatch, "\(path) holds too many files; name the model's own folder") }
                } else if facts.isFolder, folder.depth < 8 {
                    folders.append((item, folder.depth + 1))
                }
            }
        }
        return found.sorted()
    }

    private func take(
        _ file: ModelManifest.File, of stored: StoredModel, from candidates: [String], _ digests: CandidateDigests, base: Int64,
        _ tracker: PullTracker
    ) async throws -> Bool {
        // 1 The file itself.
        for candidate in candidates where FileFacts.of(candidate)?.size == file.size {
            tracker.report(.checking, stored.model.id, candidate)
            guard try await digests.digest(candidate) == file.sha256 else { continue }
            if try await copy(candidate, as: file, of: stored, base: base, tracker) { return true }
        }
        // 2 Wheels of the manifest.
        let archives = candidates.filter { Self.isArchive($0) }
        if archives.isEmpty { return false }
        for (index, source) in stored.model.sources.enumerated() {
            guard case .wheel(let wheels) = source else { continue }
            let made = wheels.made.first { $0.to == file.path }
            let joined = wheels.files.first { $0.to == file.path }
            if made == nil, joined == nil { continue }
            var known: [SHA256Digest: String] = [:]
            for archive in archives { known[try await digests.digest(archive)] = archive }
            let assembly = FileAssembly(file, at: stored.partialPath(file, source: index), executor: worker.executor)
            do {
                let provider = GivenWheels(paths: known)
                if let made {
                    try await make(made, of: wheels, into: assembly, stored: stored, source: index, provider: provider, base: base, tracker)
                } else if let joined {
                    try await join(joined, of: wheels, into: assembly, stored: stored, provider: provider, base: base, tracker)
                }
                try await assembly.finish(at: stored.path(file))
                try stored.stamp(file)
                return true
            } catch let error as ModelStoreError {
                if error.code == .notEnoughSpace || error.code == .fileFailed { throw error }
                if error.code == .wrongContents { try await assembly.discard() }
                // What could be joined stays for the next import or pull.
            }
        }
        // 3 Any archive that holds the file whole.
        for archive in archives {
            let entries = (try? ZipArchive(archive).entries()) ?? []
            for entry in entries.prefix(100_000) where entry.size == file.size {
                let assembly = FileAssembly(file, at: stored.unfinished + "/import.partial", executor: worker.executor)
                do {
                    try await assembly.discard()
                    try await withCancellationFlag { flag in
                        _ = try await assembly.resume(source: "import", keepTail: false, flag: flag)
                        _ = try await assembly.join(entry.name, of: archive, flag: flag) { size in
                            tracker.report(.joining, stored.model.id, file.path, completed: base + size)
                        }
                    }
                    try await assembly.finish(at: stored.path(file))
                    try stored.stamp(file)
                    return true
                } catch let error as ModelStoreError where error.code == .wrongContents {
                    try await assembly.discard()
                }
            }
        }
        return false
    }

    /// Copies (sharing the blocks where the file system can), hashes the copy, and puts it in place.
    private func copy(
        _ source: String, as file: ModelManifest.File, of stored: StoredModel, base: Int64, _ tracker: PullTracker
    ) async throws -> Bool {
        let temporary = stored.unfinished + "/import.copy"
        let destination = stored.path(file)
        let isRight = try await withCancellationFlag { flag in
            try await worker.run {
                defer { try? StoreFolder.remove(temporary) }
                do {
                    let input = try OpenFile(source, .read)
                    let output = try OpenFile(temporary, .replace)
                    if sotto_clone_file(output.descriptor, input.descriptor) != 0 {
                        try Self.copyPlainly(input, output, flag: flag) { done in
                            tracker.report(.joining, stored.model.id, file.path, completed: base + done)
                        }
                    }
                    try output.synchronize()
                    guard try output.facts().size == file.size else { return false }
                }
                guard try StoreFolder.hash(temporary, flag: flag) == file.sha256 else { return false }
                try StoreFolder.make((destination as NSString).deletingLastPathComponent)
                try StoreFolder.replace(destination, with: temporary)
                try stored.stamp(file)
                return true
            }
        }
        if isRight { tracker.report(.verifying, stored.model.id, file.path, completed: base + file.size) }
        return isRight
    }

    private static func copyPlainly(
        _ input: borrowing OpenFile, _ output: borrowing OpenFile, flag: CancellationFlag, report: (Int64) -> Void
    ) throws {
        let buffer = ByteBuffer()
        var done: Int64 = 0
        while true {
            if flag.isCancelled { throw CancellationError() }
            let count = try unsafe input.read(into: buffer.bytes)
            if count == 0 { return }
            try unsafe output.write(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
            done += Int64(count)
            report(done)
        }
    }

    private static func isArchive(_ path: String) -> Bool {
        guard let file = try? OpenFile(path, .read) else { return false }
        var head = [UInt8](repeating: 0, count: 4)
        let count = unsafe head.withUnsafeMutableBytes { buffer in (try? unsafe file.read(into: buffer)) ?? 0 }
        return count == 4 && head == [0x50, 0x4B, 0x03, 0x04]
    }

    private func mismatch(
        _ model: ModelManifest.Model, _ missing: [ModelManifest.File], _ path: String, _ candidates: [String], _ digests: CandidateDigests
    ) async throws -> ModelStoreError {
        let expected = missing.map { "\($0.path) (\($0.size) bytes, SHA-256 \($0.sha256))" }.joined(separator: ", ")
        guard candidates.count == 1, let candidate = candidates.first else {
            return ModelStoreError(.importMismatch, "nothing in \(path) is a file of \(model.id). Expected: \(expected)")
        }
        let digest = try await digests.digest(candidate)
        let size = FileFacts.of(candidate)?.size ?? 0
        for other in manifest.models {
            if let file = other.files.first(where: { $0.sha256 == digest }) {
                let advice = other.id == model.id ? "which is already installed" : "run `sotto models import \(other.id) \(path)`"
                return ModelStoreError(.importMismatch, "\(path) is \(file.path) of \(other.id), not of \(model.id); \(advice)")
            }
            for case .wheel(let source) in other.sources {
                guard let wheel = source.wheels.first(where: { $0.sha256 == digest }) else { continue }
                let advice =
                    other.id == model.id
                    ? "it comes later in the file; import the folder with all its parts" : "run `sotto models import \(other.id) \(path)`"
                return ModelStoreError(.importMismatch, "\(path) is the package \(wheel.requirement) of \(other.id); \(advice)")
            }
        }
        return ModelStoreError(.importMismatch, "\(path) has \(size) bytes and SHA-256 \(digest), which is no file of \(model.id). Expected: \(expected)")
    }
}

/// Wheels that the user has; no other can be had.
struct GivenWheels: WheelProvider {
    let paths: [SHA256Digest: String]

    func wheel(_ wheel: ModelManifest.Wheel, report: @escaping @Sendable (Int64) -> Void) async throws -> String {
        guard let path = paths[wheel.sha256] else { throw ModelStoreError(.sourceFailed, "\(wheel.requirement) is not among the files given") }
        return path
    }

    func release(_ wheel: ModelManifest.Wheel) async {}
}

/// Hashes each candidate once.
actor CandidateDigests {
    private let worker: DiskWorker
    private var known: [String: SHA256Digest] = [:]

    init(worker: DiskWorker) { self.worker = worker }

    func digest(_ path: String) async throws -> SHA256Digest {
        if let digest = known[path] { return digest }
        let worker = worker
        let digest = try await withCancellationFlag { flag in
            try await worker.run { try StoreFolder.hash(path, flag: flag) }
        }
        known[path] = digest
        return digest
    }
}
