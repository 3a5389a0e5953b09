import Foundation
import SottoAgents
import SottoJobStore

/// Five steps, each of which does one thing to the world outside: a line in the side file, on the disk before the step returns.
struct CourseHandler: JobHandler {
    static let stepCount = 5
    let kind = "course"
    let side: SideFile
    let phases: PhaseFile

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        for number in 1...Self.stepCount {
            let output = try await steps.step("step\(number)", limit: .seconds(60)) { [side, phases] in
                phases.enter(Phase.inside(number))
                try await Task.sleep(for: .milliseconds(2))
                side.write("effect \(job.id) \(number)")
                try await Task.sleep(for: .milliseconds(2))
                phases.enter(Phase.between)
                return "output of \(job.id) \(number)"
            }
            guard output == "output of \(job.id) \(number)" else { throw JobFailure("another job's output: \(output)", isPassing: false) }
            side.write("kept \(job.id) \(number)")
        }
        return JobResult(body: "{}", findings: "result of \(job.id)", summary: "", outcome: .done)
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? { nil }
}

/// One line in the side file, no steps.
struct TinyHandler: JobHandler {
    let kind = "tiny"
    let side: SideFile
    let worker: String

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        side.write("effect \(job.id) \(worker)")
        return JobResult(body: worker, findings: "", summary: "", outcome: .done)
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? { nil }
}

/// A short step and one that holds for as long as the first word of the payload says, in milliseconds.
struct HoldHandler: JobHandler {
    let kind = "hold"
    let side: SideFile
    let phases: PhaseFile
    let worker: String

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        try await steps.step("step1", limit: .seconds(60)) { [side, worker] in side.write("effect \(job.id) 1 \(worker)") }
        let hold = Duration.milliseconds(Int(job.payload) ?? 0)
        try await steps.step("step2", limit: .seconds(300)) { [side, phases, worker] in
            phases.enter(Phase.inside(2))
            try await Task.sleep(for: hold)
            side.write("effect \(job.id) 2 \(worker)")
        }
        return JobResult(body: worker, findings: "", summary: "", outcome: .done)
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? { nil }
}
