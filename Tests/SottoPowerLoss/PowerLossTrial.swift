package import SottoSQLiteStore

/// Runs a workload on a simulated disk, cuts the power in many places, and opens what is found with the code that would open it.
package struct PowerLossTrial: Sendable {
    package var synchronous: String
    package var migrations: [SQLiteDatabase.Migration]
    package var seed: UInt64
    /// About how many disks to open.
    package var images: Int
    /// Pages in the log from which on it is copied into the database.
    package var checkpointPages: Int

    package init(synchronous: String = "FULL", migrations: [SQLiteDatabase.Migration], seed: UInt64 = 1, images: Int, checkpointPages: Int = 1_000) {
        self.synchronous = synchronous
        self.migrations = migrations
        self.seed = seed
        self.images = images
        self.checkpointPages = checkpointPages
    }

    /// A moment when something was reported as kept: how long the record was, and what the database held.
    private struct Acknowledgment: Sendable {
        var position: Int
        var contents: DatabaseContents
    }

    /// Keeps them while the workload runs; used by one task.
    private actor Acknowledgments {
        private(set) var all: [Acknowledgment] = []
        func add(_ acknowledgment: Acknowledgment) { all.append(acknowledgment) }
    }

    /// Names the folders of this process's trials, which may run side by side.
    private func folder(_ number: Int) -> String { "/simulated-disk-\(synchronous)-\(seed)-\(images)-\(checkpointPages)/\(number)" }

    package func run(_ workload: some DiskWorkload) async throws -> PowerLossReport {
        let vfs = try SimulatedDiskVFS()
        let home = folder(0)
        let disk = SimulatedDisk()
        vfs.mount(disk, at: home)
        defer { vfs.unmount(home) }
        let (record, acknowledgments) = try await record(workload, on: disk, at: home)

        var report = PowerLossReport(synchronous: synchronous)
        report.acknowledged = acknowledgments.count
        report.operations = record.count
        var random = SeededGenerator(seed: seed)
        var cuts = Self.cuts(in: record, images: images, using: &random)[...]
        var model = CrashModel()
        for position in 0...record.count {
            if position > 0 { model.apply(record[position - 1]) }
            while let cut = cuts.first, cut.position == position {
                cuts.removeFirst()
                let image = model.image(cut.survival, using: &random)
                let place = "after operation \(position) of \(record.count), \(cut.survival.rawValue) of \(model.pendingCount) unsynced changes kept"
                // Every fourth is cut off again once it has been opened and written to.
                try await examine(
                    image, at: position, acknowledgments, workload, place: place, cutsAgain: report.images % 4 == 0, vfs: vfs, using: &random, &report)
            }
        }
        return report
    }

    private func open(_ folder: String) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            path: folder + "/sotto.db", role: .writer, migrations: migrations,
            medium: .init(vfs: SimulatedDiskVFS.name, synchronous: synchronous, checkpointPages: checkpointPages))
    }

    private func record(
        _ workload: some DiskWorkload, on disk: SimulatedDisk, at folder: String
    ) async throws -> (record: [DiskOperation], acknowledgments: [Acknowledgment]) {
        let acknowledgments = Acknowledgments()
        let database = try open(folder)
        await acknowledgments.add(Acknowledgment(position: disk.position, contents: try await DatabaseContents(of: database)))
        try await workload.run(on: database) {
            let position = disk.position
            await acknowledgments.add(Acknowledgment(position: position, contents: try await DatabaseContents(of: database)))
        }
        let record = disk.record
        // Closing would copy the log; the power goes off before that.
        withExtendedLifetime(database) {}
        return (record, await acknowledgments.all)
    }

    private struct Cut {
        var position: Int
        var survival: CrashModel.Survival
    }

    /// Before and after every sync, and in between, in order; each with several fates for what was not synced.
    private static func cuts(in record: [DiskOperation], images: Int, using random: inout SeededGenerator) -> [Cut] {
        var boundaries: Set<Int> = [0, record.count]
        for (index, operation) in record.enumerated() {
            switch operation {
            case .sync, .syncFolder, .delete, .truncate, .create, .failedSync: boundaries.formUnion([index, index + 1])
            case .write: break
            }
        }
        let between = (0...record.count).filter { boundaries.contains($0) == false }
        // Half and half, spread evenly over the record.
        var cuts: [Cut] = []
        for places in [boundaries.sorted(), between] where places.isEmpty == false {
            for index in 0..<images / 2 {
                let place = places[min(places.count - 1, index * places.count / (images / 2))]
                cuts.append(Cut(position: place, survival: CrashModel.Survival.allCases.randomElement(using: &random) ?? .nothing))
            }
        }
        return cuts.sorted { $0.position < $1.position }
    }

    private func examine(
        _ image: [String: [UInt8]], at position: Int, _ acknowledgments: [Acknowledgment], _ workload: some DiskWorkload, place: String,
        cutsAgain: Bool, vfs: SimulatedDiskVFS, using random: inout SeededGenerator, _ report: inout PowerLossReport
    ) async throws {
        report.images += 1
        let home = folder(report.images)
        let disk = SimulatedDisk(files: image.renamed(to: home))
        let start = disk.files
        vfs.mount(disk, at: home)
        defer { vfs.unmount(home) }
        let acknowledged = acknowledgments.lastIndex { $0.position <= position }
        report.expected += (acknowledged ?? -1) + 1
        do {
            let database = try open(home)
            let contents = try await Self.checked(database)
            // What is there must be what was there at some moment: all changes up to it and none after it.
            let expected = acknowledged ?? 0
            let likely = acknowledgments.indices.filter { $0 == expected || $0 == expected + 1 }
            let found = likely.first { acknowledgments[$0].contents == contents } ?? acknowledgments.lastIndex { $0.contents == contents }
            guard let found else { throw Damage(what: "it holds what the database never held") }
            if let acknowledged, found < acknowledged {
                report.lost += acknowledged - found
                report.imagesWithLoss += 1
                report.note("\(place): \(acknowledged - found) of \(acknowledged + 1) acknowledged changes lost")
            } else if found > acknowledged ?? 0 {
                guard found == (acknowledged ?? 0) + 1 else { throw Damage(what: "it holds changes that had not begun") }
                report.unacknowledgedKept += 1
            }
            try await workload.goOn(with: database)
            guard cutsAgain else { return }
            let more = try await DatabaseContents(of: database)
            try await cutAgain(disk, from: start, holding: more, place: place, vfs: vfs, using: &random, &report)
        } catch let error as CancellationError {
            throw error
        } catch {
            report.corrupt += 1
            report.note("\(place): \(error)")
        }
    }

    /// The power goes off once more, with what the recovery and the last change wrote still unsynced or not.
    private func cutAgain(
        _ disk: SimulatedDisk, from start: [String: [UInt8]], holding contents: DatabaseContents, place: String, vfs: SimulatedDiskVFS,
        using random: inout SeededGenerator, _ report: inout PowerLossReport
    ) async throws {
        var model = CrashModel(files: start)
        for operation in disk.record { model.apply(operation) }
        report.images += 1
        report.secondCuts += 1
        report.expected += 1
        let home = folder(report.images)
        vfs.mount(SimulatedDisk(files: model.image(.torn, using: &random).renamed(to: home)), at: home)
        defer { vfs.unmount(home) }
        guard try await Self.checked(open(home)) == contents else {
            report.lost += 1
            report.imagesWithLoss += 1
            report.note("\(place): the change after it was lost at the second cut")
            return
        }
    }

    private static func checked(_ database: SQLiteDatabase) async throws -> DatabaseContents {
        let verdict = try await database.withoutTransaction { connection in
            try connection.query("PRAGMA integrity_check") { $0.text(0) }.joined(separator: "; ")
        }
        guard verdict == "ok" else { throw Damage(what: verdict) }
        return try await DatabaseContents(of: database)
    }

    private struct Damage: Error, CustomStringConvertible {
        var what: String
        var description: String { what }
    }
}

extension [String: [UInt8]] {
    /// The same files in another folder.
    fileprivate func renamed(to folder: String) -> [String: [UInt8]] {
        reduce(into: [:]) { result, file in result[folder + "/" + (file.key.split(separator: "/").last ?? "")] = file.value }
    }
}
