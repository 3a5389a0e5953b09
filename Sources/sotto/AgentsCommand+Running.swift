import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoOwnership

extension AgentsCommand {
    func run() async throws {
        guard words.isEmpty else { throw UsageError("run takes no words", usage: usage) }
        let untilIdle = arguments.has("until-idle")
        guard let lock = context.lock else {
            // A guest's: the host works already.
            try await QueueWatch(context: context).waitUntilIdle()
            context.console.note("Nothing is due")
            return
        }
        try await Host(context: context, lock: lock, handlers: context.jobHandlers()).run(untilIdle: untilIdle)
    }
}

extension Context {
    func jobClock() throws -> JobClock { try engines.jobClock() }
}
