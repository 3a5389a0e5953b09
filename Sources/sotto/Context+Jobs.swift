import Foundation
import SottoAgents
import SottoJobStore

extension Context {
    /// What this program can do as a job.
    func jobHandlers() -> [any JobHandler] {
        [ResearchJobHandler(engines: engines, today: { today() }, log: log), VoiceFitJobHandler(engines: engines, now: now)]
    }

    /// The zone that times are said in. Machines without a set one call it GMT, which is no place.
    func scheduleZone() throws -> ScheduleZone { try (try? ScheduleZone(zone.identifier)) ?? ScheduleZone("UTC") }

    func jobClock() throws -> JobClock { try engines.jobClock() }
}
