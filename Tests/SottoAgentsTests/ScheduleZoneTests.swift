import Foundation
import SottoAgents
import Testing

@Suite struct ScheduleZoneTests {
    @Test("every zone of the machine's own list is known by its name", arguments: ["/usr/share/zoneinfo/tzdata.zi"])
    func knowsTheDatabase(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        let names = text.split(separator: "\n").compactMap { line in line.hasPrefix("Z ") ? String(line.split(separator: " ")[1]) : nil }
        #expect(names.count > 300)
        for name in names where name.contains("/") {
            let zone = try ScheduleZone(name)
            #expect(zone.name == name)
        }
    }

    @Test("the spelling is mended", arguments: [("europe/berlin", "Europe/Berlin"), (" UTC ", "UTC"), ("utc", "UTC"), ("AMERICA/NEW_YORK", "America/New_York")])
    func mendsSpelling(name: String, expected: String) throws { #expect(try ScheduleZone(name).name == expected) }

    @Test("an unknown zone is an error that names the nearest", arguments: [
        ("Europe/Berlinn", "Europe/Berlin"), ("Berlin", "Europe/Berlin"), ("New York", "America/New_York"), ("Mars/Olympus", "IANA name"), ("", "IANA name"),
        ("../../etc/passwd", "IANA name"), ("+01:00", "IANA name"), ("Europe/Berlin\0", "IANA name"),
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
