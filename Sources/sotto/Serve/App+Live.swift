import SottoAgents
import SottoDesktopNotices
import SottoJobStore
import SottoObservability
import SottoServing
import Synchronization

extension App {
    var liveRoutes: [Route] {
        [
            read("/api/events") { request in try EventFeed.serverSent(self.events, request) },
            .webSocket("/api/live", rules: WebSocketRules(maximumMessageBytes: 4_096)) { request, session in
                // A browser cannot be told of a wrong position before the handshake: it is treated as one that was forgotten.
                let position = (try? EventFeed.position(request.head)) ?? EventID(epoch: 0, number: 0)
                let after = request.head.target.queryValue("after") == nil ? nil : position
                try await EventFeed.stream(self.events, after: after, to: session)
            },
        ]
    }

    /// Whose log a line is of.
    private struct LineOwner: Encodable {
        var job: Int64
    }

    /// Tells what the workers do, until the task is cancelled.
    ///
    /// - Parameter last: The newest event of before the start.
    func follow(after last: Int64) async throws {
        try await runner.follow(after: last, job: nil) { event in
            if event.kind == .progress { self.progress.withLock { $0[event.job] = event.text } }
            try await self.events.publish("log", Joined(AgentsShowReport.Event(event), LineOwner(job: event.job.rawValue)))
            guard let job = try await self.store.job(event.job) else { return }
            if job.state != .running { self.progress.withLock { $0[job.id] = nil } }
            let report = try await self.report(job)
            try await self.events.publish("job", report)
            guard event.kind == .state, job.state.isFinal else { return }
            if job.kind == VoiceFitJob.kind { await self.announce(.voices) }
            await self.tellEnd(of: job, report)
        }
    }

    /// What an in-page notice shows.
    private struct Notice: Encodable {
        var job: Int64
        var title: String
        var body: String
    }

    private func tellEnd(of job: Job, _ report: AgentReport) async {
        let body =
            switch job.state {
            case .completed: report.digest?.summary ?? "Done"
            case .cancelled: "Cancelled"
            default: job.error ?? "Failed"
            }
        if ["research", "voice-fit"].contains(job.kind) {
            let ending: DesktopNotice.Ending =
                switch job.state {
                case .completed: job.outcome?.gaps.isEmpty == false ? .short : .done
                case .cancelled: .cancelled
                default: .failed
                }
            // What the desktop says is for its log: a task ends whether it is told or not.
            if case .skipped(let reason) = await notifier.show(
                DesktopNotice(tag: "job-\(job.id)", title: JobWords.line(job.title, limit: 120), ending: ending))
            {
                context.log.debug("no desktop notice: \(reason)")
            }
        }
        _ = try? await events.publish(
            "notice", Notice(job: job.id.rawValue, title: JobWords.line(job.title, limit: 120), body: JobWords.line(body, limit: 300)))
    }
}
