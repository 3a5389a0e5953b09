import CZip
import Glibc
import SottoStreams

/// Writes ZIP archives (libzip), of any size.
public actor ArchiveWriter {
    private let executor = BlockingExecutor(label: "sotto.archive")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    public init() {}

    /// Writes an archive in one go: under a name of its own first, then in its place, so that nobody sees half of it. Only its owner may read it.
    ///
    /// - Parameters:
    ///   - path: Replaced if it is there.
    ///   - progress: Told how much is done, from 0 to 1.
    /// - Throws: ``ArchiveError``, and `CancellationError`; nothing is left of the archive then.
    public func write(_ entries: [ArchiveEntry], to path: String, progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws {
        try await withCancellationFlag { flag in
            let draft = try OpenArchive(path)
            for entry in entries { try draft.add(entry) }
            try draft.close(reporting: ZipReport(flag: flag, progress: progress))
        }
    }
}

/// What libzip tells and asks while it writes.
private final class ZipReport: Sendable {
    let flag: CancellationFlag
    let progress: @Sendable (Double) -> Void

    init(flag: CancellationFlag, progress: @escaping @Sendable (Double) -> Void) {
        self.flag = flag
        self.progress = progress
    }
}

/// Owns an archive that is being put together, and discards it unless it was closed.
@safe private final class OpenArchive {
    private var archive: OpaquePointer?
    private let path: String

    init(_ path: String) throws(ArchiveError) {
        var code: Int32 = 0
        guard let archive = unsafe zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else {
            throw ArchiveError(.notWritable, "\(path) cannot be written (libzip error \(code)); check its folder")
        }
        unsafe self.archive = archive
        self.path = path
    }

    deinit { if let archive = unsafe archive { unsafe zip_discard(archive) } }

    func add(_ entry: ArchiveEntry) throws(ArchiveError) {
        guard unsafe access(entry.path, R_OK) == 0 else {
            throw ArchiveError(.notReadable, "\(entry.path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        guard let source = unsafe zip_source_file(archive, entry.path, 0, -1) else { throw problem() }
        let index = unsafe zip_file_add(archive, entry.name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            unsafe zip_source_free(source)
            throw problem()
        }
        let method = entry.isCompressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE
        guard unsafe zip_set_file_compression(archive, zip_uint64_t(index), zip_int32_t(method), 0) == 0 else { throw problem() }
        // Unix, a plain file for its owner alone.
        guard
            unsafe zip_file_set_external_attributes(archive, zip_uint64_t(index), 0, zip_uint8_t(ZIP_OPSYS_UNIX), zip_uint32_t(0o100_600) << 16) == 0
        else {
            throw problem()
        }
    }

    func close(reporting report: ZipReport) throws {
        let context = unsafe Unmanaged.passUnretained(report).toOpaque()
        unsafe zip_register_progress_callback_with_state(archive, 0.01, tellProgress, nil, context)
        unsafe zip_register_cancel_callback_with_state(archive, askCancelled, nil, context)
        defer { withExtendedLifetime(report) {} }
        guard unsafe zip_close(archive) == 0 else {
            if report.flag.isCancelled { throw CancellationError() }
            guard unsafe zip_error_code_system(zip_get_error(archive)) == ENOSPC else { throw problem() }
            throw ArchiveError(.diskFull, "\(path) cannot be written: the disk is full; free some space and try again")
        }
        // It is libzip's no longer.
        unsafe archive = nil
        // Whoever replaces a file gets its mode, and a new one has that of the umask.
        guard unsafe chmod(path, 0o600) == 0 else {
            throw ArchiveError(.failed, "\(path) cannot be kept from others: \(unsafe String(cString: strerror(errno)))")
        }
    }

    private func problem() -> ArchiveError {
        let text = unsafe zip_strerror(archive).map { unsafe String(cString: $0) } ?? "unknown"
        return ArchiveError(.failed, "\(path) cannot be written: \(text)")
    }
}

nonisolated private let tellProgress: @convention(c) (OpaquePointer?, Double, UnsafeMutableRawPointer?) -> Void = { _, fraction, context in
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ZipReport>.fromOpaque(context).takeUnretainedValue().progress(fraction)
}

nonisolated private let askCancelled: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { _, context in
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<ZipReport>.fromOpaque(context).takeUnretainedValue().flag.isCancelled ? 1 : 0
}
