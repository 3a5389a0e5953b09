import Foundation
import SottoAgents
import SottoJobStore
import SottoPages
import SottoPassageIndex
import SottoResearch
import SottoServing
import Synchronization

extension App {
    var agentRoutes: [Route] {
        [
            read("/api/agents") { try await self.list($0) },
            change(.post, "/api/agents", body: .json()) { try await self.add(try await $0.json(NewAgent.self), parent: nil) },
            read("/api/agents/:id") { try await self.show(try self.id($0)) },
            change(.delete, "/api/agents/:id") { try await self.remove(try self.id($0)) },
            change(.post, "/api/agents/:id/follow-up", body: .json()) { request in
                let id = try self.id(request)
                guard let parent = try await self.store.job(id) else { throw Self.unknown(id) }
                guard parent.state.isFinal else {
                    throw Problem(409, "wrong-state", "this task is \(parent.state.rawValue) and has no sources yet; follow it up when it has ended")
                }
                return try await self.add(try await request.json(NewAgent.self), parent: parent)
            },
            change(.post, "/api/agents/:id/cancel") { request in
                try await self.answer(try await self.runner.cancel(try self.id(request)))
            },
            change(.post, "/api/agents/:id/retry") { request in
                try await self.answer(try await self.runner.retry(try self.id(request)))
            },
            read("/api/agents/:id/export") { try await self.export(try self.id($0), $0) },
            change(.delete, "/api/schedules/:id") { request in
                guard let number = request.parameters["id"].flatMap({ Int64($0) }) else {
                    throw Problem(404, "not-found", "there is no such schedule")
                }
                try await self.store.remove(ScheduleID(number))
                await self.announce(.schedules)
                return .done
            },
        ]
    }

    private func id(_ request: HTTPRequest) throws -> JobID {
        guard let text = request.parameters["id"], let number = Int64(text), number > 0 else {
            throw Problem(404, "not-found", "a task has a number")
        }
        return JobID(number)
    }

    private static func unknown(_ id: JobID) -> Problem { Problem(404, "not-found", "there is no task \(id); it may have been deleted") }

    private struct OneJob: Encodable {
        var schemaVersion = 1
        var job: AgentReport
    }

    private func answer(_ job: Job, status: Int = 200) async throws -> HTTPResponse { try .json(OneJob(job: try await report(job)), status: status) }

    // MARK: - Reading

