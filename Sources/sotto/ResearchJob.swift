import Foundation
import SottoAgents
import SottoJobStore
import SottoLanguageModels
import SottoObservability
import SottoPassageIndex
import SottoResearch

/// What a research job is asked; the payload of its row, so fields are added and never renamed.
struct ResearchJob: Sendable, Equatable, Codable {
    static let kind = "research"

    var question: String
    var mode: ResearchTask.Mode
    var language: String
    var libraryRoots: [String]
    /// Whether the web may be searched as well, while the settings allow it. When `nil`, it may unless folders were named.
    var web: Bool?
    /// Of the request that made it, so that the same one, sent again, makes no second job.
    var token: String?

    init(
        question: String, mode: ResearchTask.Mode = .balanced, language: String, libraryRoots: [String] = [], web: Bool? = nil, token: String? = nil
    ) {
        self.question = question
        self.mode = mode
        self.language = language
        self.libraryRoots = libraryRoots
        self.web = web
        self.token = token
    }

    func payload() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    static func read(_ payload: String) throws -> ResearchJob {
        do {
            return try JSONDecoder().decode(ResearchJob.self, from: Data(payload.utf8))
        } catch {
            throw JobFailure("the job's request cannot be read; it was written by another version of Sotto", isPassing: false)
        }
    }
}

/// Researches as a durable job: each step of the research is a step of the job.
struct ResearchJobHandler: JobHandler {
    /// The longest that a step may take: reading and writing on one slow core take minutes, never half an hour.
    static let stepLimit = Duration.seconds(1800)

    let kind = ResearchJob.kind
    let engines: Engines
    /// Today, for the planner; asked when a job runs, not when it was added.
    let today: @Sendable () -> String
    let log: Log

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        let request = try ResearchJob.read(job.payload)
        let places: ResearchPlaces
        do {
            places = try await ResearchPlaces(engines, web: request.web ?? request.libraryRoots.isEmpty, job: job.id.rawValue)
        } catch let error as CommandError {
            throw JobFailure(error.message, isPassing: false)
        }
        let task = try await task(request, parent: job.parent, result: { try await steps.result(of: $0) })
        let runner = ResearchRunner(sources: places.sources, web: places.web, model: try await engines.languageModel(), log: log)
        let (progress, reporter) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(8))
        // Progress is told in order and never holds the work up.
        async let told: Void = {
            for await text in progress { await steps.progress(text) }
        }()
        do {
            let result = try await runner.run(task, steps: KeptSteps(steps: steps)) { state in
                reporter.yield(state.line)
            }
            reporter.finish()
            await told
            return try Self.jobResult(result)
        } catch {
            reporter.finish()
            await told
            throw error
        }
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? {
        guard let request = try? ResearchJob.read(job.payload) else { return nil }
        let task = ResearchTask(
            question: request.question, mode: request.mode, language: request.language, libraryRoots: request.libraryRoots, today: today())
        guard let result = PartialResearch.result(of: task, model: "", output: { name in steps.first { $0.name == name }?.output }) else {
            return nil
        }
        return try? Self.jobResult(result)
    }

    private func task(_ request: ResearchJob, parent: JobID?, result: (JobID) async throws -> JobResult?) async throws -> ResearchTask {
        var task = ResearchTask(
            question: request.question, mode: request.mode, language: request.language, libraryRoots: request.libraryRoots, today: today())
        // A parent that was removed or never ended leaves a question that stands by itself.
        if let parent, let earlier = try await result(parent) {
            task.previous = try? JSONDecoder().decode(ResearchResult.self, from: Data(earlier.body.utf8))
        }
        return task
    }

    static func jobResult(_ result: ResearchResult) throws -> JobResult {
        var gaps: [String] =
            switch result.status {
            case .answered: result.gaps
            case .notAnswered: result.gaps.isEmpty ? [result.question] : result.gaps
            case .nothingFound: ["No source matches the question."]
            case .digest: ["No language model is installed; sentences were copied instead of an answer."]
            case .stopped: ["It was stopped before an answer was written."]
            }
        // What could not be searched is a gap of its own, whatever was found elsewhere.
        if let web = result.web, web.couldNotSearch { gaps.insert("The web could not be searched: " + web.problems.joined(separator: "; "), at: 0) }
        return JobResult(
            body: try jsonText(result), findings: result.findings, summary: result.summary, outcome: gaps.isEmpty ? .done : .short(gaps: gaps))
    }
}

/// Lets the steps of a research be steps of a job.
private struct KeptSteps: ResearchSteps {
    let steps: any JobSteps

    func step<Output: Codable & Sendable>(_ name: String, _ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await steps.step(name, limit: ResearchJobHandler.stepLimit, body)
    }
}
