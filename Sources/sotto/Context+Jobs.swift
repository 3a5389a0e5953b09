import SottoAgents
import SottoJobStore

extension Context {
    /// What this program can do as a job.
    func jobHandlers() -> [any JobHandler] { [] }

    func jobClock() throws -> JobClock { try engines.jobClock() }
}
