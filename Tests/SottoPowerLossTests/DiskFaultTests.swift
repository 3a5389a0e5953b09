import Foundation
import SottoJobStore
import SottoPowerLoss
import SottoSQLiteStore
import Testing

@Suite struct DiskFaultTests {
    /// What came of forty jobs, of which the disk began to fail after the tenth.
    struct Outcome {
        var kept: [JobID] = []
        var errors: [JobStoreError] = []
        /// Reported as kept in calls that came after the one in which the disk failed.
        var keptAfterFault = 0
        var record: [DiskOperation]
    }

    let now = JobInstant(date: Date(timeIntervalSince1970: 1_796_000_000), uptime: .seconds(1), boot: "first")

    func open(_ folder: String) throws -> SQLiteJobStore {
        SQLiteJobStore(
            database: try SQLiteDatabase(
                path: folder + "/sotto.db", role: .writer, migrations: StoreSchema.migrations,
                medium: .init(vfs: SimulatedDiskVFS.name, checkpointPages: 12)))
    }

    func addForty(_ fault: DiskFault, healing: Bool, folder: String, restarting: Bool = false) async throws -> Outcome {
        let vfs = try SimulatedDiskVFS()
        let disk = SimulatedDisk()
        vfs.mount(disk, at: folder)
        defer { vfs.unmount(folder) }
        let store = try open(folder)
        var outcome = Outcome(record: [])
        for number in 0..<40 {
            if number == 10 { disk.inject(fault) }
            if number == 30, healing { disk.inject(nil) }
            let wasShown = disk.faultsShown > 0
            do {
                let payload = String(repeating: "\(number) ", count: 1_500 + number * 20)
                outcome.kept.append(try await store.add(NewJob(kind: "k", title: "Task \(number)", payload: payload), at: now).id)
                if wasShown { outcome.keptAfterFault += 1 }
            } catch let error as JobStoreError {
                outcome.errors.append(error)
            }
        }
        #expect(disk.faultsShown > 0)
        // Reading goes on, and shows what is kept.
        #expect(Set(try await store.jobs(states: [.queued], limit: 100).map(\.id)) == Set(outcome.kept))
        if restarting {
            disk.forgetOpenFiles()
            let next = try open(folder)
            for number in 0..<5 {
                outcome.kept.append(try await next.add(NewJob(kind: "k", title: "Later \(number)", payload: "{}"), at: now).id)
                outcome.record = disk.record
                try await checkAfterPowerCut(outcome, folder: folder + "/cut")
            }
            // Closing would empty the log; a process that is killed does not come to that.
            withExtendedLifetime((store, next)) {}
            return outcome
        }
        outcome.record = disk.record
        withExtendedLifetime(store) {}
        return outcome
    }

    /// Cuts the power at the end and looks for everything that was reported as kept.
    func checkAfterPowerCut(_ outcome: Outcome, folder: String) async throws {
        var model = CrashModel()
        for operation in outcome.record { model.apply(operation) }
        let vfs = try SimulatedDiskVFS()
        var random = SeededGenerator(seed: 9)
        for survival in CrashModel.Survival.allCases {
            let image = model.image(survival, using: &random)
            let files = image.map { (folder + "/" + ($0.key.split(separator: "/").last ?? ""), $0.value) }
            vfs.mount(SimulatedDisk(files: Dictionary(uniqueKeysWithValues: files)), at: folder)
            defer { vfs.unmount(folder) }
            let store = try open(folder)
            let found = Set(try await store.jobs(states: [.queued], limit: 100).map(\.id))
            #expect(found.isSuperset(of: outcome.kept), "\(survival)")
            #expect(found.subtracting(outcome.kept).count <= 1)
            #expect(try await store.add(NewJob(kind: "k", title: "one more", payload: ""), at: now).id.rawValue > 0)
        }
    }

    @Test("a full disk is called that, nothing kept is lost, and with space again it goes on", arguments: [0, 1, 31, 4_096, 9_000, 30_000])
    func diskFull(bytes: Int) async throws {
        let folder = "/faults-full-\(bytes)"
        let outcome = try await addForty(.full(afterBytes: bytes), healing: true, folder: folder)
        #expect(outcome.errors.isEmpty == false)
        #expect(outcome.errors.allSatisfy { $0.code == .diskFull && $0.message.contains("full") && $0.message.contains("free some space") })
        #expect(outcome.kept.count >= 20)
        try await checkAfterPowerCut(outcome, folder: folder)
    }

    @Test("a write that was cut short or failed is an error, nothing kept is lost, and the next one works", arguments: [1, 2, 3, 5, 8, 13, 21, 34])
    func failedWrite(count: Int) async throws {
        for (fault, code) in [(DiskFault.shortWrite(count), JobStoreError.Code.diskFull), (.failedWrite(count), .failed)] {
            let folder = "/faults-write-\(code)-\(count)"
            let outcome = try await addForty(fault, healing: false, folder: folder)
            // A write that fails while the log is copied costs nothing: it is copied again later.
            #expect(outcome.errors.count <= 1)
            #expect(outcome.errors.allSatisfy { $0.code == code })
            #expect(outcome.kept.count >= 39)
            try await checkAfterPowerCut(outcome, folder: folder)
        }
    }

    @Test("after a failed sync nothing more is reported as kept, and what was before is there", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 11, 16])
    func failedSync(count: Int) async throws {
        let folder = "/faults-sync-\(count)"
        let outcome = try await addForty(.failedSync(count), healing: true, folder: folder)
        #expect(outcome.keptAfterFault == 0)
        #expect(outcome.errors.count >= 20)
        #expect(outcome.errors.allSatisfy { $0.code == .failed })
        #expect(outcome.errors.last?.message.contains("nothing more is written until Sotto is started again") == true)
        try await checkAfterPowerCut(outcome, folder: folder)
    }

    @Test("killed after a failed sync and started again, what is reported as kept then is there after a power cut", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 11, 16])
    func failedSyncAndRestart(count: Int) async throws {
        let folder = "/faults-restart-\(count)"
        let outcome = try await addForty(.failedSync(count), healing: true, folder: folder, restarting: true)
        #expect(outcome.keptAfterFault == 0)
    }
}
