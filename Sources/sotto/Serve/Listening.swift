import Foundation
import SottoAudio
import SottoAudioDevices
import SottoObservability
import SottoServing
import SottoSpeechEngines
import SottoStreams
import SottoTakes
import Synchronization

/// One client that speaks: its sound goes to the disk as it comes and is recognized beside.
///
/// Nothing is thrown away: what cannot be heard at once waits, up to thirty seconds of it; then the client is not read from until there is room again.
struct Listening: Sendable {
    /// Messages that wait to be heard; browsers send about ten to fifty a second.
    private static let mostWaiting = 600
    /// Sound that waits, in seconds, from which the client is told.
    private static let noticeableDelay = 2.0
    private static let rate = 16_000

    let app: App
    let session: WebSocketSession
    let request: HTTPRequest

    /// How far recording and hearing have come, in samples.
    private struct Position {
        var recorded = 0
        var heard = 0
        var isBehind = false
        var hasEnded = false
        /// Whether the take is not wanted.
        var isCancelled = false
    }

    private let position = SharedPosition()

    private final class SharedPosition: Sendable {
        let value = Mutex(Position())
    }

    private struct Message: Encodable, Sendable {
        var type: String
        var take: String?
        var recognizer: String?
        var committed: String?
        var tail: String?
        var text: String?
        var start: Double?
        var end: Double?
        var language: String?
        var words: [Transcript.Word]?
        var seconds: Double?
        var silent: Bool?
        var holder: String?
        var detail: String?
    }

    private struct Order: Decodable {
        var type: String
    }

    init(app: App, session: WebSocketSession, request: HTTPRequest) {
        self.app = app
        self.session = session
        self.request = request
    }

    func run() async throws {
        let rate: Int
        let purpose: String
        let recognizer: ChosenRecognizer
        do {
            rate = try request.number("rate", default: 48_000, in: 8_000...192_000)
            purpose = request.text("purpose") ?? "transcript"
            guard ["dictation", "transcript"].contains(purpose) else { throw Problem(400, "bad-query", "purpose is dictation or transcript") }
            recognizer = try await app.engines.recognizer(
                Hearing(try Hearing.language(request.text("language") ?? app.context.settings.spokenLanguage)))
        } catch {
            try await tell(Message(type: "error", detail: Problem(telling: error)?.detail ?? "hearing cannot begin: \(error)"))
            return await session.close(1008, "")
        }
        guard app.listeners.enter() else {
            try await tell(Message(type: "busy", detail: "\(app.listeners.most) others are recording now; try again when one has ended"))
            return await session.close(1013, "")
        }
        defer { app.listeners.leave() }
        try await hear(recognizer, rate: rate, isDictation: purpose == "dictation")
    }

    private func hear(_ recognizer: ChosenRecognizer, rate: Int, isDictation: Bool) async throws {
        let settings = app.context.settings
        let takes = TakeStore(folder: app.context.places.takes)
        takes.removeAll(startedBefore: app.context.now().addingTimeInterval(-max(settings.takeDays, 1) * 86_400))
        let sound = Channel<[Float]>(capacity: Self.mostWaiting)
        let turns = isDictation ? try await app.engines.hasTurnDetector() : false
        let live = LiveHearing(
            engines: app.engines, recognizer: recognizer,
            rules: isDictation ? EndpointRules(nothingSaid: .seconds(8), afterSpeech: .seconds(turns ? 3 : 2), longest: nil) : nil,
            turns: turns ? TurnPolicy.Configuration(shortest: .milliseconds(1300), longest: nil) : nil)
        // Unstructured, both: a client that goes away stops the recording, and what it said before is still heard and kept.
        let recording = Task { try await record(into: takes, from: rate, sound, recognizer.model) }
        let hearing = Task {
            try await live.run(
                ProducedSequence { emit in while let samples = try await sound.next() { try await emit(samples) } },
                taken: { count in position.value.withLock { $0.heard = count } }
            ) {
                sound.finish()
                // Sound that waits is heard still, and ends as often as it likes; the client is told once.
                let isFirst = position.value.withLock { position in
                    defer { position.hasEnded = true }
                    return position.hasEnded == false
                }
                if isFirst { _ = try? session.offer(json: Message(type: "endpoint")) }
            } show: { update in
                // A client that is away cannot be told; the take has it.
                switch update {
                case .partial(let committed, let tail):
                    _ = try? session.offer(
                        json: Message(
                            type: "partial", committed: committed.text, tail: tail.text,
                            start: committed.text.isEmpty ? tail.start : committed.start))
                case .final(let text):
                    try? await tell(
                        Message(type: "final", text: text.text, start: text.start, end: text.end, language: text.language, words: text.words))
                }
                try await tellDelay()
            }
        }
        let finals = await hearing.result
        sound.finish()
        if case .failure(let error) = finals {
            // Recording goes on for as long as the client speaks: the take can be recognized later.
            try? await tell(
                Message(
                    type: "error", detail: "what you say is recorded and cannot be recognized now: \(Problem.words(for: error))"))
        } else {
            recording.cancel()
        }
        let id = try await recording.value
        guard let id else { return await session.close(1000, "") }
        do {
            let segments = try finals.get().map(Take.Segment.init)
            try takes.setText(segments, recognizer: recognizer.model, of: id)
            if settings.takeDays == 0 { try takes.remove(id) }
            await app.announce(.takes)
            try? await tell(Message(type: "end", take: id, text: segments.map(\.text).joined(separator: " ")))
        } catch {
            await app.announce(.takes)
            app.context.log.error("a take was recorded and not recognized: \(error)")
            try? await tell(
                Message(
                    type: "error", take: id,
                    detail: "the recording is kept and could not be recognized: \(Problem.words(for: error))"))
        }
        await session.close(1000, "")
    }

