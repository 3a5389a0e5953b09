internal import CSQLite
internal import Glibc
internal import Synchronization

/// Lets SQLite open files on simulated disks, each mounted at a folder of its own.
///
/// Shared memory (the index of the log) is ordinary memory, and locks keep out nobody: a database is open once at a time, and a second opener is
/// told that it is busy. Random numbers, sleep and time are those of SQLite's own VFS.
package struct SimulatedDiskVFS: Sendable {
    package static let name = "sotto-simulated-disk"

    /// Registers with SQLite, once in a process.
    package init() throws {
        try registration.withLock { isDone in
            guard isDone == false else { return }
            guard let system = unsafe sqlite3_vfs_find(nil) else { throw MissingVFS() }
            let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
            unsafe vfs.initialize(to: system.pointee)
            unsafe vfs.pointee.zName = UnsafePointer(strdup(Self.name))
            unsafe vfs.pointee.pNext = nil
            unsafe vfs.pointee.szOsFile = Int32(MemoryLayout<SQLiteFile>.size)
            unsafe vfs.pointee.mxPathname = 1_024
            unsafe vfs.pointee.xOpen = openFile
            unsafe vfs.pointee.xDelete = deleteFile
            unsafe vfs.pointee.xAccess = accessFile
            unsafe vfs.pointee.xFullPathname = fullPath
            // For the life of the process, as SQLite wants it.
            guard unsafe sqlite3_vfs_register(vfs, 0) == SQLITE_OK else { throw MissingVFS() }
            isDone = true
        }
    }

    /// - Parameter folder: Full path; nothing of it need exist.
    package func mount(_ disk: SimulatedDisk, at folder: String) { mounted.withLock { $0[folder] = disk } }

    /// Open files keep their disk.
    package func unmount(_ folder: String) { mounted.withLock { _ = $0.removeValue(forKey: folder) } }

    package struct MissingVFS: Error {}
}

private nonisolated let registration = Mutex(false)
// SQLite hands a VFS nothing but a path, so what is mounted where is known to the process, as with any file system.
private nonisolated let mounted = Mutex<[String: SimulatedDisk]>([:])

/// What SQLite allocates for a file: its own part, then ours.
@safe private struct SQLiteFile {
    var base: sqlite3_file
    var opened: UnsafeMutableRawPointer?
}

/// One open file, and the memory that stands for the log's shared index.
@safe private final class OpenFile {
    let disk: SimulatedDisk
    let file: Int
    /// Whether a power cut can be seen in it.
    let isNamed: Bool
    let isDatabase: Bool
    let nameToDelete: String?
    private var regions: [UnsafeMutableRawPointer] = unsafe []

    init(disk: SimulatedDisk, file: Int, isNamed: Bool, isDatabase: Bool, nameToDelete: String?) {
        self.disk = disk
        self.file = file
        self.isNamed = isNamed
        self.isDatabase = isDatabase
        self.nameToDelete = nameToDelete
    }

    deinit { freeRegions() }

    func region(_ index: Int, size: Int, extending: Bool) -> UnsafeMutableRawPointer? {
        while unsafe regions.count <= index {
            guard extending else { return nil }
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            unsafe region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            unsafe regions.append(region)
        }
        return unsafe regions[index]
    }

    func freeRegions() {
        for unsafe region in unsafe regions { unsafe region.deallocate() }
        unsafe regions = []
    }
}

/// `SQLITE_IOERR_…`: macros with casts and shifts, which Swift does not import.
private enum Failure {
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let fsync = SQLITE_IOERR | 4 << 8
    static let deleteMissing = SQLITE_IOERR | 23 << 8
    static let shmMap = SQLITE_IOERR | 21 << 8
}

private func disk(of path: String) -> SimulatedDisk? {
    guard let end = path.lastIndex(of: "/") else { return nil }
    return mounted.withLock { $0[String(path[..<end])] }
}

private func opened(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
    guard let file = unsafe file else { return nil }
    guard let pointer = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: SQLiteFile.self).pointee.opened else { return nil }
    return unsafe Unmanaged<OpenFile>.fromOpaque(pointer).takeUnretainedValue()
}

// MARK: The file system

private nonisolated let openFile:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32, UnsafeMutablePointer<Int32>?)
        -> Int32 = { _, name, file, flags, flagsOut in
            guard let file = unsafe file else { return SQLITE_ERROR }
            let target = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: SQLiteFile.self)
            unsafe target.pointee.base.pMethods = nil
            unsafe target.pointee.opened = nil
            let opened: OpenFile
            if let name = unsafe name {
                let path = unsafe String(cString: name)
                guard let disk = disk(of: path) else { return SQLITE_CANTOPEN }
                let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
                let syncsName = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL) != 0
                guard let number = disk.open(path, creating: flags & SQLITE_OPEN_CREATE != 0, syncsName: syncsName) else { return SQLITE_CANTOPEN }
                if isDatabase, disk.beginDatabase(number) == false { return SQLITE_BUSY }
                opened = OpenFile(
                    disk: disk, file: number, isNamed: true, isDatabase: isDatabase,
                    nameToDelete: flags & SQLITE_OPEN_DELETEONCLOSE != 0 ? path : nil)
            } else {
                let disk = SimulatedDisk()
                opened = OpenFile(disk: disk, file: disk.openTemporary(), isNamed: false, isDatabase: false, nameToDelete: nil)
            }
            unsafe target.pointee.opened = Unmanaged.passRetained(opened).toOpaque()
            unsafe target.pointee.base.pMethods = UnsafePointer(methods.pointer)
            if let flagsOut = unsafe flagsOut { unsafe flagsOut.pointee = flags }
            return SQLITE_OK
        }

