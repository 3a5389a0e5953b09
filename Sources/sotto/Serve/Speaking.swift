import Foundation
import SottoAudio
import SottoJobStore
import SottoObservability
import SottoServing
import SottoSpeechEngines
import SottoStreams
import SottoVoices
import Synchronization

/// One client that is read to: it asks for texts, one after another, and is sent speech while it is made.
struct Speaking: Sendable {
    /// How far speech may be ahead of what was played, in seconds: more would be made for nothing when the listener stops.
    private static let mostAhead = 30.0
    /// Characters of one text.
    private static let longest = 400_000

    let app: App
    let session: WebSocketSession

    private struct Order: Decodable {
        var type: String
        var text: String?
        var job: Int64?
        var voice: String?
        var speed: Double?
        var from: Int?
        var seconds: Double?
    }

    private struct Message: Encodable {
        var type: String
        var sampleRate: Int?
        var parts: [String]?
        var synthetic: Bool?
        var text: String?
        var part: Int?
        var seconds: Double?
        var firstAudio: Double?
        var detail: String?
    }

    /// Lets the work wait for the listener.
    private final class Playback: Sendable {
        private struct State {
            var played = 0.0
            var waiting: CheckedContinuation<Void, Never>?
        }
        private let state = Mutex(State())

        func played(_ seconds: Double) {
            let waiting = state.withLock { state in
                state.played = max(state.played, seconds)
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }

        /// Waits until what was sent is not too far ahead.
        func wait(sent: Double) async throws {
            while state.withLock({ sent - $0.played > Speaking.mostAhead }) {
                try Task.checkCancellation()
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let isOver = state.withLock { state in
                            if Task.isCancelled || sent - state.played <= Speaking.mostAhead { return true }
                            state.waiting = continuation
                            return false
                        }
                        if isOver { continuation.resume() }
                    }
                } onCancel: {
                    played(0)
                }
            }
        }
    }

    func run() async throws {
        var work: Task<Void, Never>?
        var playback = Playback()
        defer { work?.cancel() }
        while let message = try await session.next() {
            guard case .text(let text) = message else { continue }
            guard let order = try? JSONDecoder().decode(Order.self, from: Data(text.utf8)) else {
                try await tell(Message(type: "error", detail: "a message is an object with a type: speak, played or stop"))
                continue
            }
            switch order.type {
            case "speak":
                work?.cancel()
                await work?.value
                playback = Playback()
                // Unstructured: the next order may end it. It holds nothing of ours but the socket.
                work = Task { [playback] in await speak(order, playback) }
            case "played": playback.played(order.seconds.flatMap { $0.isFinite ? $0 : nil } ?? 0)
            case "stop":
                work?.cancel()
                await work?.value
            default:
                try await tell(Message(type: "error", detail: "there is no order \"\(order.type.prefix(40))\"; there are speak, played and stop"))
            }
        }
        work?.cancel()
        await work?.value
    }

    private func speak(_ order: Order, _ playback: Playback) async {
        do {
            let text = try await text(order)
            let speed = order.speed ?? app.context.settings.speed
            guard (0.5...2).contains(speed) else { throw Problem(422, "bad-speed", "speed is a number from 0.5 to 2") }
            try app.context.requireSpeakable(text)
            let isCloned = try app.context.enrolledVoice(order.voice) != nil
            let pipeline = try await app.engines.voice()
            let first = max(0, order.from ?? 0)
            var parts = SpeechParts(text, pronunciations: app.engines.pronunciations(), from: first)
            guard parts.sentences.isEmpty == false else { throw SynthesisError(.nothingToSay, "the text holds nothing that can be said") }
            try await tell(Message(type: "start", sampleRate: pipeline.sampleRate, parts: parts.sentences, synthetic: isCloned))
            let script = parts.parts.map { SpeechPart($0) }
            let speech = pipeline.speech(of: script, voice: order.voice, speed: speed)
            var sent = 0.0
            let report = try await pipeline.deliver(speech) { chunk in
                try await playback.wait(sent: sent)
                sent += chunk.audio.seconds
                try await tell(Message(type: "piece", text: chunk.text, part: parts.place(of: chunk.text), seconds: chunk.audio.seconds))
                try await session.send(.binary(WAVFile.quantized(chunk.audio.samples)))
            }
            try await tell(Message(type: "end", seconds: report.seconds, firstAudio: report.timeToFirstAudio.map { $0 / .seconds(1) }))
        } catch is CancellationError {
            // Stopped: the client knows.
        } catch is ServingError {
            // It has gone.
        } catch {
            if Problem(telling: error) == nil { app.context.log.error("speech failed: \(error)") }
            try? await tell(Message(type: "error", detail: Problem(telling: error)?.detail ?? "speech failed; see the log of sotto serve"))
        }
    }

    private func text(_ order: Order) async throws -> String {
        if let text = order.text {
            guard text.count <= Self.longest else {
                throw Problem(413, "too-long", "the text has \(text.count) characters, and \(Self.longest) are the most")
            }
            return text
        }
        guard let number = order.job else { throw Problem(422, "nothing-to-say", "a text or a task's number is needed") }
        guard let result = try await app.store.result(of: JobID(number)) else {
            throw Problem(404, "not-found", "task \(number) has nothing to read aloud yet")
        }
        return result.summary.isEmpty ? result.findings : result.summary
    }

    private func tell(_ message: Message) async throws { try await session.send(json: message) }
}
