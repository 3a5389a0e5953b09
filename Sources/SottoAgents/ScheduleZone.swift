public import Foundation

/// A time zone by its IANA name, known to exist.
public struct ScheduleZone: Sendable, Hashable, CustomStringConvertible {
    /// In the spelling of the database, such as `Europe/Berlin`.
    public let name: String
    let clock: WallClock

    /// - Parameter name: Upper and lower case do not matter.
    /// - Throws: ``ScheduleError`` `.unknownZone`, which names the nearest known zone.
    public init(_ name: String) throws(ScheduleError) {
        let wanted = name.trimmingCharacters(in: .whitespaces)
        let spelling = Self.known.first { $0.lowercased() == wanted.lowercased() } ?? wanted
        // Foundation also reads abbreviations and offsets; a schedule needs a place, whose clock changes are known, or UTC.
        guard spelling.isEmpty == false, Self.isName(spelling), let zone = TimeZone(identifier: spelling) else {
            throw ScheduleError(
                .unknownZone,
                "there is no time zone \u{201C}\(name)\u{201D}\(Self.suggestion(for: wanted)); give its IANA name, such as Europe/Berlin, America/New_York or UTC")
        }
        self.name = spelling
        clock = WallClock(zone: zone)
    }

    /// `2026-12-24 18:00`, as the clocks of this zone show that moment.
    public func text(_ moment: Date) -> String { clock.text(moment) }

    public static func == (left: ScheduleZone, right: ScheduleZone) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    public var description: String { name }

    /// The edition of the time zone database that runs are worked out by, such as `2025b`. It comes with Foundation, not with the system.
    public static var databaseVersion: String { TimeZone.timeZoneDataVersion }

    private static let known = TimeZone.knownTimeZoneIdentifiers + ["UTC", "Etc/UTC"] + oldNames

    /// The database's names without a place, which machines may still be set to; what else has no slash is an abbreviation or an offset.
    private static let oldNames = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland",
        "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland",
        "Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "Universal", "W-SU", "WET", "Zulu",
    ]

    private static func isName(_ text: String) -> Bool {
        known.contains(text) || text.contains("/") && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
            default: false
            }
        }
    }

    private static func suggestion(for text: String) -> String {
        let place = text.lowercased().replacing(" ", with: "_").split(separator: "/").last.map(String.init) ?? ""
        guard place.count >= 3 else { return "" }
        let match = known.first { $0.lowercased().hasSuffix("/" + place) } ?? known.min {
            Self.distance($0.lowercased(), text.lowercased()) < Self.distance($1.lowercased(), text.lowercased())
        }
        guard let match, match.lowercased().hasSuffix("/" + place) || Self.distance(match.lowercased(), text.lowercased()) <= 3 else { return "" }
        return " (did you mean \(match)?)"
    }

    /// Levenshtein's.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, letter) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substitution = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
