import Foundation
import SottoAgents
import SottoJobStore
import SottoSQLiteStore
import Testing

@Suite struct ScheduleStoreTests {
    /// Looks every two hours for a year, but for a month's sleep; each run is shown beforehand and added once.
    private func year(on store: some JobStore) async throws {
        let keeper = ScheduleKeeper()
        let start = Date(timeIntervalSince1970: 1_772_442_000.123_456_7)
        func instant(_ date: Date) -> JobInstant { JobInstant(date: date, uptime: .seconds(Int(date.timeIntervalSince(start))), boot: "boot") }
        let new = try keeper.schedule(kind: "research", title: "News", payload: "{}", every: "day at 02:30", zone: "Europe/Berlin", at: start)
        let added = try await store.add(new)
        #expect(added.nextRun == new.nextRun)
        #expect(added.createdAt == new.createdAt)

        var shown = added.nextRun
        var now = start
        let end = start.addingTimeInterval(365 * 86_400)
        var runs = 0
        while now < end {
            now.addTimeInterval(runs == 100 ? 30 * 86_400 : 7_200)
            let schedules = try await store.schedules()
            try await store.checkedSchedules(at: instant(now))
            let runsBefore = runs
            for firing in keeper.check(schedules, at: now).firings {
                #expect(firing.due == shown)
                let job = try #require(try await store.fire(firing, at: instant(now)))
                #expect(job.scheduledFor == firing.scheduledFor)
                #expect(job.schedule == added.id)
                // Whoever decided the same at the same time is too late.
                #expect(try await store.fire(firing, at: instant(now)) == nil)
                shown = firing.next
                runs += 1
            }
            let kept = try #require(try await store.schedules().first)
            #expect(kept.nextRun == shown)
            // A look is not a run.
            #expect((kept.lastRun == kept.lastCheck) == (runs > runsBefore))
        }
        let kept = try #require(try await store.schedules().first)
        #expect(kept.zone == "Europe/Berlin")
        #expect(kept.missed >= 28)
        // Mornings of a year: one each, run or missed; 30 days may reach beyond it.
        #expect((365...395).contains(runs + kept.missed))
        let times = try await store.jobs(states: [.queued], limit: 1_000).compactMap(\.scheduledFor)
        #expect(Set(times).count == runs)
    }

    @Test("a year of looking runs each morning once, over the memory store")
    func memory() async throws { try await year(on: MemoryJobStore()) }

    @Test("a year of looking runs each morning once, over the SQLite store")
    func sqlite() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-schedules-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await year(on: SQLiteJobStore(path: folder.path + "/sotto.db", role: .writer))
    }
}
