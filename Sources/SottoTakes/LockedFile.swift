internal import Glibc

/// A file that is open and locked: the kernel drops the lock when its process ends, however it ends.
public final class LockedFile: Sendable {
    private let descriptor: Int32
    public let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Opens a file, making it when it is missing, and locks it. Not followed: a link was not made by us.
    ///
    /// - Parameter create: Whether a file that is missing is made, readable by its owner only.
    /// - Returns: `nil` when it is locked already, by another process or this one.
    /// - Throws: ``TakeError`` `.notFound`, `.notWritable`, `.diskFull`.
    public static func open(_ path: String, create: Bool) throws(TakeError) -> LockedFile? {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            _ = close(descriptor)
            if number == EWOULDBLOCK { return nil }
            throw failure(path, number)
        }
        return LockedFile(descriptor: descriptor, path: path)
    }

    /// Bytes of the file.
    public var size: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Writes all of the bytes at a place.
    ///
    /// - Throws: ``TakeError`` `.notWritable`, `.diskFull`. What was there before the place is untouched.
    public func write(_ bytes: [UInt8], at offset: Int) throws(TakeError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, offset + written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// Cuts the file off, or fills it up with zeros.
    public func setSize(_ size: Int) { _ = ftruncate(descriptor, size) }

    /// Waits until what was written has reached the disk.
    public func synchronize() { _ = fdatasync(descriptor) }

    static func failure(_ path: String, _ number: Int32) -> TakeError {
        let reason = unsafe String(cString: strerror(number))
        switch number {
        case ENOENT: return TakeError(.notFound, "there is nothing at \(path)")
        case ENOSPC, EDQUOT, EFBIG: return TakeError(.diskFull, "\(path) cannot be written (\(reason)); free some space")
        default: return TakeError(.notWritable, "\(path) cannot be written (\(reason)); check who owns its folder")
        }
    }
}
