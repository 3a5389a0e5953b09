internal import CSQLite
internal import Foundation
internal import SottoStreams

/// One connection to one SQLite file, on a thread of its own.
///
/// At most one writer exists for a file, across processes (see ``SQLiteError/Code/busy``); readers open it read-only and never
/// checkpoint. Write-ahead log, `synchronous = FULL`: what a committed transaction wrote survives power loss.
public actor SQLiteDatabase {
    public enum Role: Sendable { case writer, reader }

    /// One step of the schema: the step at index n takes `user_version` n to n + 1.
    public struct Migration: Sendable {
        let apply: @Sendable (SQLiteConnection) throws -> Void
        public init(_ apply: @escaping @Sendable (SQLiteConnection) throws -> Void) { self.apply = apply }
        public init(script: String) { apply = { connection in try connection.run(script: script) } }
    }

    private let executor = BlockingExecutor(label: "sotto.sqlite")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    public nonisolated let path: String
    public nonisolated let role: Role
    private let connection: SQLiteConnection
    private let lock: WriterLock?
    /// Set by the first sync that failed. The kernel reports lost writes once and then takes them for written, so a later sync that succeeds
    /// proves nothing (see "fsyncgate", and Rebello et al., "Can Applications Recover from fsync Failures?", 2020).
    private var failedSync: SQLiteError?

    /// Who else may write.
    package enum Sharing: Sendable {
        /// Nobody: the lock file is held.
        case nobody
        /// Other processes that all open it this way, for tests of what happens between two writers.
        ///
        /// The write-ahead-log bug of SQLite before 3.51.3 needs a checkpoint that resets the log while another connection writes. So none of
        /// them ever checkpoints while another is open: not by itself (`wal_autocheckpoint = 0`), and at closing SQLite does it only for the
        /// last connection, which holds the file exclusively for it. The log grows meanwhile, which a test can bear.
        case withoutCheckpoints
    }

    /// Opens a database, creating it and its folder (modes 0600 and 0700) for a writer, and brings its schema up to date.
    ///
    /// Blocks for a moment. Several stores may share one database: give the migrations of all, always in the same order. A reader is content
    /// with an older schema as long as it has the steps that it needs; if it has not, the file is opened for writing first, to bring it up to
    /// date.
    ///
    /// - Parameter needs: How many of the migrations a reader relies on; all when `nil`.
    /// - Throws: ``SQLiteError``: `.busy` names the process that writes, `.newerSchema` when a later version of the program made it.
    public init(path: String, role: Role, migrations: [Migration], needs: Int? = nil) throws {
        try self.init(path: path, role: role, migrations: migrations, needs: needs, sharing: .nobody)
    }

    /// What the file lies on; other than ``real`` in tests of power loss alone.
    package struct Medium: Sendable {
        /// A registered SQLite VFS; the system's own when `nil`. Any other has no folder to make and no lock to hold.
        package var vfs: String?
        /// What `PRAGMA synchronous` is set to.
        package var synchronous: String
        /// Pages in the log from which on it is copied into the database.
        package var checkpointPages: Int

        package init(vfs: String?, synchronous: String = "FULL", checkpointPages: Int = 1_000) {
            self.vfs = vfs
            self.synchronous = synchronous
            self.checkpointPages = checkpointPages
        }

        package static let real = Medium(vfs: nil)
    }

    package init(
        path: String, role: Role, migrations: [Migration], needs: Int? = nil, sharing: Sharing = .nobody, medium: Medium = .real
    ) throws {
        self.path = path
        self.role = role
        if medium.vfs != nil {
            lock = nil
        } else if role == .writer {
            let folder = (path as NSString).deletingLastPathComponent
            if folder.isEmpty == false, FileManager.default.fileExists(atPath: folder) == false {
                do {
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                } catch {
                    throw SQLiteError(.cannotOpen, "cannot create the folder \(folder); check who owns the folder above it")
                }
            }
            var lock: WriterLock?
            if sharing == .nobody { lock = try WriterLock(path: path + ".lock") }
            // Created by us first, because SQLite would obey the umask; the log files take their mode from the database.
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if descriptor >= 0 { close(descriptor) }
            self.lock = consume lock
        } else {
            lock = nil
            guard FileManager.default.fileExists(atPath: path) else {
                throw SQLiteError(.cannotOpen, "there is no database at \(path) yet; add a folder first")
            }
        }
        if role == .reader, medium.vfs == nil, try Self.version(of: path) < needs ?? migrations.count {
            _ = try SQLiteDatabase(path: path, role: .writer, migrations: migrations)
        }
        let handle = try SQLiteHandle(path: path, isReadOnly: role == .reader, vfs: medium.vfs)
        handle.checkpoints.pages = Int32(medium.checkpointPages)
        connection = SQLiteConnection(handle: handle)
        try Self.configure(connection, role: role, synchronous: medium.synchronous)
        if sharing == .withoutCheckpoints { try connection.query("PRAGMA wal_autocheckpoint = 0") { _ in } }
        try Self.migrate(connection, role: role, migrations: migrations)
    }

    /// Runs `body` on a consistent view of the data.
    ///
    /// - Throws: ``SQLiteError``, what `body` throws, and `CancellationError` soon after the task is cancelled.
    public func read<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        try await interruptible { connection in try Self.transaction(connection, "BEGIN", body) }
    }

    /// Runs `body` in one transaction: all of it is kept, or none.
    public func write<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        guard role == .writer else { throw SQLiteError(.readOnly, "\(path) was opened for reading") }
        if let failedSync { throw failedSync }
        return try await interruptible { connection in try Self.transaction(connection, "BEGIN IMMEDIATE", body) }
    }

    /// Runs statements that may not stand in a transaction, such as `VACUUM` and `PRAGMA integrity_check`.
    public func withoutTransaction<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        if let failedSync { throw failedSync }
        return try await interruptible(body)
    }

    private func interruptible<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            let interruption = connection.handle.interruption
            interruption.flag = flag
            defer { interruption.flag = nil }
            do {
                let value = try body(connection)
                noteFailedSync(connection.handle.checkpoints.failedSync)
                return value
            } catch let error as SQLiteError {
                noteFailedSync(error.resultCode)
                throw error
            }
        } onCancel: {
            flag.cancel()
        }
    }

    private func noteFailedSync(_ result: Int32) {
        guard failedSync == nil, SQLiteError.isFailedSync(result) else { return }
        failedSync = SQLiteError(
            .ioFailed,
            "the disk that holds \(path) could not keep what was written, so nothing more is written until Sotto is started again; "
                + "check the disk first (what was confirmed before is kept)", resultCode: result)
        // The log now ends with pages that can be read but may never reach the disk. Should this process be killed, the next one would take them
        // for kept and write behind them, and a power cut would then lose what it wrote. So the log is emptied while it is known what in it is kept.
        connection.handle.interruption.flag = nil
        _ = try? connection.query("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }

    private static func transaction<Value>(_ connection: SQLiteConnection, _ begin: String, _ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try connection.execute(begin)
        do {
            let value = try body(connection)
            try connection.execute("COMMIT")
            return value
        } catch {
            // Some errors (a full disk) have already rolled back. The flag must not stop the rollback itself.
            connection.handle.interruption.flag = nil
            if connection.handle.isInTransaction { _ = try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func configure(_ connection: SQLiteConnection, role: Role, synchronous: String) throws {
        if role == .writer {
            try connection.query("PRAGMA journal_mode = WAL") { _ in }
            try connection.execute("PRAGMA synchronous = \(synchronous)")
            try connection.execute("PRAGMA foreign_keys = ON")
        } else {
            try connection.execute("PRAGMA query_only = ON")
        }
        try connection.query("PRAGMA mmap_size = 0") { _ in }
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.execute("PRAGMA cache_size = -32768")
    }

    private static func version(_ connection: SQLiteConnection) throws -> Int {
        try connection.first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
    }

    private static func version(of path: String) throws -> Int {
        try version(SQLiteConnection(handle: try SQLiteHandle(path: path, isReadOnly: true)))
    }

    private static func migrate(_ connection: SQLiteConnection, role: Role, migrations: [Migration]) throws {
        let version = try Self.version(connection)
        guard version <= migrations.count else {
            throw SQLiteError(
                .newerSchema,
                "\(connection.handle.path) was made by a newer version of Sotto (schema \(version), this one knows \(migrations.count)); update Sotto")
        }
        guard role == .writer, version < migrations.count else { return }
        for number in version..<migrations.count {
            try transaction(connection, "BEGIN IMMEDIATE") { connection in
                // Another process that shares the file may have been quicker.
                guard try Self.version(connection) == number else { return }
                try migrations[number].apply(connection)
                try connection.run(script: "PRAGMA user_version = \(number + 1)")
            }
        }
    }
}
