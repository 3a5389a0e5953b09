public import Foundation
import Glibc
public import SottoObservability
import SottoStreams

/// The models on this machine: which are there and whole, and how to get, check, import and remove them.
///
/// ```swift
/// let manifest = try ModelManifest.load(from: ModelManifest.locate(environment: environment, executable: program))
/// let store = ModelStore(manifest: manifest, configuration: .init(root: cache + "/sotto/models", environment: environment))
/// try await store.pull(["small"]) { print($0.phase, $0.completed, $0.total) }
/// let recognizer = try await store.installed("moonshine-tiny-en")
/// ```
/// A file is only ever in its final place when its size and SHA-256 are those of the manifest; whatever else is on the disk
/// (after a crash, a full disk, a bad server) is either provably right and continued, or replaced. Several processes may use
/// one store: one changes it at a time.
///
/// Left out: loading models, choosing them, and conversions between formats.
public actor ModelStore {
    public struct Configuration: Sendable {
        /// The store's folder, absolute: `$XDG_CACHE_HOME/sotto/models`.
        public var root: String
        /// The whole environment of child processes.
        public var environment: [String: String]
        public var limits = DownloadLimits()
        /// Bytes that stay free on the disk beyond what a pull needs.
        public var reserve: Int64 = 64 << 20
        /// How package files are fetched; the user's pip unless a test says otherwise.
        public var wheelFetcher: any WheelFetcher
        /// Bytes free for us at a path, or `nil` when unknown.
        public var availableSpace: @Sendable (_ path: String) -> Int64?
        /// Waits between attempts and for the store's lock.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// For the ledger.
        public var now: @Sendable () -> Date = { Date() }

        public init(root: String, environment: [String: String]) {
            self.root = root
            self.environment = environment
            wheelFetcher = PipWheelFetcher(environment: environment)
            availableSpace = { ModelStore.freeSpace(at: $0) }
        }
    }

    public let manifest: ModelManifest
    let configuration: Configuration
    let ledger: (any LedgerSink)?
    let log: Log
    /// Downloads and joins.
    let worker = DiskWorker(label: "sotto.models.work")
    /// Looks and hashes, so that a list does not wait for a download.
    let inspector = DiskWorker(label: "sotto.models.inspect")
    var nextFetch = 0

    /// - Parameters:
    ///   - manifest: Validated.
    ///   - ledger: Receives a row for each request.
    public init(manifest: ModelManifest, configuration: Configuration, ledger: (any LedgerSink)? = nil, log: Log = .none) {
        self.manifest = manifest
        self.configuration = configuration
        self.ledger = ledger
        self.log = log
        for note in manifest.notes { log.info(note) }
    }

    /// Bytes that this user may still write at `path`, or at its nearest folder that exists.
    static func freeSpace(at path: String) -> Int64? {
        var folder = path
        var status = statvfs()
        while unsafe statvfs(folder, &status) != 0 {
            let parent = (folder as NSString).deletingLastPathComponent
            guard parent.isEmpty == false, parent != folder else { return nil }
            folder = parent
        }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    // MARK: Looking

    /// Whether a model is there and whole. Costs one `stat` a file when it was verified before, else hashes it once.
    ///
    /// - Throws: ``ModelStoreError`` `.unknownModel`, `.fileFailed`; `CancellationError`.
    public func status(of id: String) async throws -> ModelState {
        let stored = StoredModel(try manifest.model(id), root: configuration.root)
        return try await inspect(stored, isFull: false)
    }

    /// A model that may be loaded.
    ///
    /// - Throws: ``ModelStoreError`` `.notInstalled`, saying what is wrong and which command mends it.
    public func installed(_ id: String) async throws -> InstalledModel {
        let stored = StoredModel(try manifest.model(id), root: configuration.root)
        let state = try await inspect(stored, isFull: false)
        let reason: String
        switch state {
        case .installed: return InstalledModel(id: id, folder: stored.folder, files: stored.model.files.map(\.path))
        case .missing: reason = "is not installed"
        case .partial: reason = "is only partly there"
        case .damaged(let why): reason = "is damaged: \(why)"
        }
        throw ModelStoreError(.notInstalled, "the model \(id) \(reason). Run `sotto models pull \(id)`")
    }

    /// All models of the manifest, in its order.
    public func list() async throws -> [ModelRow] {
        var rows: [ModelRow] = []
        for model in manifest.models { rows.append(try await row(model, isFull: false)) }
        return rows
    }

    /// Hashes every file of the models, whatever was known before.
    ///
    /// - Parameter names: Ids and set names; empty means every model of which something is there.
    public func verify(_ names: [String], progress: @escaping PullProgressHandler = { _ in }) async throws -> [ModelRow] {
        let models =
            names.isEmpty
            ? manifest.models.filter { FileFacts.of(configuration.root + "/" + $0.id) != nil } : try manifest.resolve(names)
        let tracker = PullTracker(models, progress)
        var rows: [ModelRow] = []
        for model in models { rows.append(try await row(model, isFull: true, tracker: tracker)) }
        return rows
    }

    private func row(_ model: ModelManifest.Model, isFull: Bool, tracker: PullTracker? = nil) async throws -> ModelRow {
        let state = try await inspect(StoredModel(model, root: configuration.root), isFull: isFull, tracker: tracker)
        return ModelRow(
            id: model.id, role: model.role, name: model.name, license: model.license, size: model.size, state: state,
            sets: manifest.sets(holding: model.id))
    }

    private func inspect(_ stored: StoredModel, isFull: Bool, tracker: PullTracker? = nil) async throws -> ModelState {
        stored.state(try await conditions(of: stored, isFull: isFull, phase: .verifying, tracker: tracker))
    }

    func conditions(
        of stored: StoredModel, isFull: Bool, phase: PullProgress.Phase, tracker: PullTracker?
    ) async throws -> [StoredModel.Condition] {
        let inspector = inspector
        return try await withCancellationFlag { flag in
            try await inspector.run {
                var hashed: Int64 = 0
                return try stored.inspect(isFull: isFull, flag: flag) { file, bytes in
                    hashed += bytes
                    tracker?.report(phase, stored.model.id, file.path, completed: hashed)
                }
            }
        }
    }

    // MARK: Removing

    /// Deletes a model and what was fetched of it.
    ///
    /// - Parameter id: Of the manifest, or of an older one whose folder is still there.
    /// - Returns: Bytes freed.
    /// - Throws: ``ModelStoreError`` `.unknownModel` when there is no such model and no such folder.
    @discardableResult
    public func remove(_ id: String, progress: @escaping PullProgressHandler = { _ in }) async throws -> Int64 {
        let folder = configuration.root + "/" + id
        guard ModelManifest.isSafeID(id), manifest.models.contains(where: { $0.id == id }) || FileFacts.of(folder)?.isFolder == true else {
            throw ModelStoreError(.unknownModel, "no model is called “\(id)”; `sotto models list` names them")
        }
        let lock = try await lockStore(progress)
        let unfinished = configuration.root + "/.downloads/" + id
        let freed = try await worker.run {
            let size = StoreFolder.size(of: folder) + StoreFolder.size(of: unfinished)
            try StoreFolder.remove(folder)
            try StoreFolder.remove(unfinished)
            return size
        }
        extendLifetime(lock)
        return freed
    }

    /// Waits until no other process changes the store.
    func lockStore(_ progress: PullProgressHandler) async throws -> StoreLock {
        try StoreFolder.make(configuration.root)
        let path = configuration.root + "/.lock"
        var isFirst = true
        while true {
            if let lock = try StoreLock.acquire(path) { return lock }
            if isFirst {
                isFirst = false
                log.info("another sotto process is changing the models in \(configuration.root); waiting for it")
                progress(
                    PullProgress(
                        phase: .waiting, model: "", item: "another sotto process is changing the models; waiting for it", modelCompleted: 0,
                        modelTotal: 0, completed: 0, total: 0))
            }
            // The system tells nobody when the other process lets go, and a blocking wait could not be cancelled.
            try await configuration.clock.sleep(for: .milliseconds(100))
        }
    }
}
