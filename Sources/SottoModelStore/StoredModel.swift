import SottoStreams

/// A model's folder in the store, looked at from the disk.
struct StoredModel: Sendable {
    enum Condition: Sendable, Equatable {
        case verified, missing
        case damaged(String)
    }

    let model: ModelManifest.Model
    let folder: String
    /// Where unfinished work of this model is kept.
    let unfinished: String

    init(_ model: ModelManifest.Model, root: String) {
        self.model = model
        folder = root + "/" + model.id
        unfinished = root + "/.downloads/" + model.id
    }

    func path(_ file: ModelManifest.File) -> String { folder + "/" + file.path }

    func partialPath(_ file: ModelManifest.File, source: Int) -> String {
        unfinished + "/\(file.sha256.hex.prefix(24))-\(source).partial"
    }

    /// Where an ingredient of a conversion is kept until the conversion is done.
    func path(_ ingredient: ModelManifest.Ingredient) -> String { unfinished + "/\(ingredient.sha256.hex.prefix(24)).ingredient" }

    /// Looks at every file: one `stat` where the stamp vouches for it, else its whole contents.
    ///
    /// - Parameter isFull: Hash everything, whatever the stamp says.
    /// - Throws: `CancellationError`; ``ModelStoreError`` when a file cannot be read.
    func inspect(isFull: Bool, flag: CancellationFlag?, report: (ModelManifest.File, Int64) -> Void = { _, _ in }) throws -> [Condition] {
        let before = VerificationStamp.read(in: folder)
        var stamp = before
        var conditions: [Condition] = []
        for file in model.files {
            let path = path(file)
            guard let facts = FileFacts.of(path) else {
                stamp.files[file.path] = nil
                conditions.append(.missing)
                continue
            }
            if isFull == false, stamp.covers(file, facts) {
                conditions.append(.verified)
                continue
            }
            stamp.files[file.path] = nil
            guard facts.isRegular else {
                conditions.append(.damaged("\(file.path) is not a file"))
                continue
            }
            guard facts.size == file.size else {
                conditions.append(.damaged("\(file.path) has \(facts.size) bytes instead of \(file.size)"))
                continue
            }
            let digest = try StoreFolder.hash(path, flag: flag) { report(file, $0) }
            guard digest == file.sha256 else {
                conditions.append(.damaged("\(file.path) has the right size and the wrong contents"))
                continue
            }
            // A change while it was hashed shows as other facts.
            if let now = FileFacts.of(path), now == facts { stamp.record(file, facts) }
            conditions.append(.verified)
        }
        // A store that is only readable works too, at the cost of hashing each time.
        if stamp != before, FileFacts.of(folder)?.isFolder == true { try? stamp.write(in: folder) }
        return conditions
    }

    /// Notes that `file` was just verified in its place.
    func stamp(_ file: ModelManifest.File) throws(ModelStoreError) {
        guard let facts = FileFacts.of(path(file)) else { return }
        var stamp = VerificationStamp.read(in: folder)
        stamp.record(file, facts)
        try stamp.write(in: folder)
    }

    func state(_ conditions: [Condition]) -> ModelState {
        for case .damaged(let reason) in conditions { return .damaged(reason: reason) }
        if conditions.allSatisfy({ $0 == .verified }) { return .installed }
        let there = zip(model.files, conditions).reduce(Int64(0)) { $0 + ($1.1 == .verified ? $1.0.size : 0) }
        let bytes = there + resumableBytes
        return bytes > 0 ? .partial(bytes: bytes) : .missing
    }

    /// Bytes of final files that unfinished work holds.
    var resumableBytes: Int64 {
        let names = StoreFolder.names(in: unfinished).filter { $0.hasSuffix(".partial") }
        return names.reduce(0) { $0 + PartialFile.resumableBytes(unfinished + "/" + $1) }
    }
}
