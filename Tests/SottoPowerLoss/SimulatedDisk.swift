internal import Synchronization

/// A disk in memory that keeps a record of everything written to it.
///
/// It shows SQLite what an operating system shows a program that is not interrupted: each write at once. What would be there after a power cut
/// is worked out from the record, by ``CrashModel``.
package final class SimulatedDisk: Sendable {
    /// What an operation comes to.
    package enum Outcome: Sendable { case done, full, failed }

    private struct State {
        var files: [[UInt8]] = []
        var names: [String: Int] = [:]
        var record: [DiskOperation] = []
        var fault: DiskFault?
        var faultsShown = 0
        /// Journals and logs whose name is not yet on the disk: their first sync brings the folder's entries too, as SQLite's `unixSync` does.
        var namesToSync: Set<Int> = []
        var openDatabases: Set<Int> = []
    }

    private let state: Mutex<State>

    /// - Parameter files: What is on the disk, by full path.
    package init(files: [String: [UInt8]] = [:]) {
        var start = State()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            start.names[name] = start.files.count
            start.files.append(bytes)
        }
        state = Mutex(start)
    }

    /// How many operations have been recorded.
    package var position: Int { state.withLock { $0.record.count } }
    package var record: [DiskOperation] { state.withLock { $0.record } }
    package var faultsShown: Int { state.withLock { $0.faultsShown } }
    package var files: [String: [UInt8]] { state.withLock { state in state.names.mapValues { state.files[$0] } } }

    /// From the next operation on; `nil` heals the disk.
    package func inject(_ fault: DiskFault?) { state.withLock { $0.fault = fault } }

    /// As if the process that has files open had been killed: others may open them.
    package func forgetOpenFiles() { state.withLock { $0.openDatabases = [] } }

    // MARK: What the VFS calls

    func exists(_ name: String) -> Bool {
        // As SQLite's own: an empty file counts as none.
        state.withLock { state in state.names[name].map { state.files[$0].isEmpty == false } ?? false }
    }

    /// - Returns: `nil` when there is no such file and none is to be made.
    func open(_ name: String, creating: Bool, syncsName: Bool) -> Int? {
        state.withLock { state in
            if let file = state.names[name] { return file }
            guard creating else { return nil }
            let file = state.files.count
            state.files.append([])
            state.names[name] = file
            state.record.append(.create(name: name, file: file))
            if syncsName { state.namesToSync.insert(file) }
            return file
        }
    }

    /// A file without a name, which no power cut leaves behind.
    func openTemporary() -> Int {
        state.withLock { state in
            state.files.append([])
            return state.files.count - 1
        }
    }

    /// One connection at a time: shared memory is then private, and locks have nobody to keep out.
    func beginDatabase(_ file: Int) -> Bool { state.withLock { $0.openDatabases.insert(file).inserted } }
    func endDatabase(_ file: Int) { state.withLock { _ = $0.openDatabases.remove(file) } }

    func delete(_ name: String, syncing: Bool) -> Bool {
        state.withLock { state in
            guard state.names.removeValue(forKey: name) != nil else { return false }
            state.record.append(.delete(name: name))
            if syncing { state.record.append(.syncFolder) }
            return true
        }
    }

    func size(_ file: Int) -> Int { state.withLock { $0.files[file].count } }

    /// - Returns: How many bytes there were to read.
    func read(_ file: Int, at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(target.count, state.files[file].count - offset)
            guard count > 0 else { return 0 }
            unsafe state.files[file].withUnsafeBytes { bytes in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            return count
        }
    }

    func write(_ file: Int, at offset: Int, _ bytes: [UInt8], isRecorded: Bool) -> Outcome {
        state.withLock { state in
            var bytes = bytes
            var outcome = Outcome.done
            if isRecorded {
                switch state.fault {
                case .full(let left):
                    let growth = max(0, offset + bytes.count - max(offset, state.files[file].count))
                    if growth > left {
                        bytes.removeLast(growth - left)
                        outcome = .full
                    }
                    state.fault = .full(afterBytes: left - min(growth, left))
                case .shortWrite(let count):
                    state.fault = count > 1 ? .shortWrite(count - 1) : nil
                    if count == 1 {
                        bytes.removeLast(bytes.count / 2)
                        outcome = .full
                    }
                case .failedWrite(let count):
                    state.fault = count > 1 ? .failedWrite(count - 1) : nil
                    if count == 1 {
                        bytes = []
                        outcome = .failed
                    }
                case .failedSync, nil: break
                }
                if outcome != .done { state.faultsShown += 1 }
            }
            guard bytes.isEmpty == false else { return outcome }
            state.files[file].overwrite(at: offset, with: bytes[...])
            if isRecorded { state.record.append(.write(file: file, offset: offset, bytes: bytes)) }
            return outcome
        }
    }

    func truncate(_ file: Int, to size: Int, isRecorded: Bool) {
        state.withLock { state in
            state.files[file].resize(to: size)
            if isRecorded { state.record.append(.truncate(file: file, size: size)) }
        }
    }

    func sync(_ file: Int) -> Outcome {
        state.withLock { state in
            if case .failedSync(let count) = state.fault {
                state.fault = count > 1 ? .failedSync(count - 1) : nil
                if count == 1 {
                    state.faultsShown += 1
                    state.record.append(.failedSync(file: file))
                    return .failed
                }
            }
            state.record.append(.sync(file: file))
            if state.namesToSync.remove(file) != nil { state.record.append(.syncFolder) }
            return .done
        }
    }
}

extension [UInt8] {
    /// Grows with zeros, as files do.
    mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) } else if size > count { append(contentsOf: repeatElement(0, count: size - count)) }
    }

    mutating func overwrite(at offset: Int, with bytes: ArraySlice<UInt8>) {
        if count < offset + bytes.count { resize(to: offset + bytes.count) }
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count]).copyMemory(from: source)
            }
        }
    }
}
