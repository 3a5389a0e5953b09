import Glibc

/// Owns one file descriptor and closes it exactly once. Every failure names the file and what the system said.
struct OpenFile: ~Copyable {
    enum Mode {
        case read
        /// Made when missing, readable by the owner alone; the contents stay.
        case readWrite
        /// As `readWrite`, but what was there is thrown away.
        case replace
        /// Every write lands at the end, whole.
        case append
    }

    let path: String
    let descriptor: Int32

    init(_ path: String, _ mode: Mode) throws(ModelStoreError) {
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY
            case .readWrite: O_RDWR | O_CREAT
            case .replace: O_RDWR | O_CREAT | O_TRUNC
            case .append: O_WRONLY | O_CREAT | O_APPEND
            }
        // Close-on-exec: a child that inherited the store's lock would hold it after our death.
        descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw Self.failure("open", path) }
    }

    deinit { close(descriptor) }

    /// The file's facts as the system knows them now.
    func facts() throws(ModelStoreError) -> FileFacts {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("look at", path) }
        return FileFacts(status)
    }

    /// - Returns: How many bytes were read; zero at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ModelStoreError) -> Int {
        while true {
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.failure("read", path) }
        }
    }

    /// Fills a buffer with the bytes at a place, whatever is read otherwise.
    ///
    /// - Throws: ``ModelStoreError`` `.fileFailed` when the file ends before.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ModelStoreError) {
        try unsafe Self.read(descriptor, path: path, at: offset, into: buffer)
    }

    static func read(_ descriptor: Int32, path: String, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ModelStoreError) {
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { throw ModelStoreError(.fileFailed, "\(path) became shorter while it was read; pull again") }
            done += count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ModelStoreError) {
        var rest = unsafe bytes
        while unsafe rest.isEmpty == false {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                guard errno == EINTR else { throw Self.failure("write", path) }
                continue
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Cuts the file to `size` bytes and goes on writing there.
    func truncate(to size: Int64) throws(ModelStoreError) {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) >= 0 else {
            throw Self.failure("shorten", path)
        }
    }

    func rewind() throws(ModelStoreError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure("read", path) }
    }

    /// Returns once the bytes are on the disk, so that a rename after it can never show a hole.
    func synchronize() throws(ModelStoreError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("save", path) }
    }

    static func failure(_ verb: String, _ path: String) -> ModelStoreError {
        let number = errno
        let reason = unsafe String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT:
            return ModelStoreError(.notEnoughSpace, "no room left to \(verb) \(path): \(reason). Free some space and pull again; what is done is kept")
        case EACCES, EPERM, EROFS:
            return ModelStoreError(.fileFailed, "may not \(verb) \(path): \(reason). Check who owns that folder")
        default:
            return ModelStoreError(.fileFailed, "cannot \(verb) \(path): \(reason)")
        }
    }
}
