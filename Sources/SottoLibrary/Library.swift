internal import Glibc
public import SottoDocument
public import SottoDocumentReading
public import SottoObservability
public import SottoPassageIndex

/// The user's own documents: folders and files that were added, kept in step with the disk, and searched.
///
/// ```swift
/// let library = Library(index: try SQLitePassageIndex(path: path, role: .writer), reader: PageReader())
/// let report = try await library.add("/usr/share/doc/debian-handbook/html/en-US")
/// let hits = try await library.search(PassageQuery(text: "Which command edits the sudoers file?", language: "en"))
/// ```
public struct Library: Sendable {
    /// How folders are read.
    public struct Configuration: Sendable {
        /// Extensions that are read inside folders, in lower case; a file added by its own name is always tried.
        public var extensions: Set<String> = ["html", "htm", "xhtml", "md", "markdown", "txt", "text", "rst", "pdf"]
        /// Names without an extension that are read, in upper case.
        public var plainNames: Set<String> = ["README", "NEWS", "INSTALL", "CHANGES", "FAQ", "TODO", "HACKING", "CONTRIBUTING"]
        /// In bytes; larger files are reported and skipped.
        public var maximumFileSize: Int64 = 256 << 20
        /// Documents written in one transaction.
        public var batchSize = 100
        /// Text of passages written in one transaction, in bytes: bounds memory too.
        public var batchBytes = 4 << 20
        /// Files read and parsed at once.
        public var parallel = 2
        /// Rises when the reader or the cutter gives other passages for the same bytes: what an earlier version read is read again.
        public var readingVersion = 3
        public init() {}
    }

    private let index: any PassageIndex
    private let reader: any DocumentReader
    private let cutter: PassageCutter
    private let configuration: Configuration
    private let now: @Sendable () -> Double
    private let log: Log

    /// The machine's clock, in seconds since 1970.
    public static let systemTime: @Sendable () -> Double = { Double(time(nil)) }

    /// - Parameter now: Seconds since 1970, for the time that a folder was last read.
    public init(
        index: any PassageIndex, reader: any DocumentReader, cutter: PassageCutter = PassageCutter(), configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Double = Library.systemTime, log: Log = .none
    ) {
        self.index = index
        self.reader = reader
        self.cutter = cutter
        self.configuration = configuration
        self.now = now
        self.log = log
    }

    // MARK: Adding

    /// Adds a folder or a file, or reads it again: what changed is replaced, what is gone leaves the index.
    ///
    /// A file that cannot be read is reported and does not stop the run. Cancelling keeps what was already written: the index is
    /// whole at every moment, and adding again goes on from there.
    /// - Throws: ``LibraryError`` (`.notFound`, `.vanished` when the folder goes away meanwhile or came back empty: then nothing is
    ///   removed), `PassageIndexError` (`.diskFull`, `.busy`), `CancellationError`.
    public func add(_ path: String, progress: @escaping ProgressHandler = { _ in }) async throws -> LibraryReport {
        let root = try Self.absolute(path)
        guard let status = FolderWalk.status(of: root) else {
            throw LibraryError(.notFound, "there is no file or folder \(path); check the name, or take it out with `sotto library remove`")
        }
        var report = LibraryReport()
        if FolderWalk.isDirectory(status) {
            guard unsafe access(root, R_OK | X_OK) == 0 else {
                throw LibraryError(.notReadable, "the folder \(path) may not be read; check its permissions")
            }
            try await addFolder(root, &report, progress)
            try await removeMissing(under: root, &report)
        } else {
            try await addFile(FolderWalk.file(root, status), &report, progress)
        }
        try await index.recordRoot(root, when: now())
        return report
    }

    private enum Outcome: Sendable {
        case unchanged
        case touched(String, FileFingerprint)
        case read(IndexEntry, hidden: Int)
        case failed(String, String)
    }

    private func addFile(_ file: FolderWalk.File, _ report: inout LibraryReport, _ progress: ProgressHandler) async throws {
        progress(Progress(phase: "Reading", item: file.path, completed: 0, total: 1))
        var batch = Batch()
        try await take(process(file), &batch, &report)
        try await flush(&batch, &report)
        progress(Progress(phase: "Reading", item: file.path, completed: 1, total: 1))
    }

