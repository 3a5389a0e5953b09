internal import Glibc

/// A file under a temporary name beside its goal: it takes the goal's place when it is whole, and vanishes when dropped.
///
/// Readable and writable by its owner only. Not locked: two writers of one goal each make a whole file, and the last one stays.
struct PendingFile: ~Copyable, Sendable {
    private let descriptor: Int32
    private let temporary: String
    /// Where the file goes: the path asked for, or what it links to.
    private let goal: String
    private let folder: String
    private var isPlaced: Bool

    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`.
    init(goal path: String) throws(AudioError) {
        guard path.isEmpty == false, path.utf8.contains(0) == false else {
            throw AudioError(.notWritable, "audio cannot be written to a path that is empty or holds a NUL; name a file")
        }
        var goal = path
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            // A rename would put a plain file in the place of a device, a pipe or a folder.
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw AudioError(.notWritable, "\(path) is not a regular file; name another")
            }
            // A link keeps pointing where it points; the file behind it is replaced.
            if let real = unsafe realpath(path, nil) {
                goal = unsafe String(cString: real)
                unsafe free(real)
            }
        }
        let folder = goal.lastIndex(of: "/").map { $0 == goal.startIndex ? "/" : String(goal[..<$0]) } ?? "."
        // Beside its goal, so that the rename stays on one file system; a short name, so that the longest goal still fits.
        let temporary = "\(folder)/.sotto-\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        self.descriptor = descriptor
        self.temporary = temporary
        self.goal = goal
        self.folder = folder
        isPlaced = false
    }

    deinit {
        _ = close(descriptor)
        if isPlaced == false { _ = unsafe unlink(temporary) }
    }

    /// Writes all of the bytes at a place in the file, so that a failed write can be made again.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`.
    func write(_ bytes: [UInt8], at offset: Int) throws(AudioError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, offset + written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(goal, count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// Cuts the file at `length`, flushes it to the disk and gives it its name.
    ///
    /// - Throws: ``AudioError`` `.notWritable`, `.diskFull`; what stood at the goal is then untouched.
    consuming func place(length: Int) throws(AudioError) {
        guard ftruncate(descriptor, length) == 0, fsync(descriptor) == 0, unsafe rename(temporary, goal) == 0 else {
            throw Self.failure(goal, errno)
        }
        isPlaced = true
        // The name outlives a power cut too where folders can be flushed; where they cannot, the file is whole all the same.
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            _ = fsync(directory)
            _ = close(directory)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> AudioError {
        let reason = unsafe String(cString: strerror(code))
        if [ENOSPC, EDQUOT, EFBIG].contains(code) {
            return AudioError(.diskFull, "\(path) cannot be written (\(reason)); free some space or choose another disk")
        }
        return AudioError(.notWritable, "\(path) cannot be written (\(reason)); check that its folder exists and allows it")
    }
}
