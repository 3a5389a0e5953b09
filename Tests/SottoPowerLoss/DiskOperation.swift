/// What SQLite asked of a disk, in order.
package enum DiskOperation: Sendable {
    /// A name in the folder; files are known by number, because a name can be given again.
    case create(name: String, file: Int)
    case delete(name: String)
    case syncFolder
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    case sync(file: Int)
    /// A sync that reported failure: what was not yet on the disk is taken for written from now on, though it may never get there.
    case failedSync(file: Int)
}

/// A failure that the disk shows once, or, when it is full, until it is cleared.
package enum DiskFault: Sendable, Equatable {
    /// So many more bytes can be added to files (`ENOSPC`); the write that exceeds it is cut short.
    case full(afterBytes: Int)
    /// The nth write from now on, counted from 1, writes half and reports no space.
    case shortWrite(Int)
    /// The nth write from now on fails (`EIO`) and may have changed nothing.
    case failedWrite(Int)
    /// The nth sync from now on fails (`EIO`).
    case failedSync(Int)
}