    private func addFolder(_ root: String, _ report: inout LibraryReport, _ progress: ProgressHandler) async throws {
        let configuration = configuration
        var walk = FolderWalk(root: root) { name in Self.isDocument(name, configuration) }
        var found: Int64 = 0
        var done: Int64 = 0
        var batch = Batch()
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var running = 0
            func drain() async throws {
                guard let outcome = try await group.next() else { return }
                running -= 1
                done += 1
                try await take(outcome, &batch, &report)
                if batch.entries.count >= configuration.batchSize || batch.bytes >= configuration.batchBytes { try await flush(&batch, &report) }
            }
            while let step = walk.next() {
                try Task.checkCancellation()
                switch step {
                case .unreadable(let path, let reason): report.fail(path, "the folder cannot be read: \(reason)")
                case .file(let file):
                    if running >= configuration.parallel { try await drain() }
                    found += 1
                    running += 1
                    group.addTask { try await process(file) }
                    progress(Progress(phase: "Reading", item: file.path, completed: done))
                }
            }
            while running > 0 { try await drain() }
        }
        if found > 0 || report.failed > 0 { try checkPresence(root) }
        try await flush(&batch, &report)
        progress(Progress(phase: "Reading", item: root, completed: done, total: done))
        if found == 0, FolderWalk.status(of: root) == nil { throw Self.vanished(root) }
    }

    private struct Batch {
        var entries: [IndexEntry] = []
        var bytes = 0
    }

    private func take(_ outcome: Outcome, _ batch: inout Batch, _ report: inout LibraryReport) async throws {
        switch outcome {
        case .unchanged: report.unchanged += 1
        case .touched(let location, let fingerprint):
            report.unchanged += 1
            try await index.touch(location, fingerprint: fingerprint)
        case .failed(let path, let reason): report.fail(path, reason)
        case .read(let entry, let hidden):
            report.hiddenCharacters += hidden
            batch.entries.append(entry)
            batch.bytes += entry.passages.reduce(0) { $0 + $1.text.utf8.count }
        }
    }

    private func flush(_ batch: inout Batch, _ report: inout LibraryReport) async throws {
        guard batch.entries.isEmpty == false else { return }
        try await index.replace(batch.entries)
        report.indexed += batch.entries.count
        report.passages += batch.entries.reduce(0) { $0 + $1.passages.count }
        batch = Batch()
    }

    private func process(_ file: FolderWalk.File) async throws -> Outcome {
        try Task.checkCancellation()
        let known = try await index.fingerprint(of: file.path)
        let version = "v\(configuration.readingVersion):"
        if let known, known.size == file.size, known.modified == file.modified, known.digest.hasPrefix(version) { return .unchanged }
        guard file.size <= configuration.maximumFileSize else {
            return .failed(file.path, "it has \(file.size / 1_000_000) MB, more than the \(configuration.maximumFileSize / 1_000_000) MB that are read; split it")
        }
        let bytes: [UInt8]
        switch FileBytes.read(file.path, limit: Int(configuration.maximumFileSize)) {
        case .success(let read): bytes = read
        case .failure(let failure): return .failed(file.path, failure.reason)
        }
        let fingerprint = FileFingerprint(size: Int64(bytes.count), modified: file.modified, digest: version + SHA256.hexadecimal(bytes))
        if let known, known.digest == fingerprint.digest { return .touched(file.path, fingerprint) }
        do {
            let document = try await reader.read(bytes, name: file.path)
            let passages = cutter.passages(of: document)
            let language = Self.language(document.language, path: file.path)
            let entry = IndexEntry(location: file.path, fingerprint: fingerprint, title: document.title, language: language, passages: passages)
            return .read(entry, hidden: document.hiddenCharacters)
        } catch let error as DocumentReadingError {
            return .failed(file.path, error.message)
        }
    }

    /// A folder named `en-US` completes the `en` that the text shows, and stands in where the text shows nothing.
    static func language(_ seen: String?, path: String) -> String {
        for component in path.split(separator: "/").dropLast().reversed() {
            let parts = component.split(whereSeparator: { $0 == "-" || $0 == "_" })
            guard parts.count == 2, parts[0].count == 2, parts[0].allSatisfy({ $0.isLowercase && $0.isASCII }), parts[1].count == 2,
                parts[1].allSatisfy({ $0.isUppercase && $0.isASCII })
            else { continue }
            if seen == nil || seen == String(parts[0]) { return parts[0] + "-" + parts[1] }
        }
        return seen ?? ""
    }

    static func isDocument(_ name: String, _ configuration: Configuration) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return configuration.plainNames.contains(name.uppercased()) }
        return configuration.extensions.contains(name[name.index(after: dot)...].lowercased())
    }

    // MARK: What is gone

    private static func vanished(_ root: String) -> LibraryError {
        LibraryError(
            .vanished, "the library folder \(root) vanished while it was read; nothing was removed from the index. Bring the folder back and add it again")
    }

    private func checkPresence(_ root: String) throws {
        if FolderWalk.status(of: root) == nil { throw Self.vanished(root) }
    }

    private func removeMissing(under root: String, _ report: inout LibraryReport) async throws {
        let stored = try await index.locations(under: root)
        var missing: [String] = []
        for location in stored {
            try Task.checkCancellation()
            if location != root, FolderWalk.status(of: location) == nil, errno == ENOENT || errno == ENOTDIR { missing.append(location) }
        }
        // An unplugged disk leaves an empty folder at its mount point: forgetting everything then would cost a day of reading.
        if stored.count >= 3, missing.count == stored.count, Self.isEmptyFolder(root) {
            throw LibraryError(
                .vanished, "the library folder \(root) is empty, but \(stored.count) documents of it are known: is its disk mounted? "
                    + "Nothing was removed; take it out with `sotto library remove` if it is meant to be empty")
        }
        try checkPresence(root)
        for start in stride(from: 0, to: missing.count, by: configuration.batchSize) {
            let part = Array(missing[start..<min(missing.count, start + configuration.batchSize)])
            try checkPresence(root)
            try await index.remove(part)
            report.removed += part.count
        }
    }

    private static func isEmptyFolder(_ root: String) -> Bool {
        var walk = FolderWalk(root: root) { _ in true }
        return walk.next() == nil
    }

    // MARK: The rest

    /// The folders and files that were added, with what they hold.
    public func list() async throws -> [LibraryRoot] { try await index.roots() }

    /// Forgets a folder or file that was added, and all documents below it that no other added folder holds. The files stay.
    ///
    /// - Returns: How many documents left the index.
    public func remove(_ path: String) async throws -> Int {
        let root = try Self.absolute(path)
        let roots = try await index.roots().map(\.path)
        let locations = try await index.locations(under: root)
        guard roots.contains(root) || locations.isEmpty == false else {
            throw LibraryError(.notInLibrary, "\(path) is not in the library; `sotto library list` shows what is")
        }
        let others = roots.filter { $0 != root }
        let gone = locations.filter { location in others.contains { location == $0 || location.hasPrefix($0 == "/" ? "/" : $0 + "/") } == false }
        for start in stride(from: 0, to: gone.count, by: configuration.batchSize) {
            try await index.remove(Array(gone[start..<min(gone.count, start + configuration.batchSize)]))
        }
        try await index.removeRoot(root)
        return gone.count
    }

    /// Passages that match, best first.
    public func search(_ query: PassageQuery) async throws -> [PassageHit] { try await index.search(query) }

    /// The passages around a hit, in order, its own included.
    public func surroundings(of hit: PassageHit, by distance: Int = 1) async throws -> [PassageHit] {
        let ordinal = hit.passage.ordinal
        return try await index.passages(of: hit.location, ordinals: max(0, ordinal - distance)...ordinal + distance)
    }

    /// The path without links and dots where it exists, else made absolute by name.
    static func absolute(_ path: String) throws -> String {
        if let real = unsafe realpath(path, nil) {
            defer { unsafe free(real) }
            return unsafe String(cString: real)
        }
        var parts: [Substring] = []
        var whole = path
        if path.hasPrefix("/") == false, let here = unsafe getcwd(nil, 0) {
            whole = unsafe String(cString: here) + "/" + path
            unsafe free(here)
        }
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
