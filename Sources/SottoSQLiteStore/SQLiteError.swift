internal import CSQLite

/// Why the database refused; the message says what to do.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        case busy, diskFull, corrupt, readOnly, cannotOpen, newerSchema, constraint, ioFailed, failed
    }
    public var code: Code
    public var message: String
    /// SQLite's extended result code, 0 when the error is ours.
    public var resultCode: Int32

    public init(_ code: Code, _ message: String, resultCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.resultCode = resultCode
    }

    public var description: String { message }

    /// Whether the disk failed to keep what had been handed to it: `SQLITE_IOERR_FSYNC` or `SQLITE_IOERR_DIR_FSYNC`, macros that Swift does
    /// not import.
    static func isFailedSync(_ result: Int32) -> Bool { result == SQLITE_IOERR | 4 << 8 || result == SQLITE_IOERR | 5 << 8 }

    /// - Parameters:
    ///   - result: A result code, primary or extended.
    ///   - detail: What SQLite says about it.
    init(result: Int32, detail: String, path: String) {
        switch result & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "\(path) is in use by another process; wait until it is done and try again", resultCode: result)
        case SQLITE_FULL:
            self.init(.diskFull, "the disk that holds \(path) is full; free some space and try again (nothing was lost)", resultCode: result)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.corrupt, "\(path) is damaged (\(detail)); move it away, then add your folders and tasks again", resultCode: result)
        case SQLITE_READONLY, SQLITE_PERM:
            self.init(.readOnly, "\(path) may not be written (\(detail)); check the owner and the permissions of its folder", resultCode: result)
        case SQLITE_CANTOPEN:
            self.init(.cannotOpen, "cannot open \(path) (\(detail)); check that the folder exists and is yours", resultCode: result)
        case SQLITE_IOERR:
            self.init(.ioFailed, "reading or writing \(path) failed (\(detail)); check the disk", resultCode: result)
        case SQLITE_CONSTRAINT:
            self.init(.constraint, "\(path): \(detail)", resultCode: result)
        default:
            self.init(.failed, "\(path): \(detail)", resultCode: result)
        }
    }
}
