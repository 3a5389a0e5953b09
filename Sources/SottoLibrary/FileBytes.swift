internal import Glibc

/// Reads a whole file, never waiting for a pipe or a device.
enum FileBytes {
    struct Failure: Error { var reason: String }

    static func read(_ path: String, limit: Int) -> Result<[UInt8], Failure> {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(Failure(reason: "it cannot be opened: \(unsafe String(cString: strerror(errno)))")) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, FolderWalk.isRegular(status) else { return .failure(Failure(reason: "it is no ordinary file")) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(limit, Int(status.st_size)) + 1)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while bytes.count <= limit {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return .success(bytes) }
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(Failure(reason: "it cannot be read: \(unsafe String(cString: strerror(errno)))"))
            }
            bytes += buffer[0..<count]
        }
        return .failure(Failure(reason: "it grew beyond \(limit / 1_000_000) MB while it was read"))
    }
}
