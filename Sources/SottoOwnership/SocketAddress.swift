internal import CLinux
internal import Glibc

/// Sockets of the UNIX family by path, however long the path is.
enum SocketAddress {
    /// Calls `body` with the address of a socket file.
    ///
    /// A path beyond the 107 bytes that an address holds is reached through `/proc/self/fd`, from its opened folder.
    static func withAddress<Value>(
        _ folder: RuntimeFolder, name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) throws(OwnershipError) -> Value {
        var path = folder.path + "/" + name
        var opened: Int32 = -1
        defer { if opened >= 0 { close(opened) } }
        if path.utf8.count > longest {
            opened = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard opened >= 0 else { throw OwnershipError(.failed, "cannot open \(folder.path): \(systemMessage(errno))") }
            path = "/proc/self/fd/\(opened)/\(name)"
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    /// `sun_path` has 108 bytes, the last of which is NUL.
    private static let longest = 107

    static func make() throws(OwnershipError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw OwnershipError(.failed, "no socket could be made: \(systemMessage(errno))") }
        return descriptor
    }

    /// Who is at the other end, as the kernel knows it; `nil` when it has gone.
    static func peer(of descriptor: Int32) -> (process: Int32, user: UInt32)? {
        var peer = sotto_peer()
        guard unsafe sotto_socket_peer(descriptor, &peer) == 0 else { return nil }
        return (peer.process, peer.user)
    }
}
