import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoStreams

extension AgentsCommand {
    func run() async throws {
        guard words.isEmpty else { throw UsageError("run takes no words", usage: usage) }
        guard let lock = context.lock else {
            // A guest's: the host works already.
            try await waitUntilIdle()
            context.console.note("Nothing is due")
            return
        }
        let untilIdle = arguments.has("until-idle")
        try await Host(context: context, lock: lock, handlers: context.jobHandlers()).run(untilIdle: untilIdle)
        if untilIdle { context.console.note("Nothing is due") }
    }

    /// Shows what the host's workers do until none works and nothing is due.
    private func waitUntilIdle() async throws {
        guard let store = try readStore() else { return }
        let kinds = Set(context.jobHandlers().map(\.kind))
        let now = try clock()
        while context.hosting?.isEnding.isCancelled != true {
            try Task.checkCancellation()
            let running = try await store.jobs(states: [.running], limit: 1000)
            let due = try await store.nextDue(kinds: kinds).map { $0 <= now().date } ?? false
            guard running.isEmpty == false || due else { return }
            let titles = running.map { "job \($0.id), \(JobWords.line($0.title, limit: 60))" }
            context.console.show(SottoObservability.Progress(phase: "Working", item: titles.joined(separator: "; ")))
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
