import SottoAgents
import SottoJobStore

extension Context {
    /// What this program can do as a job.
    func jobHandlers() -> [any JobHandler] {
        [ResearchJobHandler(engines: engines, today: { today() }, log: log)]
    }

    func jobClock() throws -> JobClock { try engines.jobClock() }
}
