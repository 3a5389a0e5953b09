import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoResearch

extension Command {
    private static let agentsSpec = ArgumentSpec(
        """
        usage: sotto agents add "QUESTION" [--mode quick|balanced|deep] [--library DIR]… [--no-web] [--language TAG]
                          [--at TIME | --every RULE] [--zone ZONE] [--json]
               sotto agents list [--limit N] [--json]       jobs, newest first, and schedules
               sotto agents show ID [--follow] [--json]     findings and log of a job; a schedule is s1, s2, …
               sotto agents cancel ID…                      what was found is kept
               sotto agents retry ID…                       failed and cancelled jobs; finished steps are not done again
               sotto agents follow-up ID "QUESTION"         a new job that goes on from that one's sources
               sotto agents export ID [--format markdown|html] [--output FILE]
               sotto agents remove ID…
               sotto agents run [--until-idle]              work on the queue until Ctrl-C, or until nothing is due

          --at TIME     once: "18:00", "tomorrow 09:00", "friday at 9am", "in 20 minutes", "2026-12-24 18:00"
          --every RULE  again and again: "day at 09:00", "weekday at 8:30", "mon,fri at 07:15", "month on 1 at 09:00", "30 minutes"
          --zone ZONE   IANA time zone of --at and --every (default: yours)
          --library DIR read DIR first and search nothing else; may be repeated
          --no-web      search the library only
          --output FILE write there instead of standard output; in a folder, under a name made from the title
        """,
        [
            "mode": .value("quick, balanced or deep"), "library": .repeated("a folder"), "no-web": .flag, "language": .value("a language tag"),
            "at": .value("a time"), "every": .value("a rule"), "zone": .value("a time zone"), "json": .flag, "limit": .value("a number"),
            "follow": .flag, "format": .value("markdown or html"), "output": .value("a file to write"), "until-idle": .flag,
        ])

    /// Which options each word takes.
    private static let agentsOptions: [String: Set<String>] = [
        "add": ["mode", "library", "no-web", "language", "at", "every", "zone", "json"],
        "list": ["limit", "json"], "show": ["follow", "json"], "cancel": ["json"], "retry": ["json"],
        "follow-up": ["mode", "library", "no-web", "language", "at", "zone", "json"], "export": ["format", "output"], "remove": [],
        "run": ["until-idle"],
    ]

    static let agents = Command(
        name: "agents", summary: "questions as durable jobs: now, later, or again and again", spec: agentsSpec,
        place: { arguments in
            switch arguments.positional.first {
            case "add", "cancel", "retry", "follow-up", "remove": .owner
            case "list", "show", "export": .host
            case "run": .newHost(ifServed: arguments.has("until-idle") ? .forward : .refuse)
            default: .here
            }
        },
        run: { arguments, context in
            let agents = AgentsCommand(arguments: arguments, context: context, usage: agentsSpec.usage)
            guard let verb = arguments.positional.first else {
                throw UsageError("add, list, show, cancel, retry, follow-up, export, remove or run?", usage: agentsSpec.usage)
            }
            guard let allowed = agentsOptions[verb] else {
                let near = Spelling.nearest(to: verb, among: agentsOptions.keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
                throw UsageError("unknown: agents \(verb)\(near)", usage: agentsSpec.usage)
            }
            if let odd = arguments.flags.union(arguments.values.keys).subtracting(allowed).min() {
                throw UsageError("agents \(verb) takes no --\(odd)", usage: agentsSpec.usage)
            }
            switch verb {
            case "add": try await agents.add()
            case "list": try await agents.list()
            case "show": try await agents.show()
            case "cancel": try await agents.cancel()
            case "retry": try await agents.retry()
            case "follow-up": try await agents.followUp()
            case "export": try await agents.export()
            case "remove": try await agents.remove()
            default: try await agents.run()
            }
        })
}

/// One call of `sotto agents`.
struct AgentsCommand: Sendable {
    let arguments: Arguments
    let context: Context
    let usage: String

    /// What follows the word that says what to do.
    var words: [String] { Array(arguments.positional.dropFirst()) }

    /// The queue, to be changed; leases of processes that have ended are ended first, for this process is the owner.
    func store() async throws -> any JobStore {
        guard let store = try context.engines.jobs(writing: true) else { throw CommandError("the queue cannot be opened") }
        // The host has done it when it began, and its own workers hold leases.
        if context.role == .owner { await settle(try await store.endForeignLeases(keeping: "", at: try clock()()), in: store) }
        return store
    }

    /// Keeps what can be shown of jobs that ended without a worker.
    func settle(_ jobs: [Job], in store: any JobStore) async {
        let handlers = context.jobHandlers()
        for job in jobs where job.state == .failed || job.state == .cancelled {
            guard let handler = handlers.first(where: { $0.kind == job.kind }) else { continue }
            do {
                guard let partial = handler.partialResult(of: job, steps: try await store.steps(of: job.id)) else { continue }
                try await store.keep(partial, of: job.id, at: try clock()())
            } catch {
                context.log.warning("what job \(job.id) had found could not be kept: \(error)")
            }
        }
    }

    /// The queue, to be read; `nil` when there is none yet.
    func readStore() throws -> (any JobStore)? { try context.engines.jobs(writing: false) }

    func clock() throws -> JobClock { try context.jobClock() }

    func zone() throws -> ScheduleZone {
        guard let name = arguments.value("zone") else { return try context.scheduleZone() }
        do throws(ScheduleError) { return try ScheduleZone(name) } catch { throw UsageError(error.message, usage: usage) }
    }

    func jobWords() throws -> JobWords { JobWords(now: context.now(), zone: try zone(), isServed: context.role == .host) }

    /// A job's number, or a schedule's behind an "s".
    enum Reference: Equatable {
        case job(JobID)
        case schedule(ScheduleID)
    }

    func reference(_ word: String) throws -> Reference {
        let isSchedule = word.first == "s" || word.first == "S"
        guard let number = Int64(isSchedule ? word.dropFirst() : word[...]), number > 0 else {
            throw UsageError(
                "\"\(word)\" is not a job's number, such as 12, nor a schedule's, such as s3 (\"sotto agents list\" shows them)", usage: usage)
        }
        return isSchedule ? .schedule(ScheduleID(number)) : .job(JobID(number))
    }

    func jobID(_ word: String, verb: String) throws -> JobID {
        switch try reference(word) {
        case .job(let id): return id
        case .schedule(let id):
            throw UsageError(
                "a schedule cannot be \(verb); its runs are jobs of their own (\"sotto agents remove s\(id)\" ends it)", usage: usage)
        }
    }

    func oneWord(_ what: String) throws -> String {
        guard let word = words.first, words.count == 1 else { throw UsageError("\(what) is needed", usage: usage) }
        return word
    }

    func unknown(_ id: JobID) -> CommandError { CommandError("there is no job \(id); \"sotto agents list\" shows those that there are") }
}
