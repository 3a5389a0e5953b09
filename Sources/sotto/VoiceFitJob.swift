import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoVoices

/// A fit that goes on in the background; the payload of its row, so fields are added and never renamed.
struct VoiceFitJob: Sendable, Equatable, Codable {
    static let kind = "voice-fit"
    /// Tries that are worth their time.
    static let tries = 204

    var voice: UUID
    var tries: Int

    /// The job that fits a voice.
    static func job(fitting voice: EnrolledVoice, tries: Int) throws -> NewJob {
        NewJob(kind: kind, title: "The voice \(voice.name)", payload: try VoiceFitJob(voice: voice.id, tries: tries).payload())
    }

    func payload() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// Fits voices as durable jobs. How far a fit is stands beside the voice, after every try: an attempt goes on where the last one ended.
struct VoiceFitJobHandler: JobHandler {
    /// A step is so many tries: its end is written into the queue, so that a job that gets on is never given up.
    static let stepTries = 48
    static let stepLimit = Duration.seconds(1800)

    let kind = VoiceFitJob.kind
    let engines: Engines
    let now: @Sendable () -> Date

    func run(_ job: Job, steps: any JobSteps) async throws -> JobResult {
        let request: VoiceFitJob
        do { request = try JSONDecoder().decode(VoiceFitJob.self, from: Data(job.payload.utf8)) } catch {
            throw JobFailure("the job's request cannot be read; it was written by another version of Sotto", isPassing: false)
        }
        let fitting = VoiceFitting(engines: engines, now: now)
        var line = ""
        for goal in Array(stride(from: Self.stepTries, to: request.tries, by: Self.stepTries)) + [request.tries] {
            line = try await steps.step("try \(goal)", limit: Self.stepLimit) {
                guard let voice = engines.voiceFolder.voices().first(where: { $0.id == request.voice }) else {
                    throw JobFailure("the voice was removed", isPassing: false)
                }
                let (progress, reporter) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
                async let told: Void = { for await text in progress { await steps.progress(text) } }()
                do {
                    let near = voice.style == nil ? try await fitting.begin(voice) { reporter.yield($0.item) } : voice
                    let fitted = try await fitting.refine(near, tries: goal, isLast: goal == request.tries) { reporter.yield($0.item) }
                    reporter.finish()
                    await told
                    return "\(fitted.name): \(fitted.stateLine)"
                } catch let error as CommandError {
                    reporter.finish()
                    await told
                    throw JobFailure(error.message, isPassing: true)
                } catch {
                    reporter.finish()
                    await told
                    throw error
                }
            }
        }
        return JobResult(body: try jsonText(["fitted": line]), findings: line, summary: line, outcome: .done)
    }

    func partialResult(of job: Job, steps: [JobStep]) -> JobResult? { nil }
}
