import CZip
import SottoStreams

/// Reads entries of a ZIP archive as streams. No name from inside the archive is ever used as a path on the disk.
@safe struct ZipArchive: ~Copyable {
    private let archive: OpaquePointer
    let path: String

    init(_ path: String) throws(ModelStoreError) {
        var code: Int32 = 0
        guard let archive = unsafe zip_open(path, ZIP_RDONLY, &code) else {
            throw ModelStoreError(.wrongContents, "\(path) is not a readable ZIP archive (libzip error \(code))")
        }
        unsafe self.archive = archive
        self.path = path
    }

    deinit { unsafe zip_discard(archive) }

    /// Names and unpacked sizes of all entries, in the archive's order.
    func entries() -> [(name: String, size: Int64)] {
        let count = unsafe zip_get_num_entries(archive, 0)
        var list: [(name: String, size: Int64)] = []
        for index in 0..<max(0, count) {
            var status = unsafe zip_stat_t()
            guard unsafe zip_stat_index(archive, zip_uint64_t(index), 0, &status) == 0, let name = unsafe status.name else { continue }
            unsafe list.append((String(cString: name), Int64(clamping: status.size)))
        }
        return list
    }

    /// Streams one entry, unpacked; the archive's own checksum is checked at its end.
    ///
    /// - Parameters:
    ///   - limit: More bytes than this end the reading with an error, whatever the archive claims.
    ///   - body: Receives the bytes in order; the buffer is valid for the call only.
    /// - Throws: ``ModelStoreError`` `.wrongContents`; `CancellationError` within one megabyte.
    func read(_ name: String, limit: Int64, flag: CancellationFlag?, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let index = unsafe zip_name_locate(archive, name, 0)
        guard index >= 0 else { throw ModelStoreError(.wrongContents, "\(path) holds no entry “\(name)”") }
        var status = unsafe zip_stat_t()
        if unsafe zip_stat_index(archive, zip_uint64_t(index), 0, &status) == 0, unsafe status.size > UInt64(max(0, limit)) {
            throw unsafe ModelStoreError(.wrongContents, "“\(name)” in \(path) has \(status.size) bytes, more than the \(limit) still expected")
        }
        guard let entry = unsafe zip_fopen_index(archive, zip_uint64_t(index), 0) else {
            throw ModelStoreError(.wrongContents, "cannot open “\(name)” in \(path): \(problem)")
        }
        defer { unsafe zip_fclose(entry) }
        let buffer = ByteBuffer()
        var total: Int64 = 0
        while true {
            if flag?.isCancelled == true { throw CancellationError() }
            let count = unsafe zip_fread(entry, buffer.bytes.baseAddress, zip_uint64_t(buffer.bytes.count))
            guard count >= 0 else { throw ModelStoreError(.wrongContents, "“\(name)” in \(path) is damaged") }
            if count == 0 { return }
            total += Int64(count)
            guard total <= limit else {
                throw ModelStoreError(.wrongContents, "“\(name)” in \(path) is longer than the \(limit) bytes still expected")
            }
            try unsafe body(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<Int(count)]))
        }
    }

    private var problem: String {
        guard let text = unsafe zip_strerror(archive) else { return "unknown" }
        return unsafe String(cString: text)
    }
}
