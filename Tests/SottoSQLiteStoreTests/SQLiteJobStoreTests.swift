import Foundation
import SottoDocument
import SottoJobStore
import SottoPassageIndex
import SottoTestSupport
import Testing

@testable import SottoSQLiteStore

@Suite struct SQLiteJobStoreTests {
    private let folder = NSTemporaryDirectory() + "sotto-jobs-" + UUID().uuidString
    private var path: String { folder + "/sotto.sqlite" }
    private let now = JobInstant(date: Date(timeIntervalSince1970: 1_767_225_600), uptime: .seconds(50), boot: "b")

    @Test("keeps the promises of a job store", arguments: JobStorePromise.all)
    func promise(_ promise: JobStorePromise) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await promise.check(SQLiteJobStore(path: path, role: .writer))
    }

    @Test("answers as the memory store does, over random operations", arguments: [1, 2, 3, 4] as [UInt64])
    func agreement(seed: UInt64) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await checkAgreement(MemoryJobStore(), SQLiteJobStore(path: path, role: .writer), seed: seed, count: 600)
    }

    @Test("jobs and passages live in one file and one connection, and outlive it")
    func oneFile() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
            let jobs = SQLiteJobStore(database: database)
            try await SQLitePassageIndex(database: database).recordRoot("/docs", when: 3)
            _ = try await jobs.add(NewJob(kind: "k", title: "t", payload: "p"), at: now)
        }
        #expect(try await SQLitePassageIndex(path: path, role: .writer).roots().map(\.path) == ["/docs"])
        #expect(try await SQLiteJobStore(path: path, role: .reader).jobs(states: [.queued], limit: 9).map(\.title) == ["t"])
    }

    @Test("a reader cannot write, and says so; a second writer is told who writes")
    func roles() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let writer = try SQLiteJobStore(path: path, role: .writer)
        let job = try await writer.add(NewJob(kind: "k", title: "t", payload: "p"), at: now)
        let reader = try SQLiteJobStore(path: path, role: .reader)
        #expect(try await reader.job(job.id) == job)
        await #expect(throws: JobStoreError.self) { try await reader.requestCancel(job.id, at: now) }
        #expect(try await writer.job(job.id) == job)
        do {
            _ = try SQLiteJobStore(path: path, role: .writer)
            Issue.record("two writers")
        } catch let error as JobStoreError {
            #expect(error.code == .busy && error.message.contains("\(ProcessInfo.processInfo.processIdentifier)"))
        }
    }

    @Test("a database of before jobs: readers of passages read it as it is, also while another process writes; readers of jobs bring it up to date")
    func olderSchema() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let old = try SQLiteDatabase(path: path, role: .writer, migrations: Array(StoreSchema.migrations.prefix(1)))
            try await SQLitePassageIndex(database: old).recordRoot("/docs", when: 3)
            let reader = try SQLitePassageIndex(path: path, role: .reader)
            #expect(try await reader.roots().map(\.path) == ["/docs"])
            #expect(try await reader.search(PassageQuery(text: "any", language: "en")).isEmpty)
            do {
                _ = try SQLiteJobStore(path: path, role: .reader)
                Issue.record("read jobs where there are none")
            } catch let error as JobStoreError { #expect(error.code == .busy) }
        }
        #expect(try await version() == 1)
        let jobs = try SQLiteJobStore(path: path, role: .reader)
        #expect(try await jobs.jobs(states: Set(JobState.allCases), limit: 9).isEmpty)
        #expect(try await version() == Int64(StoreSchema.migrations.count))
        #expect(try await SQLitePassageIndex(path: path, role: .reader).roots().map(\.path) == ["/docs"])
    }

    private func version() async throws -> Int64? {
        try await SQLiteDatabase(path: path, role: .reader, migrations: StoreSchema.migrations, needs: 0)
            .read { connection in try connection.first("PRAGMA user_version") { $0.integer(0) } }
    }

    @Test("claiming and looking for due times use the index, however many jobs have ended")
    func queryPlans() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
        func plan(_ sql: String) async throws -> String {
            try await database.read { connection in try connection.query("EXPLAIN QUERY PLAN " + sql) { $0.text(3) } }.joined(separator: "\n")
        }
        let claim = try await plan("SELECT id FROM jobs WHERE state = 'queued' AND dueAt <= 5 AND kind IN ('a') ORDER BY dueAt, id LIMIT 1")
        #expect(claim.contains("jobs_due") && claim.contains("TEMP B-TREE") == false, "\(claim)")
        let running = try await plan("SELECT id FROM jobs WHERE state = 'running' AND (leaseBoot <> 'a' OR leaseExpires <= 3) ORDER BY id")
        #expect(running.contains("jobs_running"), "\(running)")
        let events = try await plan("SELECT id FROM job_events WHERE id > 3 AND job = 1 ORDER BY id LIMIT 2")
        #expect(events.contains("job_events_by_job") && events.contains("TEMP B-TREE") == false, "\(events)")
    }

    @Test("a full disk is named, loses nothing, and the store goes on when there is room")
    func fullDisk() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try SQLiteDatabase(path: path, role: .writer, migrations: StoreSchema.migrations)
        let store = SQLiteJobStore(database: database)
        let kept = try await store.add(NewJob(kind: "k", title: "kept", payload: ""), at: now)
        let pages = try await database.withoutTransaction { connection in try connection.first("PRAGMA page_count") { $0.integer(0) } ?? 0 }
        _ = try await database.withoutTransaction { connection in try connection.query("PRAGMA max_page_count = \(pages + 2)") { _ in } }
        do {
            _ = try await store.add(NewJob(kind: "k", title: "big", payload: String(repeating: "x", count: 200_000)), at: now)
            Issue.record("there was room")
        } catch let error as JobStoreError { #expect(error.code == .diskFull && error.message.contains("full")) }
        #expect(try await store.jobs(states: [.queued], limit: 9) == [kept])
        _ = try await database.withoutTransaction { connection in try connection.query("PRAGMA max_page_count = 100000") { _ in } }
        #expect(try await store.add(NewJob(kind: "k", title: "big", payload: String(repeating: "x", count: 200_000)), at: now).id > kept.id)
    }

    @Test("damage is told as such")
    func damage() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: path))
        do {
            _ = try SQLiteJobStore(path: path, role: .writer)
            Issue.record("opened garbage")
        } catch let error as JobStoreError { #expect(error.code == .corrupt) }
    }

    @Test("the machine's clocks: the boot clock never goes back, and the start of the machine has one name")
    func clock() throws {
        let clock = try LinuxJobClock.make()
        let first = clock()
        let second = clock()
        #expect(second.uptime >= first.uptime && first.uptime > .zero)
        #expect(first.boot == second.boot && UUID(uuidString: first.boot) != nil)
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ").first.flatMap { Double($0) }
        #expect(abs((uptime ?? 0) - first.uptime / .seconds(1)) < 5)
    }
}
