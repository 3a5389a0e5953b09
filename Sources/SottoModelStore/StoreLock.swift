import Glibc

/// Holds the store's lock file until it goes away: one process at a time changes the store.
struct StoreLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// - Returns: `nil` when somebody else holds it.
    static func acquire(_ path: String) throws(ModelStoreError) -> StoreLock? {
        let file = try OpenFile(path, .readWrite)
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw OpenFile.failure("lock", path) }
        }
        return StoreLock(file: file)
    }
}
