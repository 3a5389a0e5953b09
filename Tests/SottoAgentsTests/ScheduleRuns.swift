import Foundation
import Testing

/// The table that `Fixtures/schedule-runs.py` makes.
struct ScheduleRuns: Decodable {
    var origin: String
    var cases: [Case]
    var changes: [Change]

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        var zone: String
        var rule: String
        var skipped: Int
        var twice: Int
        /// Seconds since 1970.
        var expected: [Int]

        enum CodingKeys: CodingKey { case zone, rule, skipped, twice, runs }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            zone = try container.decode(String.self, forKey: .zone)
            rule = try container.decode(String.self, forKey: .rule)
            skipped = try container.decode(Int.self, forKey: .skipped)
            twice = try container.decode(Int.self, forKey: .twice)
            var runs = try container.nestedUnkeyedContainer(forKey: .runs)
            var moment = try runs.decode(Int.self)
            expected = [moment]
            while runs.isAtEnd == false {
                let step = try runs.decode([Int].self)
                for _ in 0..<step[1] {
                    moment += step[0]
                    expected.append(moment)
                }
            }
        }

        var testDescription: String { "\(rule) in \(zone)" }
    }

    /// The quarters of an hour around one change of a clock.
    struct Change: Decodable {
        var zone: String
        var times: [Time]
    }

    struct Time: Decodable {
        var local: String
        var moment: Int
        var reading: String

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            local = try container.decode(String.self)
            moment = try container.decode(Int.self)
            reading = try container.decode(String.self)
        }
    }

    static func load() throws -> ScheduleRuns {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/schedule-runs.json")
        return try JSONDecoder().decode(ScheduleRuns.self, from: Data(contentsOf: path))
    }
}

