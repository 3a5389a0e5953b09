import Foundation
import SottoAgents
import Testing

@Suite struct ScheduleZoneTests {
    static let database = "/usr/share/zoneinfo/tzdata.zi"

    @Test("every name of the machine's own database is known, links too", .enabled(if: FileManager.default.fileExists(atPath: database)))
    func knowsTheDatabase() throws {
        let lines = try String(contentsOfFile: Self.database, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let names = lines.compactMap { words in words.first == "Z" ? words[1] : words.first == "L" ? words[2] : nil }
        #expect(names.count > 500)
        var unknown: [String] = []
        for name in names where (try? ScheduleZone(name))?.name != name { unknown.append(name) }
        // Abolished offsets for machines without a place.
        #expect(unknown.filter { $0.hasPrefix("Etc/GMT") == false && $0 != "Factory" }.isEmpty, "\(unknown)")
        #expect(ScheduleZone.databaseVersion.hasPrefix("20"))
    }

    @Test("the spelling is mended", arguments: [("europe/berlin", "Europe/Berlin"), (" UTC ", "UTC"), ("utc", "UTC"), ("AMERICA/NEW_YORK", "America/New_York")])
    func mendsSpelling(name: String, expected: String) throws { #expect(try ScheduleZone(name).name == expected) }

    @Test("an unknown zone is an error that names the nearest", arguments: [
        ("Europe/Berlinn", "Europe/Berlin"), ("Berlin", "Europe/Berlin"), ("New York", "America/New_York"), ("Mars/Olympus", "IANA name"), ("", "IANA name"),
        ("../../etc/passwd", "IANA name"), ("+01:00", "IANA name"), ("PST", "IANA name"), ("GMT+2", "IANA name"), ("Europe/Berlin\0", "IANA name"),
    ])
    func refuses(name: String, named: String) {
        let error = #expect(throws: ScheduleError.self) { try ScheduleZone(name) }
        #expect(error?.code == .unknownZone)
        #expect(error?.message.contains(named) == true)
    }

    @Test("the clock of a zone is shown as the zone shows it")
    func showsTheClock() throws {
        #expect(try ScheduleZone("Australia/Lord_Howe").text(Date(timeIntervalSince1970: 1_796_030_120)) == "2026-11-30 20:15")
        #expect(try ScheduleZone("Asia/Kathmandu").text(Date(timeIntervalSince1970: 1_796_030_120)) == "2026-11-30 15:00")
    }
}
