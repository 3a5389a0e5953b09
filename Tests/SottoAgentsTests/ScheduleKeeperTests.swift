import Foundation
import SottoAgents
import SottoJobStore
import Testing

@Suite struct ScheduleKeeperTests {
    let keeper = ScheduleKeeper()

    /// Monday, 2 March 2026, 10:00 in Berlin (09:00 UTC).
    let start = Date(timeIntervalSince1970: 1_772_442_000)
    let day: Double = 86_400

    func daily() throws -> Schedule {
        var schedule = try keeper.schedule(kind: "research", title: "News", payload: "{}", every: "Day at 9:00", zone: "europe/berlin", at: start)
        schedule.id = ScheduleID(7)
        return schedule
    }

    /// What a store does with a firing.
    func carriedOut(_ firing: ScheduleFiring, _ schedule: Schedule, at now: Date) -> Schedule {
        var schedule = schedule
        schedule.missed += firing.missed
        schedule.lastRun = now
        schedule.nextRun = firing.next
        return schedule
    }

    @Test("a new schedule is canonical, keeps its zone and has not run")
    func newSchedule() throws {
        let schedule = try daily()
        #expect(schedule.rule == "day at 09:00")
        #expect(schedule.zone == "Europe/Berlin")
        // 3 March 2026, 08:00 UTC.
        #expect(schedule.nextRun == Date(timeIntervalSince1970: 1_772_524_800))
        #expect(schedule.lastRun == nil)
        #expect(schedule.lastCheck == nil)
        #expect(schedule.missed == 0)
        let check = keeper.check([schedule], at: start)
        #expect(check.firings.isEmpty)
        #expect(check.nextDue == schedule.nextRun)
    }

    @Test("it runs when it is due, not before, and the time shown is the time run")
    func runsWhenDue() throws {
        let schedule = try daily()
        let due = try #require(schedule.nextRun)
        #expect(try ScheduleZone(schedule.zone).text(due) == "2026-03-03 09:00")
        #expect(keeper.check([schedule], at: due.addingTimeInterval(-0.001)).firings.isEmpty)
        let check = keeper.check([schedule], at: due)
        #expect(check.firings == [ScheduleFiring(schedule: schedule.id, due: due, scheduledFor: due, missed: 0, next: due.addingTimeInterval(day))])
        #expect(check.nextDue == due.addingTimeInterval(day))
    }

    @Test("after ten days asleep it runs once, for the latest time, and nine are told as missed")
    func oneCatchUp() throws {
        let schedule = try daily()
        let due = try #require(schedule.nextRun)
        let now = due.addingTimeInterval(9 * day + 5_000)
        let firing = try #require(keeper.check([schedule], at: now).firings.first)
        #expect(firing.due == due)
        #expect(firing.scheduledFor == due.addingTimeInterval(9 * day))
        #expect(firing.missed == 9)
        #expect(firing.next == due.addingTimeInterval(10 * day))
        let after = carriedOut(firing, schedule, at: now)
        #expect(keeper.check([after], at: now).firings.isEmpty)
        #expect(after.missed == 9)
    }

    @Test("a sleep across the change of the clock counts days, not 24 hours")
    func catchUpAcrossChange() throws {
        let schedule = try daily()
        // 1 April 2026, 09:00 in Berlin is 07:00 UTC: an hour less than whole days.
        let now = Date(timeIntervalSince1970: 1_775_026_800)
        let firing = try #require(keeper.check([schedule], at: now).firings.first)
        #expect(firing.scheduledFor == now)
        // 3 March … 31 March.
        #expect(firing.missed == 29)
        #expect(firing.next == now.addingTimeInterval(day))
    }

    @Test("a thousand years of missed minutes are counted at once")
    func longStop() throws {
        let schedule = try keeper.schedule(kind: "k", title: "t", payload: "", every: "minute", zone: "UTC", at: start)
        let now = start.addingTimeInterval(365_000 * day + 59)
        let firing = try #require(keeper.check([schedule], at: now).firings.first)
        #expect(firing.missed == 365_000 * 1_440 - 1)
        #expect(firing.scheduledFor == start.addingTimeInterval(365_000 * day))
        #expect(firing.next == start.addingTimeInterval(365_000 * day + 60))
    }

    @Test("a clock that is set back does not run it again, by minutes or by days", arguments: [60, 3_600, 86_400, 864_000] as [Double])
    func clockSetBack(by seconds: Double) throws {
        var schedule = try daily()
        var now = try #require(schedule.nextRun).addingTimeInterval(10)
        let firing = try #require(keeper.check([schedule], at: now).firings.first)
        schedule = carriedOut(firing, schedule, at: now)
        now.addTimeInterval(-seconds)
        var runs = 0
        // Hour by hour through the same time again, to just before the next run.
        while now < firing.due.addingTimeInterval(day - 1) {
            runs += keeper.check([schedule], at: now).firings.count
            now.addTimeInterval(600)
        }
        #expect(runs == 0)
        #expect(keeper.check([schedule], at: firing.due.addingTimeInterval(day)).firings.map(\.missed) == [0])
    }

