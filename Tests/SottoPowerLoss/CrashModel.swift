/// What a disk may hold after the power went off, by the rules of ALICE (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI 2018).
///
/// What was written to a file before its last sync is there. Of what was written since, any part may be: each write is split where 4 KiB pages
/// begin, each piece gets there or not whatever the others do, and a piece may be torn at 512 bytes. Sizes and names likewise: a file that was
/// synced is lost all the same while its folder was not. Bytes that were not written to stay as they are (`SQLITE_IOCAP_POWERSAFE_OVERWRITE`,
/// which SQLite assumes by default, too).
package struct CrashModel: Sendable {
    /// Which of the unsynced changes got there.
    package enum Survival: String, Sendable, CaseIterable {
        case nothing, everything
        /// The first few, in order: no reordering.
        case first
        /// All but one, the others in spite of it.
        case allButOne
        case onlyOne
        /// Each by the toss of a coin.
        case some
        /// Each sector by the toss of a coin.
        case torn
        /// The sizes but not the bytes: zeros where the file grew.
        case sizesAlone
    }

    fileprivate enum Change: Sendable {
        case bytes(offset: Int, ArraySlice<UInt8>)
        case size(Int)
    }

    fileprivate struct File: Sendable {
        var durable: [UInt8] = []
        var pending: [Change] = []
        /// What a failed sync left behind: later syncs do not bring it, unless its page is written again.
        var lost: [Change] = []
    }

    private enum NameChange: Sendable { case create(String, Int), delete(String) }

    private var files: [Int: File] = [:]
    private var names: [String: Int] = [:]
    private var pendingNames: [NameChange] = []

    static let page = 4_096
    static let sector = 512

    /// - Parameter files: What is on the disk at the start, numbered as ``SimulatedDisk`` does.
    package init(files: [String: [UInt8]] = [:]) {
        for (number, file) in files.sorted(by: { $0.key < $1.key }).enumerated() {
            names[file.key] = number
            self.files[number] = File(durable: file.value)
        }
    }

    /// How many changes hang in the air: that many pieces can be there or not.
    package var pendingCount: Int { files.values.reduce(pendingNames.count) { $0 + $1.pending.count + $1.lost.count } }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .create(let name, let file):
            files[file] = File()
            pendingNames.append(.create(name, file))
        case .delete(let name): pendingNames.append(.delete(name))
        case .syncFolder:
            for change in pendingNames { Self.apply(change, to: &names) }
            pendingNames = []
        case .write(let file, let offset, let bytes):
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Self.page - (offset + start) % Self.page)
                files[file, default: File()].pending.append(.bytes(offset: offset + start, bytes[start..<end]))
                start = end
            }
        case .truncate(let file, let size): files[file, default: File()].pending.append(.size(size))
        case .sync(let file): files[file]?.sync()
        case .failedSync(let file): files[file]?.loseTrack()
        }
    }

    /// One disk that may be found afterwards.
    package func image(_ survival: Survival, using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        var total = pendingCount
        var chosen = 0
        switch survival {
        case .first, .allButOne, .onlyOne: chosen = total > 0 ? Int.random(in: 0..<total, using: &random) : 0
        default: break
        }
        total = 0
        func survives(_ random: inout some RandomNumberGenerator) -> Bool {
            defer { total += 1 }
            switch survival {
            case .nothing: return false
            case .everything, .sizesAlone: return true
            case .first: return total < chosen
            case .allButOne: return total != chosen
            case .onlyOne: return total == chosen
            case .some: return Bool.random(using: &random)
            case .torn: return Int.random(in: 0..<4, using: &random) > 0
            }
        }

        var found: [Int: [UInt8]] = [:]
        for number in files.keys.sorted() {
            guard let file = files[number] else { continue }
            var bytes = file.durable
            for change in file.lost + file.pending where survives(&random) {
                switch change {
                case .size(let size): bytes.resize(to: size)
                case .bytes(let offset, let piece):
                    switch survival {
                    case .sizesAlone: if bytes.count < offset + piece.count { bytes.resize(to: offset + piece.count) }
                    case .torn: Self.tear(piece, at: offset, into: &bytes, using: &random)
                    default: bytes.overwrite(at: offset, with: piece)
                    }
                }
            }
            found[number] = bytes
        }
        var names = names
        for change in pendingNames where survives(&random) { Self.apply(change, to: &names) }
        return names.compactMapValues { found[$0] }
    }

    private static func tear(_ piece: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8], using random: inout some RandomNumberGenerator) {
        var start = piece.startIndex
        while start < piece.endIndex {
            let position = offset + start - piece.startIndex
            let end = min(piece.endIndex, start + sector - position % sector)
            if Bool.random(using: &random) { bytes.overwrite(at: position, with: piece[start..<end]) }
            start = end
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .create(let name, let file): names[name] = file
        case .delete(let name): names[name] = nil
        }
    }
}

extension CrashModel.File {
    fileprivate mutating func sync() {
        // A page that is written again goes out whole, with what a failed sync had left in it; a size is that of the last change.
        let pages = Set(pending.compactMap(\.page))
        func isBrought(_ change: CrashModel.Change) -> Bool { change.page.map(pages.contains) ?? true }
        for change in lost where isBrought(change) { change.apply(to: &durable) }
        lost.removeAll(where: isBrought)
        for change in pending { change.apply(to: &durable) }
        pending = []
    }

    fileprivate mutating func loseTrack() {
        lost += pending
        pending = []
    }
}

extension CrashModel.Change {
    fileprivate var page: Int? {
        switch self {
        case .bytes(let offset, _): offset / CrashModel.page
        case .size: nil
        }
    }

    fileprivate func apply(to bytes: inout [UInt8]) {
        switch self {
        case .bytes(let offset, let piece): bytes.overwrite(at: offset, with: piece)
        case .size(let size): bytes.resize(to: size)
        }
    }
}
