import Foundation
import SottoAgents
import SottoJobStore
import SottoResearch

extension AgentsCommand {
    func add() async throws {
        let question = try question(words)
        let payload = try await payload(question, original: nil)
        let store = try await store()
        if let rule = arguments.value("every") {
            guard arguments.value("at") == nil else { throw UsageError("give --at or --every, not both", usage: usage) }
            try await addSchedule(rule, question: question, payload: payload, store)
        } else {
            try await addJob(question: question, payload: payload, parent: nil, store)
        }
    }

    func followUp() async throws {
        guard let word = words.first else { throw UsageError("the number of a job and a question are needed", usage: usage) }
        let id = try jobID(word, verb: "followed up")
        let question = try question(Array(words.dropFirst()))
        let store = try await store()
        guard let parent = try await store.job(id) else { throw unknown(id) }
        guard parent.state.isFinal else {
            throw CommandError(
                "job \(id) is \(parent.state.rawValue) and has no sources yet; follow it up when it has ended (sotto agents show \(id) --follow)")
        }
        let original = try? ResearchJob.read(parent.payload)
        let payload = try await payload(question, original: original)
        try await addJob(question: question, payload: payload, parent: id, store)
    }

    private func question(_ words: [String]) throws -> String {
        let question = words.joined(separator: " ").trimmingCharacters(in: .whitespacesAndNewlines)
        guard question.contains(where: { $0.isLetter || $0.isNumber }) else { throw UsageError("a question is needed, in quotes", usage: usage) }
        guard question.count <= 2000 else { throw CommandError("the question has \(question.count) characters; ask in 2000 or fewer") }
        return question
    }

    /// - Parameter original: What the followed-up job was asked; its choices hold unless others are given.
    private func payload(_ question: String, original: ResearchJob?) async throws -> String {
        let mode = try arguments.choice("mode", default: original?.mode ?? ResearchTask.Mode.balanced, usage: usage)
        var roots = original?.libraryRoots ?? []
        if let folders = arguments.values["library"] {
            roots = []
            for folder in folders {
                let path = try context.existing(folder)
                try await LibraryUpdate.run(path, context: context, announce: false)
                roots.append(path)
            }
        }
        let language = arguments.value("language") ?? original?.language ?? context.language(of: question)
        return try ResearchJob(
            question: question, mode: mode, language: language, libraryRoots: roots, web: arguments.has("no-web") ? false : original?.web
        ).payload()
    }

    private func addJob(question: String, payload: String, parent: JobID?, _ store: any JobStore) async throws {
        let now = try clock()()
        let zone = try zone()
        var due: DueTime?
        if let time = arguments.value("at") {
            do throws(ScheduleError) { due = try DueTime(time, now: now.date, zone: zone) } catch {
                throw UsageError("--at: \(error.message)", usage: usage)
            }
        } else if arguments.value("zone") != nil {
            throw UsageError("--zone belongs to --at or --every", usage: usage)
        }
        let title = JobWords.line(question, limit: 200)
        let new = NewJob(kind: ResearchJob.kind, title: title, payload: payload, dueAt: due?.date, parent: parent)
        let job = if let runner = context.hosting?.runner { try await runner.add(new) } else { try await store.add(new, at: now) }
        if arguments.has("json") {
            try context.printJSON(AgentsAddReport(id: job.id.rawValue, dueAt: job.dueAt.reportText))
        } else {
            context.console.result("\(job.id)")
        }
        if let note = due?.note { context.console.note(note) }
        context.console.note("Job \(job.id) is queued" + (due == nil ? "" : ", for \(zone.text(job.dueAt)) (\(zone))"))
        sayHowToRun()
    }

    private func addSchedule(_ rule: String, question: String, payload: String, _ store: any JobStore) async throws {
        let zone = try zone()
        let schedule: Schedule
        do throws(ScheduleError) {
            schedule = try ScheduleKeeper().schedule(
                kind: ResearchJob.kind, title: JobWords.line(question, limit: 200), payload: payload, every: rule, zone: zone.name, at: context.now())
        } catch {
            throw UsageError("--every: \(error.message)", usage: usage)
        }
        let added = if let runner = context.hosting?.runner { try await runner.add(schedule) } else { try await store.add(schedule) }
        context.hosting?.announcements.tell(.schedules)
        if arguments.has("json") {
            try context.printJSON(AgentsAddReport(schedule: added.id.rawValue, nextRun: added.nextRun?.reportText))
        } else {
            context.console.result("s\(added.id)")
        }
        let first = try jobWords().nextRun(added)
        context.console.note("Schedule s\(added.id) is kept: every \(added.rule), first at \(first)")
        sayHowToRun()
    }

    private func sayHowToRun() {
        guard context.role != .host else { return }
        context.console.note("Nobody works on the queue now; start with: sotto agents run")
    }

    // MARK: - Changing

    func cancel() async throws {
        try await change("cancelled") { store, id, now in
            if let runner = context.hosting?.runner { return try await runner.cancel(id) }
            let job = try await store.requestCancel(id, at: now)
            await settle([job], in: store)
            return job
        } say: { job in
            switch job.state {
            case .running: "Job \(job.id) is asked to stop; what it found is kept"
            case .cancelled: "Job \(job.id) is cancelled; what it found is kept"
            default: "Job \(job.id) had ended already: \(job.state.rawValue)"
            }
        }
    }

    func retry() async throws {
        try await change("retried") { store, id, now in
            if let runner = context.hosting?.runner { try await runner.retry(id) } else { try await store.retry(id, at: now) }
        } say: {
            "Job \($0.id) is queued again"
        }
        sayHowToRun()
    }

    private func change(
        _ participle: String, _ body: (any JobStore, JobID, JobInstant) async throws -> Job, say: (Job) -> String
    ) async throws {
        guard words.isEmpty == false else { throw UsageError("the number of a job is needed", usage: usage) }
        let ids = try words.map { try jobID($0, verb: participle) }
        let store = try await store()
        let clock = try clock()
        var changed: [JobReport] = []
        for id in ids {
            guard try await store.job(id) != nil else { throw unknown(id) }
            let job = try await body(store, id, clock())
            changed.append(JobReport(job))
            context.console.note(say(job))
        }
        if arguments.has("json") { try context.printJSON(AgentsChangeReport(jobs: changed)) }
    }

    func remove() async throws {
        guard words.isEmpty == false else { throw UsageError("the number of a job or schedule is needed", usage: usage) }
        let references = try words.map { try reference($0) }
        let store = try await store()
        let clock = try clock()
        for reference in references {
            switch reference {
            case .job(let id):
                guard try await store.job(id) != nil else { throw unknown(id) }
                try await store.remove(id, at: clock())
                context.hosting?.announcements.tell(.jobRemoved, "{\"id\":\(id)}")
                context.console.note("Removed job \(id) with all that it found")
            case .schedule(let id):
                guard try await store.schedules().contains(where: { $0.id == id }) else { throw unknown(id) }
                try await store.remove(id)
                context.hosting?.announcements.tell(.schedules)
                context.console.note("Removed schedule s\(id); the jobs that it added stay")
            }
        }
    }

    func unknown(_ id: ScheduleID) -> CommandError { CommandError("there is no schedule s\(id); \"sotto agents list\" shows those that there are") }
}
