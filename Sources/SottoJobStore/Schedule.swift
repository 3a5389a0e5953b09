public import Foundation

/// The number of a schedule: given once and never used again.
public struct ScheduleID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Int64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var description: String { String(rawValue) }
}

/// A job that comes again and again. The store keeps it; when it is next due is worked out above the store.
public struct Schedule: Sendable, Equatable, Codable, Identifiable {
    public var id: ScheduleID
    public var kind: String
    public var title: String
    public var payload: String
    /// The rule's text, such as `day at 09:00`.
    public var rule: String
    /// IANA name of the zone that the rule is read in, such as `Europe/Berlin`.
    public var zone: String
    public var maximumAttempts: Int
    public var createdAt: Date
    /// `nil` when it will not run again.
    public var nextRun: Date?
    /// When it was last looked at: not a run.
    public var lastCheck: Date?
    /// When a job was last added for it.
    public var lastRun: Date?
    /// Runs that were due while nothing ran and were left out, in all.
    public var missed: Int

    public init(
        id: ScheduleID, kind: String, title: String, payload: String, rule: String, zone: String, maximumAttempts: Int = 3, createdAt: Date,
        nextRun: Date?, lastCheck: Date? = nil, lastRun: Date? = nil, missed: Int = 0
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.payload = payload
        self.rule = rule
        self.zone = zone
        self.maximumAttempts = maximumAttempts
        self.createdAt = createdAt
        self.nextRun = nextRun
        self.lastCheck = lastCheck
        self.lastRun = lastRun
        self.missed = missed
    }
}

/// What to do about a schedule that is due; decided above the store, carried out by it in one transaction.
public struct ScheduleFiring: Sendable, Equatable {
    public var schedule: ScheduleID
    /// The ``Schedule/nextRun`` that the decision was made for; nothing happens when it has changed since.
    public var due: Date
    /// The time that the added job stands for.
    public var scheduledFor: Date
    /// Runs before it that are left out.
    public var missed: Int
    public var next: Date?

    public init(schedule: ScheduleID, due: Date, scheduledFor: Date, missed: Int, next: Date?) {
        self.schedule = schedule
        self.due = due
        self.scheduledFor = scheduledFor
        self.missed = missed
        self.next = next
    }
}
