import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoStreams

extension AgentsCommand {
    func list() async throws {
        guard words.isEmpty else { throw UsageError("list takes no words", usage: usage) }
        guard let limit = Int(arguments.value("limit") ?? "50"), (1...10_000).contains(limit) else {
            throw UsageError("--limit is a number from 1 to 10000", usage: usage)
        }
        let store = try readStore()
        let jobs = try await store?.jobs(states: Set(JobState.allCases), limit: limit) ?? []
        let schedules = try await store?.schedules() ?? []
        if arguments.has("json") {
            try context.printJSON(
                AgentsListReport(served: context.role == .host, jobs: jobs.map(JobReport.init), schedules: schedules.map(ScheduleReport.init)))
            return
        }
        guard jobs.isEmpty == false || schedules.isEmpty == false else {
            context.console.note("There are no jobs; add one with: sotto agents add \"QUESTION\"")
            return
        }
        context.console.result(try jobWords().table(jobs, schedules))
        let waits = jobs.contains { $0.state.isFinal == false } || schedules.contains { $0.nextRun != nil }
        if waits, context.role != .host { context.console.note("Nobody works on the queue now; start with: sotto agents run") }
    }

    func show() async throws {
        let word = try oneWord("the number of one job or schedule")
        switch try reference(word) {
        case .schedule(let id): try await showSchedule(id)
        case .job(let id): try await showJob(id)
        }
    }

    private func showSchedule(_ id: ScheduleID) async throws {
        guard arguments.has("follow") == false else { throw UsageError("a schedule has no end to follow", usage: usage) }
        guard let schedule = try await readStore()?.schedules().first(where: { $0.id == id }) else { throw unknown(id) }
        if arguments.has("json") {
            try context.printJSON(AgentsListReport(served: context.role == .host, jobs: [], schedules: [ScheduleReport(schedule)]))
        } else {
            context.console.result(try jobWords().table([], [schedule]))
        }
    }

    private func showJob(_ id: JobID) async throws {
        guard let store = try readStore(), var job = try await store.job(id) else { throw unknown(id) }
        if arguments.has("follow") { job = try await follow(job, in: store) }
        let result = try await store.result(of: id)
        let events = try await store.allEvents(of: id)
        if arguments.has("json") {
            try context.printJSON(AgentsShowReport(job: job, steps: try await store.steps(of: id), events: events, result: result))
            return
        }
        let words = try jobWords()
        var parts = [words.heading(job)]
        if let findings = result?.findings.trimmingCharacters(in: .whitespacesAndNewlines), findings.isEmpty == false { parts.append(findings) }
        if events.isEmpty == false { parts.append("Log\n\n" + events.map { "  " + words.line($0) }.joined(separator: "\n")) }
        context.console.result(parts.joined(separator: "\n\n"))
    }

    /// Tells what happens to a job, until nothing more will by itself.
    private func follow(_ job: Job, in store: any JobStore) async throws -> Job {
        if job.state.isFinal == false, context.role != .host {
            context.console.note("Nobody works on the queue now; start with: sotto agents run (Ctrl-C stops watching)")
        }
        let words = try jobWords()
        var last: Int64 = 0
        while true {
            let events = try await store.events(after: last, job: job.id, limit: 500)
            for event in events { context.console.note(words.line(event)) }
            last = events.last?.id ?? last
            guard let now = try await store.job(job.id) else { throw CommandError("job \(job.id) was removed meanwhile") }
            if events.isEmpty, now.state.isFinal { return now }
            if events.isEmpty, let hosting = context.hosting, hosting.isEnding.isCancelled {
                context.console.note("The process that worked on the queue ends; go on with: sotto agents run")
                return now
            }
            // What is read is written by another process at times, which can tell us nothing.
            if events.isEmpty { try await Task.sleep(for: .milliseconds(200)) }
        }
    }

    func export() async throws {
        let id = try jobID(try oneWord("the number of one job"), verb: "exported")
        let format = try arguments.choice("format", default: JobDocument.Format.markdown, usage: usage)
        guard let store = try readStore(), let job = try await store.job(id) else { throw unknown(id) }
        guard let result = try await store.result(of: id) else {
            throw CommandError("job \(id) has nothing to export yet: it is \(job.state.rawValue) (sotto agents show \(id))")
        }
        let document = JobDocument(job: job, result: result, words: try jobWords())
        guard let given = arguments.value("output") else {
            context.console.result(try document.text(format))
            return
        }
        var path = context.absolute(given)
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            path += "/" + document.fileName(format)
        }
        let file = try context.outputFile(path)
        do {
            // Under a name of its own first, then in its place: nobody ever sees half of it.
            try Data(try document.text(format).utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch let error as CocoaError {
            throw CommandError("\(file) cannot be written: \(error.localizedDescription)")
        }
        context.console.note("Written: \(file)")
    }
}