    /// - Returns: The take's id; `nil` when there is nothing to keep.
    private func record(into takes: TakeStore, from rate: Int, _ sound: Channel<[Float]>, _ model: String) async throws -> String? {
        defer { sound.finish() }
        let recorder: TakeRecorder
        do { recorder = try takes.begin(sampleRate: Self.rate, now: app.context.now()) } catch {
            try? await tell(Message(type: "error", detail: error.message))
            throw error
        }
        try? recorder.setDevice(request.browserName)
        await app.announce(.takes)
        try? await tell(Message(type: "ready", take: recorder.take.id, recognizer: model))
        var resampler: Resampler?
        if rate != Self.rate { resampler = try Resampler(from: rate, to: Self.rate) }
        var meter = LevelMeter(sampleRate: Self.rate)
        // The first half of a sample whose other half comes with the next message.
        var half: UInt8?
        var isDead = false
        var hasFailed = false
        func take(_ samples: [Float]) async throws {
            guard samples.isEmpty == false else { return }
            if hasFailed == false {
                do { try recorder.append(samples) } catch {
                    hasFailed = true
                    try? await tell(Message(type: "error", detail: "the recording is not kept any more, recognition goes on: \(error.message)"))
                }
            }
            meter.observe(samples)
            if meter.isDead != isDead {
                isDead = meter.isDead
                try? await tell(Message(type: "silent", silent: isDead))
            }
            position.value.withLock { $0.recorded += samples.count }
            try await sound.send(samples)
        }
        do {
            receiving: while let message = try await session.next() {
                switch message {
                case .binary(var bytes):
                    if let first = half.take() { bytes.insert(first, at: 0) }
                    if bytes.count % 2 == 1 { half = bytes.popLast() }
                    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                        Float(Int16(truncatingIfNeeded: Int(bytes[index]) | Int(bytes[index + 1]) << 8)) / 32_768
                    }
                    try await take(try resampler?.process(samples) ?? samples)
                case .text(let text):
                    switch (try? JSONDecoder().decode(Order.self, from: Data(text.utf8)))?.type {
                    case "stop": break receiving
                    case "cancel":
                        position.value.withLock { $0.isCancelled = true }
                        break receiving
                    default: try? await tell(Message(type: "error", detail: "a text message is {\"type\":\"stop\"} or {\"type\":\"cancel\"}"))
                    }
                }
            }
            if let last = resampler.take() { try await take(try last.finish()) }
        } catch is CancellationError {
            // The speaker has finished.
        } catch {
            app.context.log.info("a recording ended with its connection: \(error)")
        }
        let take = try recorder.finish(text: nil, recognizer: nil)
        guard take.seconds > 0, position.value.withLock({ $0.isCancelled }) == false else {
            try takes.remove(take.id)
            await app.announce(.takes)
            return nil
        }
        return take.id
    }

    /// Tells the client when hearing lags, and when it has caught up.
    private func tellDelay() async throws {
        let message: Message? = position.value.withLock { position in
            let seconds = Double(position.recorded - position.heard) / Double(Self.rate)
            guard (seconds >= Self.noticeableDelay) != position.isBehind else { return nil }
            position.isBehind.toggle()
            return Message(type: "behind", seconds: position.isBehind ? (seconds * 10).rounded() / 10 : 0)
        }
        if let message { _ = try? session.offer(json: message) }
    }

    private func tell(_ message: Message) async throws { try await session.send(json: message) }
}
