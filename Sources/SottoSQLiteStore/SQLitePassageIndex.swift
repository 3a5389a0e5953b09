internal import SottoDocument
public import SottoPassageIndex

/// Passages in SQLite's full-text index.
///
/// Each language has a full-text table of its own, so that word statistics, and with them the ranking, do not change when
/// documents in other languages are added. A passage that stands in several documents (untranslated pages, copies) is indexed once.
public struct SQLitePassageIndex: PassageIndex {
    let database: SQLiteDatabase

    static let schema = """
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY, location TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified REAL NOT NULL, digest TEXT NOT NULL,
            title TEXT NOT NULL, language TEXT NOT NULL);
        CREATE TABLE passages (
            id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents(id), ordinal INTEGER NOT NULL, offset INTEGER NOT NULL,
            headings TEXT NOT NULL, text TEXT NOT NULL, hash INTEGER NOT NULL, isIndexed INTEGER NOT NULL, UNIQUE (document, ordinal));
        CREATE INDEX passages_by_hash ON passages (hash);
        CREATE TABLE word_tables (language TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE roots (path TEXT PRIMARY KEY, lastRead REAL NOT NULL) WITHOUT ROWID;
        """

    /// - Parameter database: Opened with ``StoreSchema/migrations``.
    public init(database: SQLiteDatabase) {
        self.database = database
    }

    /// Opens a database of its own connection.
    ///
    /// - Throws: ``PassageIndexError``: `.busy` names the process that writes.
    public init(path: String, role: SQLiteDatabase.Role) throws {
        do {
            database = try SQLiteDatabase(path: path, role: role, migrations: StoreSchema.migrations, needs: StoreSchema.passageVersion)
        } catch let error as SQLiteError {
            throw PassageIndexError(error)
        }
    }

    public func fingerprint(of location: String) async throws -> FileFingerprint? {
        try await read { connection in
            try connection.first("SELECT size, modified, digest FROM documents WHERE location = ?", [.text(location)]) { row in
                FileFingerprint(size: row.integer(0), modified: row.real(1), digest: row.text(2))
            }
        }
    }

    public func replace(_ entries: [IndexEntry]) async throws {
        try await write { connection in
            for entry in entries {
                try Task.checkCancellation()
                try PassageRows.remove(entry.location, connection)
                try PassageRows.insert(entry, connection)
            }
        }
    }

    public func touch(_ location: String, fingerprint: FileFingerprint) async throws {
        _ = try await write { connection in
            try connection.execute(
                "UPDATE documents SET size = ?, modified = ?, digest = ? WHERE location = ?",
                [SQLiteValue(fingerprint.size), SQLiteValue(fingerprint.modified), .text(fingerprint.digest), .text(location)])
        }
    }

    public func remove(_ locations: [String]) async throws {
        try await write { connection in
            for location in locations {
                try Task.checkCancellation()
                try PassageRows.remove(location, connection)
            }
        }
    }

    public func locations(under root: String) async throws -> [String] {
        try await read { connection in
            let range = PathRange(root)
            return try connection.query(
                "SELECT location FROM documents WHERE location = ? OR location >= ? AND location < ? ORDER BY location", range.values
            ) { $0.text(0) }
        }
    }

    public func search(_ query: PassageQuery) async throws -> [PassageHit] {
        try await read { connection in try PassageSearch(query: query, connection: connection).run() }
    }

    public func passages(of location: String, ordinals: ClosedRange<Int>) async throws -> [PassageHit] {
        try await read { connection in
            try connection.query(
                """
                SELECT d.location, d.title, d.language, p.text, p.headings, p.offset, p.ordinal FROM documents d JOIN passages p ON p.document = d.id
                WHERE d.location = ? AND p.ordinal BETWEEN ? AND ? ORDER BY p.ordinal
                """, [.text(location), SQLiteValue(ordinals.lowerBound), SQLiteValue(ordinals.upperBound)]
            ) { PassageRows.hit($0, score: 0) }
        }
    }

    public func roots() async throws -> [LibraryRoot] {
        try await read { connection in
            let roots = try connection.query("SELECT path, lastRead FROM roots ORDER BY path") { ($0.text(0), $0.real(1)) }
            return try roots.map { path, lastRead in
                let counts = try connection.first(
                    """
                    SELECT count(*), (SELECT count(*) FROM passages p JOIN documents e ON e.id = p.document
                        WHERE e.location = ?1 OR e.location >= ?2 AND e.location < ?3)
                    FROM documents WHERE location = ?1 OR location >= ?2 AND location < ?3
                    """, PathRange(path).values
                ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
                return LibraryRoot(path: path, documents: counts.0, passages: counts.1, lastRead: lastRead)
            }
        }
    }

    public func recordRoot(_ path: String, when: Double) async throws {
        _ = try await write { connection in
            try connection.execute(
                "INSERT INTO roots (path, lastRead) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET lastRead = excluded.lastRead",
                [.text(path), SQLiteValue(when)])
        }
    }

    public func removeRoot(_ path: String) async throws {
        _ = try await write { connection in try connection.execute("DELETE FROM roots WHERE path = ?", [.text(path)]) }
    }

    private func read<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        do { return try await database.read(body) } catch let error as SQLiteError { throw PassageIndexError(error) }
    }

    private func write<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        do { return try await database.write(body) } catch let error as SQLiteError { throw PassageIndexError(error) }
    }
}

extension PassageIndexError {
    /// The same message under the index's own codes.
    init(_ error: SQLiteError) {
        let code: Code = switch error.code {
        case .busy: .busy
        case .diskFull: .diskFull
        case .corrupt: .corrupt
        case .readOnly, .cannotOpen, .newerSchema: .cannotOpen
        case .constraint, .ioFailed, .failed: .failed
        }
        self.init(code, error.message, cause: error)
    }
}

/// A path and everything below it, as a range of strings, which an index can answer.
struct PathRange {
    let root: String

    init(_ path: String) { root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// The path itself, the first and the last-but-one string below it: "0" follows "/".
    var values: [SQLiteValue] { [.text(root), .text(root == "/" ? "/" : root + "/"), .text(root == "/" ? "0" : root + "0")] }

    func contains(_ location: String) -> Bool { location == root || root == "/" || location.hasPrefix(root + "/") }
}
