import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability

/// How jobs and schedules are put for people. Reads no clock.
struct JobWords: Sendable {
    var now: Date
    var zone: ScheduleZone
    /// Whether a process works on the queue now; without one, a job that is marked as running was broken off.
    var isServed: Bool

    /// "done, short of the request (2 gaps)", "queued, due 2026-12-01 09:00", "running, attempt 2, heard 3 s ago".
    func state(_ job: Job) -> String {
        switch job.state {
        case .queued where job.dueAt > now && job.error != nil: return "waits to be tried again at \(zone.text(job.dueAt))"
        case .queued where job.dueAt > now: return "queued for \(zone.text(job.dueAt))"
        case .queued: return job.attempt > 0 ? "queued again" : "queued"
        case .running where isServed == false: return "broken off; goes on with: sotto agents run"
        case .running:
            let heard = job.lastHeard.map { ", heard \(age(since: $0)) ago" } ?? ""
            return (job.isCancelRequested ? "stopping" : "running") + heard
        case .completed:
            let gaps = job.outcome?.gaps.count ?? 0
            return gaps == 0 ? "done" : "done, short of the request (\(gaps) \(gaps == 1 ? "gap" : "gaps"))"
        case .failed: return "failed"
        case .cancelled: return "cancelled"
        }
    }

    /// "3 s", "5 min", "2 h", "4 d"; never negative, whatever the clock did.
    func age(since date: Date) -> String {
        let seconds = max(0, now.timeIntervalSince(date))
        switch seconds {
        case ..<60: return "\(Int(seconds)) s"
        case ..<3600: return "\(Int(seconds / 60)) min"
        case ..<86_400: return "\(Int(seconds / 3600)) h"
        default: return "\(Int(min(seconds / 86_400, 1_000_000))) d"
        }
    }

    /// The table of `agents list`, jobs as they are given.
    func table(_ jobs: [Job], _ schedules: [Schedule]) -> String {
        var parts: [String] = []
        if jobs.isEmpty == false {
            let rows = jobs.map { job in
                [
                    "\(job.id)", state(job), age(since: job.createdAt), job.attempt == 0 ? "-" : "\(job.attempt)",
                    Self.line(job.title, limit: 70) + (job.parent.map { " (follows \($0))" } ?? ""),
                ]
            }
            var lines = Self.aligned([["ID", "STATE", "AGE", "ATTEMPT", "TASK"]] + rows)
            // The cause stands under its job, so that no column is as wide as the longest cause.
            for (index, job) in jobs.enumerated().reversed() {
                guard let error = job.error, job.state != .completed else { continue }
                lines.insert("    \(Self.line(error, limit: 200))", at: index + 2)
            }
            parts.append(lines.joined(separator: "\n"))
        }
        if schedules.isEmpty == false {
            let rows = schedules.map { schedule in
                [
                    "s\(schedule.id)", schedule.rule, nextRun(schedule), schedule.lastRun.map { text($0, in: schedule.zone) } ?? "-",
                    schedule.missed == 0 ? "-" : "\(schedule.missed)", Self.line(schedule.title, limit: 70),
                ]
            }
            var lines = Self.aligned([["SCHEDULE", "EVERY", "NEXT RUN", "LAST RUN", "MISSED", "TASK"]] + rows)
            for (index, schedule) in schedules.enumerated().reversed() {
                guard let notice = ScheduleKeeper().notice(for: schedule, at: now) else { continue }
                lines.insert("    \(Self.line(notice, limit: 300))", at: index + 2)
            }
            parts.append(lines.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    func nextRun(_ schedule: Schedule) -> String {
        schedule.nextRun.map { "\(text($0, in: schedule.zone)) \(schedule.zone)" } ?? "never"
    }

    /// The whole of `agents show`, without the findings.
    func heading(_ job: Job) -> String {
        var lines = ["Job \(job.id): \(Self.line(job.title, limit: 300))", "State: \(state(job))"]
        var times = ["added \(zone.text(job.createdAt))"]
        if let started = job.startedAt { times.append("begun \(zone.text(started))") }
        if let finished = job.finishedAt { times.append("ended \(zone.text(finished))") }
        lines.append("Times: \(times.joined(separator: ", ")) (\(zone))")
        if job.attempt > 0 { lines.append("Attempts: \(job.attempt)") }
        if let parent = job.parent { lines.append("Follows up: job \(parent)") }
        if let schedule = job.schedule {
            lines.append("Schedule: s\(schedule)" + (job.scheduledFor.map { ", the run of \(zone.text($0))" } ?? ""))
        }
        if let error = job.error, job.state != .completed { lines.append("Cause: \(Self.line(error, limit: 1000))") }
        let gaps = job.outcome?.gaps ?? []
        if gaps.isEmpty == false { lines.append("Missing:\n" + gaps.map { "  - \(Self.line($0, limit: 500))" }.joined(separator: "\n")) }
        return lines.joined(separator: "\n")
    }

    /// One line of a job's log.
    func line(_ event: JobEvent) -> String {
        let kind =
            switch event.kind {
            case .state, .note, .progress: ""
            case .stepStarted: "begun"
            case .stepFinished: "done"
            case .stepFailed: "FAILED"
            }
        let subject = [event.step, kind].filter { $0.isEmpty == false }.joined(separator: " ")
        let words = [subject, Self.line(event.text, limit: 500)].filter { $0.isEmpty == false }.joined(separator: ": ")
        return "\(seconds(event.date))  \(event.attempt == 0 ? " " : "\(event.attempt)")  \(words)"
    }

    private func text(_ date: Date, in name: String) -> String {
        guard let zone = try? ScheduleZone(name) else { return self.zone.text(date) }
        return zone.text(date)
    }

    private func seconds(_ date: Date) -> String {
        let second = Int(date.timeIntervalSince1970.rounded(.down).truncatingRemainder(dividingBy: 60))
        return "\(zone.text(date)):\(second < 10 ? "0" : "")\(abs(second))"
    }

    /// One line without control characters, for a terminal obeys some of them.
    static func line(_ text: String, limit: Int) -> String {
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format && scalar.value != 0x200D
                        ? " " : scalar
                }))
        let words = plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count <= limit ? words : String(words.prefix(limit - 1)) + "…"
    }

    /// Columns as wide as their widest cell, two spaces apart; the last one is not padded.
    static func aligned(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }
}

extension SottoObservability.Progress {
    /// What is done, and to what.
    var line: String { item.isEmpty ? phase : "\(phase): \(item)" }
}