    private struct Listing: Encodable {
        var schemaVersion = 1
        var jobs: [AgentReport]
        /// Where the next page begins; `null` at the end.
        var next: Int64?
        var schedules: [ScheduleReport]
        /// Where to follow events from.
        var at: String
    }

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let limit = try request.number("limit", default: 50, in: 1...200)
        let before = request.text("before") == nil ? nil : JobID(Int64(try request.number("before", default: 0, in: 0...Int.max)))
        var states = Set(JobState.allCases)
        if let text = request.text("state") {
            states = Set(
                try text.split(separator: ",").map { name in
                    guard let state = JobState(rawValue: String(name)) else {
                        throw Problem(400, "bad-query", "state is one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))")
                    }
                    return state
                })
        }
        // Before the jobs: what happens meanwhile is told twice rather than not at all.
        let at = await events.latest.description
        var jobs = try await store.jobs(states: states, before: before, titled: String((request.text("query") ?? "").prefix(200)), limit: limit + 1)
        let hasMore = jobs.count > limit
        if hasMore { jobs.removeLast() }
        return try .json(
            Listing(
                jobs: try await reports(jobs), next: hasMore ? jobs.last?.id.rawValue : nil,
                schedules: try await store.schedules().map(ScheduleReport.init), at: at))
    }

    private struct Detail: Encodable {
        var schemaVersion = 1
        var job: AgentReport
        var request: JSONValue?
        var steps: [AgentsShowReport.Step]
        var events: [AgentsShowReport.Event]
        var findings: String?
        var html: String?
        var summary: String?
        var result: JSONValue?
        var followUps: [AgentReport]
        var at: String
    }

    private func show(_ id: JobID) async throws -> HTTPResponse {
        let at = await events.latest.description
        guard let job = try await store.job(id) else { throw Self.unknown(id) }
        let result = try await store.result(of: id)
        let body = result.flatMap { JSONValue(parsing: $0.body) }
        let numbers = Set(body?["sources"]?.elements.compactMap { $0["id"]?.whole } ?? [])
        // The newest are enough: what followed it up long ago is in the list of all.
        let later = try await store.jobs(states: Set(JobState.allCases), limit: 500).filter { $0.parent == id }
        return try .json(
            Detail(
                job: try await report(job), request: JSONValue(parsing: job.payload),
                steps: try await store.steps(of: id).map(AgentsShowReport.Step.init),
                events: try await store.allEvents(of: id).suffix(1_000).map(AgentsShowReport.Event.init), findings: result?.findings,
                html: try result.map { try MarkdownHTML.render($0.findings, citing: numbers) }, summary: result?.summary, result: body,
                followUps: try await reports(later), at: at))
    }

    private func export(_ id: JobID, _ request: HTTPRequest) async throws -> HTTPResponse {
        guard let format = JobDocument.Format(rawValue: request.text("format") ?? "markdown") else {
            throw Problem(400, "bad-query", "format is markdown or html")
        }
        guard let job = try await store.job(id) else { throw Self.unknown(id) }
        guard let result = try await store.result(of: id) else {
            throw Problem(409, "wrong-state", "there is nothing to export yet: the task is \(job.state.rawValue)")
        }
        let zone = try context.scheduleZone()
        let document = JobDocument(job: job, result: result, words: JobWords(now: context.now(), zone: zone, isServed: true))
        let type = format == .markdown ? "text/markdown; charset=utf-8" : "text/html; charset=utf-8"
        return .file(Array(try document.text(format).utf8), type: type, name: document.fileName(format))
    }

    // MARK: - Changing

    /// What a client asks for.
    private struct NewAgent: Decodable {
        var question: String
        var mode: String?
        var language: String?
        var web: Bool?
        var library: [String]?
        var at: String?
        var every: String?
        var zone: String?
        var token: String?
    }

    private struct OneSchedule: Encodable {
        var schemaVersion = 1
        var schedule: ScheduleReport
    }

    private func add(_ new: NewAgent, parent: Job?) async throws -> HTTPResponse {
        let question = new.question.trimmingCharacters(in: .whitespacesAndNewlines)
        guard question.contains(where: { $0.isLetter || $0.isNumber }) else {
            throw Problem(422, "bad-question", "write or say what you want to know")
        }
        guard question.count <= 2000 else {
            throw Problem(422, "bad-question", "the question has \(question.count) characters; ask in 2000 or fewer")
        }
        let original = parent.flatMap { try? ResearchJob.read($0.payload) }
        var mode = original?.mode ?? .balanced
        if let name = new.mode {
            guard let named = ResearchTask.Mode(rawValue: name) else { throw Problem(422, "bad-mode", "mode is quick, balanced or deep") }
            mode = named
        }
        if let token = new.token, token.isEmpty || token.utf8.count > 64 { throw Problem(422, "bad-token", "a token has 1 to 64 characters") }
        let roots = try await self.roots(new.library) ?? original?.libraryRoots ?? []
        let payload = try ResearchJob(
            question: question, mode: mode, language: new.language ?? original?.language ?? context.language(of: question), libraryRoots: roots,
            web: new.web ?? original?.web, token: new.token
        ).payload()
        let title = JobWords.line(question, limit: 200)
        let zone = try zone(new.zone)
        if let rule = new.every {
            let schedule = try ScheduleKeeper().schedule(
                kind: ResearchJob.kind, title: title, payload: payload, every: rule, zone: zone.name, at: context.now())
            let added = try await runner.add(schedule)
            await announce(.schedules)
            return try .json(OneSchedule(schedule: ScheduleReport(added)), status: 201)
        }
        let due = try new.at.map { try DueTime($0, now: context.now(), zone: zone).date }
        let job = NewJob(kind: ResearchJob.kind, title: title, payload: payload, dueAt: due, parent: parent?.id)
        guard let token = new.token else { return try await answer(try await runner.add(job), status: 201) }
        let id = try await tokens.once(token, in: store) { [runner] in try await runner.add(job).id }
        guard let added = try await store.job(id) else { throw Self.unknown(id) }
        return try await answer(added, status: 201)
    }

    /// Folders of the library that a task keeps to.
    private func roots(_ given: [String]?) async throws -> [String]? {
        guard let given, given.isEmpty == false else { return given }
        let known = try await engines.index(writing: false)?.roots().map(\.path) ?? []
        if let odd = given.first(where: { known.contains($0) == false }) { throw Problem(422, "not-in-library", "\(odd) is not in the library") }
        return given
    }

    private func zone(_ name: String?) throws -> ScheduleZone {
        if let name { return try ScheduleZone(name) }
        return try context.scheduleZone()
    }

    private func remove(_ id: JobID) async throws -> HTTPResponse {
        guard try await store.job(id) != nil else { throw Self.unknown(id) }
        try await store.remove(id, at: clock())
        await events.publish(Hosting.Subject.jobRemoved.rawValue, data: "{\"id\":\(id)}")
        digests.withLock { $0[id] = nil }
        return .done
    }
}
