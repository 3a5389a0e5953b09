internal import Foundation
internal import Glibc

/// Makes sure that one process writes: an advisory lock that the kernel drops when its holder ends, however it ends.
///
/// SQLite before 3.51.3 can damage a write-ahead log when two connections write and checkpoint at once.
struct WriterLock: ~Copyable {
    private let descriptor: Int32

    init(path: String) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(.cannotOpen, "cannot open \(path) (\(unsafe String(cString: strerror(errno)))); check that its folder exists and is yours")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
            close(descriptor)
            let holder = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).filter(\.isNumber)
            let name = holder.isEmpty ? "another process" : "process \(holder)"
            throw SQLiteError(.busy, "\(name) is writing to \(path.dropLast(5)); wait until it is done, or stop it, and try again")
        }
        let text = "\(getpid())\n"
        ftruncate(descriptor, 0)
        unsafe pwrite(descriptor, text, text.utf8.count, 0)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
