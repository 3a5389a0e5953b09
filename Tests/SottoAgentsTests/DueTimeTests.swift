import Foundation
import SottoAgents
import Testing

@Suite struct DueTimeTests {
    /// Monday, 30 November 2026, 10:15:20 in Berlin. Expected moments below are those that GNU date gives (`TZ=Europe/Berlin date -d … +%s`).
    let now = Date(timeIntervalSince1970: 1_796_030_120)

    @Test("times as people say them", arguments: [
        ("2026-12-24 18:00", 1_798_131_600), ("2026-12-24 at 6 pm", 1_798_131_600), ("2026-12-24T18:00", 1_798_131_600),
        ("2026-12-24T18:00:30.250", 1_798_131_630), ("2026-12-24T18:00:00+01:00", 1_798_131_600), ("2026-12-24T18:00:00Z", 1_798_135_200),
        ("2026-12-24T18:00-0530", 1_798_155_000), ("2026-12-24t12:00-05", 1_798_131_600),
        ("18:00", 1_796_058_000), ("at 6pm", 1_796_058_000), ("10:15", 1_796_116_500), ("10:16", 1_796_030_160), ("09:00", 1_796_112_000),
        ("today 18:00", 1_796_058_000), ("tomorrow 09:00", 1_796_112_000), ("Tomorrow at 9am", 1_796_112_000),
        ("friday at 9am", 1_796_371_200), ("monday 18:00", 1_796_058_000), ("monday 09:00", 1_796_630_400), ("next monday 18:00", 1_796_662_800),
        ("in 20 minutes", 1_796_031_320), ("in an hour", 1_796_033_720), ("in 2h", 1_796_037_320), ("in 3 days", 1_796_289_320),
        ("in 1 week", 1_796_634_920), ("now", 1_796_030_120),
    ])
    func understands(text: String, expected: Int) throws {
        let time = try DueTime(text, now: now, zone: ScheduleZone("Europe/Berlin"))
        #expect(Int(time.date.timeIntervalSince1970) == expected)
        #expect(time.note == nil)
    }

    @Test("what is not understood is named, with examples", arguments: [
        ("", "\u{201C}\u{201D}"), ("soon", "soon"), ("25:00", "25:00"), ("2026-02-30 09:00", "2026-02-30"), ("2026-13-01 09:00", "2026-13-01"), ("2026-12-24", "no time of day"),
        ("2026-12-24 9", "9"), ("in minutes five", "in minutes five"), ("in 99999999 hours", "ten years"), ("in 99999 days", "ten years"),
        ("blursday 09:00", "blursday"), ("tomorrow", "tomorrow"), ("24/12/2026 18:00", "24/12/2026"), ("2026-12-24T18:00+99:00", "18:00+99:00"),
    ])
    func refuses(text: String, named: String) throws {
        let zone = try ScheduleZone("Europe/Berlin")
        let error = #expect(throws: ScheduleError.self) { try DueTime(text, now: now, zone: zone) }
        #expect(error?.code == .notUnderstood)
        #expect(error?.message.lowercased().contains(named.lowercased()) == true)
        #expect(error?.message.contains("in 20 minutes") == true)
    }

    @Test("a time that is over is said to be over", arguments: ["2020-01-01 09:00", "today 09:00", "2026-11-30T09:15:19Z"])
    func refusesPast(text: String) throws {
        let zone = try ScheduleZone("Europe/Berlin")
        #expect(#expect(throws: ScheduleError.self) { try DueTime(text, now: now, zone: zone) }?.code == .past)
    }

    @Test("every quarter of an hour around each change of twelve years is what zoneinfo gives, and the user is told")
    func changesAgreeWithZoneinfo() throws {
        let start = Date(timeIntervalSince1970: 1_451_520_000)
        var told = 0
        for change in try ScheduleRuns.load().changes {
            let zone = try ScheduleZone(change.zone)
            for time in change.times {
                let due = try DueTime(time.local, now: start, zone: zone)
                #expect(Int(due.date.timeIntervalSince1970) == time.moment, "\(time.local) in \(zone)")
                let word: String? = switch time.reading {
                case "skipped": "does not exist"
                case "twice": "comes twice"
                default: nil
                }
                #expect((due.note == nil) == (word == nil))
                if let word, let note = due.note {
                    #expect(note.contains(word))
                    told += 1
                }
            }
        }
        #expect(told > 500)
    }
}
