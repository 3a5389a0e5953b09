import Foundation
import SottoAudio
import SottoMediaFiles
import SottoOwnership
import SottoServing
import SottoStreams
import SottoTakes

extension App {
    /// Bytes of a recording that is handed over: some hours of video.
    private static let recordingBytes = 4 << 30

    var recordingRoutes: [Route] {
        let types = [
            "application/octet-stream", "application/ogg", "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus", "audio/wav", "audio/wave",
            "audio/webm", "audio/x-aiff", "audio/x-flac", "audio/x-m4a", "audio/x-wav", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
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
        let hearing = Hearing(try Hearing.language(request.text("language") ?? context.settings.spokenLanguage))
        // What is missing is said before anything is sent.
        _ = try await engines.recognizer(hearing)
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
        _ = work.begin("take \(id)", thenTelling: { await self.recognize(take, hearing) })
        await announce(.takes)
        return try .json(Kept(take: take), status: 201)
    }

    /// - Returns: What tells that it has ended.
    private func recognize(_ take: Take, _ hearing: Hearing) async -> @Sendable () async -> Void {
        let (heard, teller) = AsyncStream.makeStream(of: Double.self, bufferingPolicy: .bufferingNewest(1))
        async let told: Void = {
            for await seconds in heard {
                _ = try? await events.publish("take-progress", TakeProgress(id: take.id, seconds: seconds, total: take.seconds, done: false))
                try? await Task.sleep(for: .milliseconds(500))
            }
        }()
        var end = TakeProgress(id: take.id, seconds: take.seconds, total: take.seconds, done: true)
        do { _ = try await context.retry(take.id, in: takes, hearing) { teller.yield($0) } } catch {
            end.error = error is CancellationError ? "it was stopped; recognize it again" : Problem(telling: error)?.detail ?? "\(error)"
        }
        teller.finish()
        await told
        let ended = end
        return {
            _ = try? await self.events.publish("take-progress", ended)
            await self.announce(.takes)
        }
    }
}
