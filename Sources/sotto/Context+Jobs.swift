import SottoAgents
import SottoJobStore

extension Context {
    /// What this program can do as a job.
    func jobHandlers() -> [any JobHandler] {
        [ResearchJobHandler(engines: engines, today: { today() }, log: log), VoiceFitJobHandler(engines: engines, now: now)]
    }

    func jobClock() throws -> JobClock { try engines.jobClock() }
}
