public import Foundation
public import SottoJobStore

/// Decides which schedules run, reads no clock and does nothing.
///
/// After sleep or a long stop a schedule runs once, for the latest of its times that have passed; the others are counted as missed. The next run
/// is always in the future. A run belongs to its ``Schedule/nextRun``, which only ever moves forward: when the clock is set back, nothing runs
/// again until that time has come.
public struct ScheduleKeeper: Sendable {
    public init() {}

    /// What is to be done at a moment.
    public struct Check: Sendable, Equatable {
        /// For ``JobStore/fire(_:at:)``; at most one for each schedule, in the order in which they were due.
        public var firings: [ScheduleFiring]
        /// Schedules that cannot be read any more, such as one whose zone this machine does not know; they do not run.
        public var problems: [Problem]
        /// When to look again at the latest; `nil` when nothing will be due.
        public var nextDue: Date?
    }

    public struct Problem: Sendable, Equatable {
        public var schedule: ScheduleID
        public var error: ScheduleError
    }

    /// Makes a schedule to be added: its rule in canonical form, its first run worked out.
    ///
    /// - Parameters:
    ///   - rule: What the user said, as ``ScheduleRule/init(_:)`` reads it.
    ///   - zone: An IANA name.
    /// - Returns: A schedule with the number 0, which the store replaces.
    /// - Throws: ``ScheduleError``.
    public func schedule(
        kind: String, title: String, payload: String, every rule: String, zone: String, maximumAttempts: Int = 3, at now: Date
    ) throws(ScheduleError) -> Schedule {
        let rule = try ScheduleRule(rule)
        let zone = try ScheduleZone(zone)
        // Intervals are anchored here; a whole second is the same after every store.
        let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        return Schedule(
            id: ScheduleID(0), kind: kind, title: title, payload: payload, rule: rule.description, zone: zone.name, maximumAttempts: maximumAttempts,
            createdAt: created, nextRun: rule.next(after: now, anchor: created, zone: zone))
    }

    /// The same schedule under another rule or in another zone; what is not given stays, the zone too.
    ///
    /// - Throws: ``ScheduleError``.
    public func changed(_ schedule: Schedule, rule: String? = nil, zone: String? = nil, at now: Date) throws(ScheduleError) -> Schedule {
        let rule = try ScheduleRule(rule ?? schedule.rule)
        let zone = try ScheduleZone(zone ?? schedule.zone)
        var schedule = schedule
        schedule.rule = rule.description
        schedule.zone = zone.name
        // Not before what has run already, should the clock have been set back.
        schedule.nextRun = rule.next(after: max(now, schedule.lastRun ?? now), anchor: schedule.createdAt, zone: zone)
        return schedule
    }

    /// What is due.
    public func check(_ schedules: [Schedule], at now: Date) -> Check {
        var check = Check(firings: [], problems: [], nextDue: nil)
        for schedule in schedules {
            guard let due = schedule.nextRun else { continue }
            var next = due
            if due <= now {
                do throws(ScheduleError) {
                    let firing = try firing(schedule, due: due, at: now)
                    check.firings.append(firing)
                    guard let following = firing.next else { continue }
                    next = following
                } catch {
                    check.problems.append(Problem(schedule: schedule.id, error: error))
                    continue
                }
            }
            check.nextDue = min(check.nextDue ?? next, next)
        }
        check.firings.sort { ($0.due, $0.schedule.rawValue) < ($1.due, $1.schedule.rawValue) }
        return check
    }

    private func firing(_ schedule: Schedule, due: Date, at now: Date) throws(ScheduleError) -> ScheduleFiring {
        let rule = try ScheduleRule(schedule.rule)
        let zone = try ScheduleZone(schedule.zone)
        // What was due stands for itself even if the zone's rules have changed since it was worked out.
        let later = rule.runs(after: due, through: now, anchor: schedule.createdAt, zone: zone)
        return ScheduleFiring(
            schedule: schedule.id, due: due, scheduledFor: later.last ?? due, missed: later.count,
            next: rule.next(after: now, anchor: schedule.createdAt, zone: zone))
    }

    /// What the user should know about a schedule besides its next run: that the clock was set back behind its last one, or that it cannot run.
    public func notice(for schedule: Schedule, at now: Date) -> String? {
        do throws(ScheduleError) {
            let rule = try ScheduleRule(schedule.rule)
            let zone = try ScheduleZone(schedule.zone)
            guard let lastRun = schedule.lastRun, lastRun > now, let next = schedule.nextRun,
                rule.next(after: now, anchor: schedule.createdAt, zone: zone) < next
            else { return nil }
            return "the clock was set back behind its last run (\(zone.text(lastRun))); it runs again at \(zone.text(next)). "
                + "If that date is wrong, remove the schedule and add it again"
        } catch {
            return error.message
        }
    }
}
