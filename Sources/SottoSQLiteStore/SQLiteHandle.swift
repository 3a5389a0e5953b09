internal import CSQLite
internal import Foundation
internal import SottoStreams
internal import Synchronization

/// Owns one SQLite connection and closes it exactly once, after its statements.
@safe final class SQLiteHandle {
    let pointer: OpaquePointer
    let path: String
    /// What the running operation polls; set around each one.
    let interruption = Interruption()

    final class Interruption {
        var flag: CancellationFlag?
    }

    /// When the log is copied into the database, and how that went.
    let checkpoints = Checkpoints()

    final class Checkpoints {
        /// SQLite's own default.
        var pages: Int32 = 1_000
        /// The result code of a sync that failed while the log was copied; 0 when none has.
        var failedSync: Int32 = 0
    }

    init(path: String, isReadOnly: Bool, vfs: String? = nil) throws(SQLiteError) {
        var pointer: OpaquePointer?
        let flags = (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(path, &pointer, flags, vfs)
        guard let pointer = unsafe pointer else { throw SQLiteError(.failed, "out of memory while opening \(path)") }
        unsafe self.pointer = pointer
        self.path = path
        guard result == SQLITE_OK else {
            let error = SQLiteError(result: result, detail: unsafe String(cString: sqlite3_errmsg(pointer)), path: path)
            throw error
        }
        unsafe sqlite3_busy_timeout(pointer, 2_000)
        // Asked every 2 000 steps of SQLite's machine: some ten microseconds.
        unsafe sqlite3_progress_handler(pointer, 2_000, pollInterruption, Unmanaged.passUnretained(interruption).toOpaque())
        unsafe sqlite3_wal_hook(pointer, checkpoint, Unmanaged.passUnretained(checkpoints).toOpaque())
    }

    deinit { unsafe sqlite3_close_v2(pointer) }

    func error(_ result: Int32) -> SQLiteError {
        SQLiteError(result: result, detail: unsafe String(cString: sqlite3_errmsg(pointer)), path: path)
    }

    var changes: Int { Int(unsafe sqlite3_changes64(pointer)) }
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(pointer) }
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(pointer) == 0 }

    func run(script: String) throws(SQLiteError) {
        let result = unsafe sqlite3_exec(pointer, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result) }
    }
}

/// Called by SQLite on the connection's own thread; anything but 0 ends the statement.
private nonisolated let pollInterruption: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
    guard let context = unsafe context else { return 0 }
    let interruption = unsafe Unmanaged<SQLiteHandle.Interruption>.fromOpaque(context).takeUnretainedValue()
    return interruption.flag?.isCancelled == true ? 1 : 0
}

/// Called by SQLite after each commit, with the number of pages in the log. Does what SQLite's own hook does, which drops the errors: the
/// commit itself is kept, but a disk that cannot sync must not be trusted with the next one.
private nonisolated let checkpoint:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = { context, database, name, pages in
        guard let context = unsafe context else { return SQLITE_OK }
        let checkpoints = unsafe Unmanaged<SQLiteHandle.Checkpoints>.fromOpaque(context).takeUnretainedValue()
        guard pages >= checkpoints.pages else { return SQLITE_OK }
        let result = unsafe sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        if SQLiteError.isFailedSync(result) { checkpoints.failedSync = result }
        return SQLITE_OK
    }
