import Foundation
import SottoAgents
import Testing

@Suite struct ScheduleRuleTests {
    @Test("what people type reads as the rule they mean, and its canonical form reads back", arguments: [
        ("day at 09:00", "day at 09:00"), ("every day at 9:00", "day at 09:00"), ("daily at 9am", "day at 09:00"), ("09:00", "day at 09:00"),
        ("6 pm", "day at 18:00"), ("noon", "day at 12:00"), ("day at midnight", "day at 00:00"), ("12:30 am", "day at 00:30"),
        ("weekday at 8:30", "weekday at 08:30"), ("Weekdays at 8.30", "weekday at 08:30"), ("mon-fri at 8:30", "weekday at 08:30"),
        ("sat and sun at 10:00", "weekend at 10:00"), ("monday at 18:00", "monday at 18:00"), ("Mondays 18:00", "monday at 18:00"),
        ("mon,wed,fri at 07:15", "mon,wed,fri at 07:15"), ("fri, mon , wed at 07:15", "mon,wed,fri at 07:15"), ("fri-mon at 1 pm", "mon,fri,sat,sun at 13:00"),
        ("tues, thurs at 7:00", "tue,thu at 07:00"), ("mon,tue,wed,thu,fri,sat,sun at 07:15", "day at 07:15"),
        ("hour", "hour"), ("1 hour", "hour"), ("60 minutes", "hour"), ("30 minutes", "30 minutes"), ("30m", "30 minutes"), ("90 min", "90 minutes"),
        ("2 hours", "2 hours"), ("120 minutes", "2 hours"), ("every 2h", "2 hours"), ("minute", "minute"), ("48 hours", "48 hours"),
        ("month on 1 at 09:00", "month on 1 at 09:00"), ("month on the 1st at 9:00", "month on 1 at 09:00"),
        ("month on the last day at 09:00", "month on 31 at 09:00"), ("monthly on 15. at 9 am", "month on 15 at 09:00"),
    ])
    func readsAndRoundTrips(text: String, canonical: String) throws {
        let rule = try ScheduleRule(text)
        #expect(rule.description == canonical)
        #expect(try ScheduleRule(canonical) == rule)
    }

    @Test("what cannot be meant is refused, with the words in question and examples", arguments: [
        ("", "empty"), ("every", "empty"), ("day", "no time of day"), ("monday", "no time of day"), ("month", "no time of day"),
        ("month at 09:00", "which day of the month"), ("month on 32 at 09:00", "32"), ("month on 0 at 09:00", "0"), ("blursday at 09:00", "blursday"),
        ("day at 25:00", "25:00"), ("day at 24:00", "24:00"), ("day at 9:60", "9:60"), ("day at 9", "9"), ("13 pm", "13 pm"), ("0 am", "0 am"),
        ("0 minutes", "0 minutes"), ("2 days", "2 days"), ("a fortnight", "fortnight"), ("-5 minutes", "-5 minutes"), ("1.5 hours", "1.5 hours"),
        ("99999999999 hours", "99999999999"), ("999999999 hours", "999999999"), ("٠٩:٠٠", "٠٩:٠٠"), ("mon-fri-sun at 9:00", "mon-fri-sun"),
        ("mo at 9:00", "mo"), ("*/5 * * * *", "*/5"), ("day at 09:00 at 10:00", "day at 09:00"), ("day at 09:00; rm", "09:00; rm"),
    ])
    func refuses(text: String, named: String) {
        let error = #expect(throws: ScheduleError.self) { try ScheduleRule(text) }
        #expect(error?.code == .notUnderstood)
        #expect(error?.message.contains(named) == true)
        #expect(error?.message.contains("day at 09:00") == true)
    }

    @Test("twelve years of runs are those that Python's zoneinfo gives", arguments: try ScheduleRuns.load().cases)
    func runsAgreeWithZoneinfo(example: ScheduleRuns.Case) throws {
        let rule = try ScheduleRule(example.rule)
        let zone = try ScheduleZone(example.zone)
        var moment = Date(timeIntervalSince1970: Double(example.expected[0]) - 1)
        for (index, expected) in example.expected.enumerated() {
            moment = rule.next(after: moment, anchor: .distantPast, zone: zone)
            guard Int(moment.timeIntervalSince1970) == expected else {
                Issue.record("run \(index) of \(example.rule) in \(zone) is \(moment), not \(Date(timeIntervalSince1970: Double(expected)))")
                return
            }
        }
    }

    @Test("the fixture holds both changes of the clock, for all but a zone that has none")
    func fixtureHoldsChanges() throws {
        let runs = try ScheduleRuns.load()
        for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo"] {
            #expect(runs.cases.filter { $0.zone == zone }.map(\.skipped).max() ?? 0 >= 3)
            #expect(runs.cases.filter { $0.zone == zone }.map(\.twice).max() ?? 0 >= 4)
        }
    }

    @Test("an interval counts elapsed time from its anchor, whatever the clock does")
    func intervalsAreAnchored() throws {
        let zone = try ScheduleZone("Europe/Berlin")
        let rule = try ScheduleRule("30 minutes")
        // Around the change of 29 March 2026, 01:00 UTC.
        let anchor = Date(timeIntervalSince1970: 1_774_742_417.75)
        var moment = anchor
        for count in 1...10 {
            moment = rule.next(after: moment, anchor: anchor, zone: zone)
            #expect(moment.timeIntervalSince1970 == 1_774_742_417 + Double(count) * 1_800)
        }
        // A look in between changes nothing.
        #expect(rule.next(after: moment.addingTimeInterval(1), anchor: anchor, zone: zone) == moment.addingTimeInterval(1_800))
        #expect(rule.next(after: moment.addingTimeInterval(-0.001), anchor: anchor, zone: zone) == moment)
        // Behind its anchor, it begins with the first.
        #expect(rule.next(after: anchor.addingTimeInterval(-1_000_000), anchor: anchor, zone: zone).timeIntervalSince1970 == 1_774_742_417 + 1_800)
    }
}