private nonisolated let deleteFile: @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32) -> Int32 = { _, name, syncing in
    guard let name = unsafe name else { return SQLITE_ERROR }
    let path = unsafe String(cString: name)
    guard let disk = disk(of: path) else { return SQLITE_ERROR }
    return disk.delete(path, syncing: syncing != 0) ? SQLITE_OK : Failure.deleteMissing
}

private nonisolated let accessFile:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<Int32>?) -> Int32 = { _, name, flags, result in
        guard let name = unsafe name, let result = unsafe result else { return SQLITE_ERROR }
        let path = unsafe String(cString: name)
        unsafe result.pointee = disk(of: path)?.exists(path) == true ? 1 : 0
        return SQLITE_OK
    }

private nonisolated let fullPath:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<CChar>?) -> Int32 = { _, name, size, target in
        guard let name = unsafe name, let target = unsafe target else { return SQLITE_ERROR }
        guard unsafe strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
        unsafe strcpy(target, name)
        return SQLITE_OK
    }

// MARK: Files

@safe private struct Methods: @unchecked Sendable {
    // Written once, before it is shared; SQLite only reads it.
    let pointer: UnsafeMutablePointer<sqlite3_io_methods>
}

private nonisolated let methods: Methods = {
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    unsafe methods.xClose = closeFile
    unsafe methods.xRead = readFile
    unsafe methods.xWrite = writeFile
    unsafe methods.xTruncate = truncateFile
    unsafe methods.xSync = syncFile
    unsafe methods.xFileSize = fileSize
    unsafe methods.xLock = { _, _ in SQLITE_OK }
    unsafe methods.xUnlock = { _, _ in SQLITE_OK }
    unsafe methods.xCheckReservedLock = { _, result in
        if let result = unsafe result { unsafe result.pointee = 0 }
        return SQLITE_OK
    }
    unsafe methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    unsafe methods.xSectorSize = { _ in 4_096 }
    unsafe methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    unsafe methods.xShmMap = mapShared
    unsafe methods.xShmLock = { _, _, _, _ in SQLITE_OK }
    unsafe methods.xShmBarrier = { _ in }
    unsafe methods.xShmUnmap = { file, _ in
        unsafe opened(file)?.freeRegions()
        return SQLITE_OK
    }
    unsafe pointer.initialize(to: methods)
    return unsafe Methods(pointer: pointer)
}()

private nonisolated let closeFile: @convention(c) (UnsafeMutablePointer<sqlite3_file>?) -> Int32 = { file in
    guard let file = unsafe file else { return SQLITE_OK }
    let target = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: SQLiteFile.self)
    guard let pointer = unsafe target.pointee.opened else { return SQLITE_OK }
    let opened = unsafe Unmanaged<OpenFile>.fromOpaque(pointer).takeRetainedValue()
    unsafe target.pointee.opened = nil
    if opened.isDatabase { opened.disk.endDatabase(opened.file) }
    if let name = opened.nameToDelete { _ = opened.disk.delete(name, syncing: false) }
    return SQLITE_OK
}

private nonisolated let readFile:
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, sqlite3_int64) -> Int32 = { file, target, count, offset in
        guard let opened = unsafe opened(file), let target = unsafe target else { return SQLITE_ERROR }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: target, count: Int(count))
        let read = unsafe opened.disk.read(opened.file, at: Int(offset), into: buffer)
        guard read < count else { return SQLITE_OK }
        // SQLite relies on zeros after the end.
        unsafe memset(target + read, 0, Int(count) - read)
        return Failure.shortRead
    }

private nonisolated let writeFile:
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, sqlite3_int64) -> Int32 = { file, source, count, offset in
        guard let opened = unsafe opened(file), let source = unsafe source else { return SQLITE_ERROR }
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: source, count: Int(count)))
        return switch opened.disk.write(opened.file, at: Int(offset), bytes, isRecorded: opened.isNamed) {
        case .done: SQLITE_OK
        case .full: SQLITE_FULL
        case .failed: Failure.write
        }
    }

private nonisolated let truncateFile: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, sqlite3_int64) -> Int32 = { file, size in
    guard let opened = unsafe opened(file) else { return SQLITE_ERROR }
    opened.disk.truncate(opened.file, to: Int(size), isRecorded: opened.isNamed)
    return SQLITE_OK
}

private nonisolated let syncFile: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32 = { file, _ in
    guard let opened = unsafe opened(file) else { return SQLITE_ERROR }
    guard opened.isNamed else { return SQLITE_OK }
    return opened.disk.sync(opened.file) == .done ? SQLITE_OK : Failure.fsync
}

private nonisolated let fileSize: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeMutablePointer<sqlite3_int64>?) -> Int32 = { file, result in
    guard let opened = unsafe opened(file), let result = unsafe result else { return SQLITE_ERROR }
    unsafe result.pointee = sqlite3_int64(opened.disk.size(opened.file))
    return SQLITE_OK
}

private nonisolated let mapShared:
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32, Int32, Int32, UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 = {
        file, index, size, extending, result in
        guard let opened = unsafe opened(file), let result = unsafe result else { return Failure.shmMap }
        unsafe result.pointee = opened.region(Int(index), size: Int(size), extending: extending != 0)
        return SQLITE_OK
    }
