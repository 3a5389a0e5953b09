internal import Glibc
public import SottoServing
internal import SottoStreams

/// Files of the disk as answers, read while the client takes them.
public enum FileContent {
    /// Opens a file, which stays as it is for this answer even if another takes its place or it is removed.
    ///
    /// - Parameters:
    ///   - path: Of the caller's own making. Never text of a request.
    ///   - type: The media type.
    /// - Throws: ``Problem`` 404 when there is no such file (a folder, a link and a pipe are none), and 500 when it cannot be read.
    public static func open(_ path: String, type: String, cacheControl: String = "no-cache") throws(Problem) -> HTTPContent {
        let file = try ServedFile(path)
        return HTTPContent(type: type, count: file.count, tag: file.tag, cacheControl: cacheControl) { part in
            ProducedSequence { emit in
                var place = part.lowerBound
                while place < part.upperBound {
                    let bytes = try await file.read(place..<min(place + ServedFile.pieceBytes, part.upperBound))
                    place += bytes.count
                    try await emit(bytes)
                }
            }
        }
    }
}

/// An open file, read on a thread of its own so that a slow disk holds up nobody else.
private actor ServedFile {
    static let pieceBytes = 64 << 10

    nonisolated let count: Int
    nonisolated let tag: String
    private let descriptor: Int32
    private let executor = BlockingExecutor(label: "sotto.server.file")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ path: String) throws(Problem) {
        // Not blocking, so that a pipe by that name does not hold up the caller before it is refused.
        descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let isThere = errno != ENOENT && errno != ENOTDIR && errno != ELOOP
            throw isThere ? Problem(500, "server-error", "the file cannot be read; check who owns it") : Self.missing
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.missing
        }
        count = Int(status.st_size)
        // Whatever writes a file anew changes one of these.
        let time = UInt64(bitPattern: Int64(status.st_mtim.tv_sec)) &* 1_000_000_000 &+ UInt64(status.st_mtim.tv_nsec)
        tag = "\"\(String(status.st_ino, radix: 36))-\(String(time, radix: 36))-\(String(count, radix: 36))\""
    }

    deinit { close(descriptor) }

    private static let missing = Problem(404, "not-found", "there is nothing at this address")

    /// - Returns: Not empty.
    func read(_ part: Range<Int>) throws(ServingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: part.count)
        while true {
            let got = unsafe pread(descriptor, &bytes, bytes.count, off_t(part.lowerBound))
            if got > 0 { return got == bytes.count ? bytes : Array(bytes[..<got]) }
            if got < 0, errno == EINTR { continue }
            throw ServingError(.brokenBody, got == 0 ? "a file became shorter while it was sent" : "a file could not be read while it was sent")
        }
    }
}