    @Test("the user is told when a clock that was wrong makes a schedule wait")
    func clockWrong() throws {
        var schedule = try daily()
        let wrong = start.addingTimeInterval(3_650 * day)
        let firing = try #require(keeper.check([schedule], at: wrong).firings.first)
        #expect(keeper.notice(for: schedule, at: start) == nil)
        schedule = carriedOut(firing, schedule, at: wrong)
        #expect(keeper.notice(for: schedule, at: start)?.contains("set back") == true)
        #expect(keeper.notice(for: schedule, at: start)?.contains("2036-02-29 09:00") == true)
        #expect(keeper.notice(for: schedule, at: wrong) == nil)
    }

    @Test("a look is not a run: checks without a due time change nothing and promise nothing")
    func looksAreNotRuns() throws {
        var schedule = try daily()
        let due = try #require(schedule.nextRun)
        for minute in 0..<200 {
            let now = start.addingTimeInterval(Double(minute) * 60)
            #expect(keeper.check([schedule], at: now).firings.isEmpty)
            schedule.lastCheck = now
        }
        #expect(schedule.lastRun == nil)
        #expect(keeper.check([schedule], at: due).firings.map(\.scheduledFor) == [due])
    }

    @Test("a change of the rule alone keeps the zone, and one of the zone keeps the rule")
    func partialChange() throws {
        let schedule = try daily()
        let later = try keeper.changed(schedule, rule: "18:00", at: start)
        #expect(later.zone == "Europe/Berlin")
        #expect(later.rule == "day at 18:00")
        // 2 March 2026, 17:00 UTC.
        #expect(later.nextRun == Date(timeIntervalSince1970: 1_772_470_800))
        let moved = try keeper.changed(schedule, zone: "Asia/Kathmandu", at: start)
        #expect(moved.rule == "day at 09:00")
        // 3 March 2026, 03:15 UTC.
        #expect(moved.nextRun == Date(timeIntervalSince1970: 1_772_507_700))
        #expect(throws: ScheduleError.self) { try keeper.changed(schedule, zone: "Mars/Olympus", at: start) }
    }

    @Test("one schedule that cannot be read stops no other, and is told")
    func problemsAreTold() throws {
        let good = try daily()
        var bad = good
        bad.id = ScheduleID(8)
        bad.zone = "Mars/Olympus"
        var worse = good
        worse.id = ScheduleID(9)
        worse.rule = "blursday at 09:00"
        var over = good
        over.id = ScheduleID(10)
        over.nextRun = nil
        let check = keeper.check([bad, worse, over, good], at: try #require(good.nextRun))
        #expect(check.firings.map(\.schedule) == [good.id])
        #expect(check.problems.map(\.schedule) == [bad.id, worse.id])
        #expect(check.problems.map(\.error.code) == [.unknownZone, .notUnderstood])
        #expect(keeper.notice(for: bad, at: start)?.contains("Mars/Olympus") == true)
    }

    @Test("firings come in the order in which they were due")
    func order() throws {
        let first = try daily()
        var second = try keeper.schedule(kind: "k", title: "t", payload: "", every: "hour", zone: "UTC", at: start)
        second.id = ScheduleID(3)
        let check = keeper.check([first, second], at: start.addingTimeInterval(3 * day))
        #expect(check.firings.map(\.schedule) == [second.id, first.id])
        #expect(check.nextDue == second.nextRun?.addingTimeInterval(3 * day))
    }

    @Test("every run of a year, woken at odd moments: each time once or missed, none twice, next always ahead", arguments: [
        "day at 02:30", "sun at 02:00", "30 minutes", "month on 31 at 02:30",
    ])
    func yearOfWakings(rule: String) throws {
        let zone = try ScheduleZone("Europe/Berlin")
        var schedule = try keeper.schedule(kind: "k", title: "t", payload: "", every: rule, zone: zone.name, at: start)
        let parsed = try ScheduleRule(rule)
        var times = 0
        var time = start
        let end = start.addingTimeInterval(366 * day)
        while true {
            time = parsed.next(after: time, anchor: schedule.createdAt, zone: zone)
            if time > end { break }
            times += 1
        }
        var seed: UInt64 = 11
        var now = start
        var runs: [Date] = []
        while now < end {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            now = min(end, now.addingTimeInterval(Double(seed >> 44) / 4))
            for firing in keeper.check([schedule], at: now).firings {
                #expect(firing.scheduledFor <= now)
                #expect(try #require(firing.next) > now)
                runs.append(firing.scheduledFor)
                schedule = carriedOut(firing, schedule, at: now)
            }
        }
        #expect(runs == runs.sorted())
        #expect(Set(runs).count == runs.count)
        #expect(runs.count + schedule.missed == times)
    }
}
