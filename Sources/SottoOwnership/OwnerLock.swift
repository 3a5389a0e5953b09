internal import Glibc

/// The right to the data: held by one process at a time, and dropped by the kernel when that process ends, however it ends.
public final class OwnerLock: Sendable {
    /// Who holds a lock, as it wrote itself.
    public struct Holder: Sendable, Equatable {
        public var process: Int32
        /// Of its program.
        public var version: String
    }

    public let folder: RuntimeFolder
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Returns: `nil` when another process, or this one, holds it.
    /// - Throws: ``OwnershipError`` `.failed`, `.unsafeFolder`.
    public static func acquire(_ folder: RuntimeFolder, version: String) throws(OwnershipError) -> OwnerLock? {
        // Not followed: a link here was not made by us. Closed in children: one that inherited the lock would hold it after our death.
        let descriptor = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw OwnershipError(
                errno == ELOOP ? .unsafeFolder : .failed, "cannot open \(folder.lock): \(systemMessage(errno)); check who owns that folder")
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            close(descriptor)
            if number == EWOULDBLOCK { return nil }
            throw OwnershipError(.failed, "cannot lock \(folder.lock): \(systemMessage(number))")
        }
        let text = "\(getpid())\n\(version)\n"
        ftruncate(descriptor, 0)
        unsafe pwrite(descriptor, text, text.utf8.count, 0)
        return OwnerLock(folder: folder, descriptor: descriptor)
    }

    /// Who holds the lock now; `nil` when it has not written itself in yet. Only worth asking when ``acquire(_:version:)`` gave `nil`.
    public static func holder(_ folder: RuntimeFolder) -> Holder? {
        let descriptor = unsafe open(folder.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return parse(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }

    static func parse(_ text: String) -> Holder? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, let process = Int32(lines[0]), process > 0 else { return nil }
        return Holder(process: process, version: String(lines[1]))
    }

    private init(folder: RuntimeFolder, descriptor: Int32) {
        self.folder = folder
        self.descriptor = descriptor
    }

    deinit {
        ftruncate(descriptor, 0)
        close(descriptor)
    }
}
