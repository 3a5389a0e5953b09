import Foundation
import SottoAudio
import SottoMediaFiles
import SottoObservability
import SottoOwnership
import SottoServing
import SottoStreams
import SottoTakes

extension App {
    /// Bytes of a recording that is handed over: some hours of video.
    private static let recordingBytes = 4 << 30
    /// How often recognition of one recording is begun by itself.
    private static let mostAttempts = 3

    var recordingRoutes: [Route] {
        let types = [
            "application/octet-stream", "application/ogg", "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus",
            "audio/wav", "audio/wave",
            "audio/webm", "audio/x-aiff", "audio/x-flac", "audio/x-m4a", "audio/x-wav", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime",
            "video/webm",
            "video/x-matroska",
        ]
        return [change(.post, "/api/takes", body: BodyRule(maximumBytes: Self.recordingBytes, contentTypes: types)) { try await self.receive($0) }]
    }

    private struct Kept: Encodable {
        var schemaVersion = 1
        var take: Take
    }

    private struct TakeProgress: Encodable, Sendable {
        var id: String
        /// Heard so far.
        var seconds: Double
        var total: Double
        var done: Bool
        var error: String?
    }

    /// Keeps a recording as a take, decoded while it comes, and recognizes it afterwards: neither waits for a client that goes away.
    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = String((request.text("name") ?? "a file").prefix(120))
        let language = request.text("language") ?? context.settings.spokenLanguage
        // What is missing is said before anything is sent.
        _ = try await engines.recognizer(Hearing(try Hearing.language(language)))
        let recorder = try takes.begin(sampleRate: 16_000, now: context.now())
        let id = recorder.take.id
        do {
            try recorder.setDevice(name)
            for try await buffer in MediaDecoder(sampleRate: 16_000).audio(ofChunks: request.body.produced, name: name) {
                try recorder.append(buffer.samples)
            }
        } catch {
            // Half of a file is nobody's wish; the client has the whole.
            _ = try? recorder.finish(text: nil, recognizer: nil)
            try? takes.remove(id)
            if let error = error as? MediaError { throw Problem(422, "bad-recording", error.message) }
            throw error
        }
        let take = try recorder.finish(text: nil, recognizer: nil)
        guard take.seconds > 0 else {
            try takes.remove(id)
            throw Problem(422, "bad-recording", "there is no sound in \(name)")
        }
        try takes.setPending(.init(language: language), of: id)
        _ = work.begin("take \(id)") {
            await self.recognize(take, .init(language: language))
            return {}
        }
        await announce(.takes)
        return try .json(Kept(take: take), status: 201)
    }

    /// Goes on with what an earlier process had promised to recognize, the oldest first, one after another.
    func resumeRecordings() async {
        for take in takes.list().reversed() where take.state != .recording {
            guard let pending = take.pending, Task.isCancelled == false else { continue }
            guard pending.attempts < Self.mostAttempts else {
                context.log.warning("the take \(take.id) was begun \(pending.attempts) times and never ended; recognize it again by hand")
                try? takes.setPending(nil, of: take.id)
                continue
            }
            await recognize(take, pending)
        }
    }

    private func recognize(_ take: Take, _ pending: Take.Pending) async {
        do {
            try takes.setPending(.init(language: pending.language, attempts: pending.attempts + 1), of: take.id)
        } catch { return context.log.error("\(error)") }
        let end = await events.publishingNewest("take-progress", of: TakeProgress.self, every: .milliseconds(500)) { tell in
            var end = TakeProgress(id: take.id, seconds: take.seconds, total: take.seconds, done: true)
            do {
                _ = try await context.retry(take.id, in: takes, Hearing(try Hearing.language(pending.language))) { seconds in
                    tell(TakeProgress(id: take.id, seconds: seconds, total: take.seconds, done: false))
                }
            } catch is CancellationError {
                // The process ends; it was not the recording's fault.
                try? takes.setPending(pending, of: take.id)
                end.error = "it goes on when Sotto serves again"
            } catch {
                try? takes.setPending(nil, of: take.id)
                end.error = Problem.words(for: error)
            }
            return end
        }
        _ = try? await events.publish("take-progress", end)
        await announce(.takes)
    }
}
