import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines

/// One recording on its way through a streaming model.
actor StreamingSession: RecognitionSession {
    private static let sampleRate = 16_000
    /// Samples of one step: short enough that a partial is shown and a cancel is noticed.
    private static let step = sampleRate / 2
    /// What the voice activity takes for speech, and what it must reach once for text to count: ``SpeechSegmenter``'s measures.
    private static let speech: Float = 0.5
    private static let certainty: Float = 0.7

    private let work: SherpaWork
    private let detection: any VoiceActivitySession
    private let frameLength: Int
    private let configuration: SherpaConfiguration
    private let partials: Bool
    /// What the child has heard since its last final, to be told to another child if it dies.
    private var open: [Float] = []
    /// Where the child's recording begins in ours, in samples: later than 0 in a child that took over.
    private var base = 0
    /// Samples heard.
    private var heard = 0
    private var text = GrowingText()
    private var shown = ""
    private var speechFrames: [Int] = []
    private var frames = 0
    private(set) var coverage = Coverage()
    private(set) var lastSpeech: Double?

    init(
        pool: SherpaPool, connection: sending SherpaConnection, detection: any VoiceActivitySession, frameLength: Int, budget: ComputeBudget,
        configuration: SherpaConfiguration, partials: Bool
    ) {
        work = SherpaWork(pool: pool, connection: connection, budget: budget, threads: configuration.threads)
        self.detection = detection
        self.frameLength = frameLength
        self.configuration = configuration
        self.partials = partials
    }

    /// Begins the recording in the child.
    func begin() async throws {
        let deadline = configuration.stepDeadline
        _ = try await work.run { connection, _ in try await connection.ask(.begin, deadline: deadline) }
    }

    func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        var position = 0
        while position < samples.count {
            let end = min(position + Self.step, samples.count)
            // One sample that is no number would spoil the whole utterance.
            let part = samples[position..<end].map { $0.isFinite ? max(-1, min(1, $0)) : 0 }
            position = end
            for probability in try await detection.accept(part) {
                if probability >= Self.certainty { speechFrames.append(frames) }
                if probability >= Self.speech {
                    lastSpeech = Double((frames + 1) * frameLength) / Double(Self.sampleRate)
                    coverage.speechSeconds += Double(frameLength) / Double(Self.sampleRate)
                }
                frames += 1
            }
            heard += part.count
            try take(try await ask(.feed, part), &updates)
        }
        return updates
    }

    func finish() async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        try take(try await ask(.finish, []), &updates)
        await work.end()
        return updates
    }

    /// What the child makes of the next samples; told everything since the last final again when it is another child.
    private func ask(_ kind: SherpaFrame.Kind, _ samples: [Float]) async throws -> [SherpaUpdate] {
        open += samples
        let (deadline, open, heard) = (configuration.stepDeadline, open, heard)
        let (updates, isNew) = try await work.run { connection, isNew -> ([SherpaUpdate], Bool) in
            var updates: [SherpaUpdate] = []
            func collect(_ frame: SherpaFrame) async throws {
                do { updates.append(try frame.value(SherpaUpdate.self)) } catch {
                    throw SherpaHostError(.malformedAnswer, "what the model heard cannot be understood: \(error.message)", cause: error)
                }
            }
            var part = samples
            if isNew {
                _ = try await connection.ask(.begin, deadline: deadline)
                part = open
            }
            var position = 0
            while position < part.count {
                let end = min(position + SherpaFrame.maximumSamples, part.count)
                _ = try await connection.ask(.feed, samples: part[position..<end], deadline: deadline, each: collect)
                position = end
            }
            if kind == .finish { _ = try await connection.ask(.finish, deadline: deadline, each: collect) }
            return (updates, isNew)
        }
        if isNew { base = heard - open.count }
        return updates
    }

    private func take(_ answers: [SherpaUpdate], _ updates: inout [TranscriptUpdate]) throws {
        let offset = Double(base) / Double(Self.sampleRate)
        for answer in answers {
            let (start, end) = (offset + answer.start, offset + answer.end)
            let times = answer.times.map { $0 + offset }
            var moved = answer
            (moved.start, moved.end, moved.times) = (start, end, times)
            guard answer.isFinal else {
                let (settled, rest) = text.observe(answer.text)
                guard partials, answer.text != shown, isSpeech(from: start, to: end) else { continue }
                shown = answer.text
                let words = TokenTimes.words(of: moved)
                let border = words.flatMap { settled.count < $0.count ? $0[settled.count].start : nil } ?? (settled.isEmpty ? start : end)
                updates.append(
                    .partial(
                        committed: Transcript(text: settled.joined(separator: " "), start: start, end: border),
                        tail: Transcript(text: rest.joined(separator: " "), start: border, end: end)))
                continue
            }
            let said = text.finish(answer.text)
            shown = ""
            // What the child may still need is what came after this utterance.
            let endSample = base + Int((answer.end * Double(Self.sampleRate)).rounded())
            open.removeFirst(min(open.count, max(0, open.count - max(0, heard - endSample))))
            guard said.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
            if isSpeech(from: start, to: end) {
                let words = TokenTimes.words(of: moved)
                updates.append(
                    .final(
                        Transcript(
                            text: said, start: words?.first.map { max(start, $0.start - 0.1) } ?? start,
                            end: words?.last.map { min(end, $0.end + 0.1) } ?? end,
                            tokens: TokenTimes.tokens(of: moved),
                            measuredWords: words?.map(\.text).joined(separator: " ") == said ? words : nil)))
            }
            let frame = Int(end * Double(Self.sampleRate)) / frameLength
            speechFrames.removeAll { $0 < frame }
        }
    }

    /// Whether the voice activity heard anybody between two times.
    private func isSpeech(from start: Double, to end: Double) -> Bool {
        let first = Int(start * Double(Self.sampleRate)) / frameLength
        let last = Int((end * Double(Self.sampleRate)).rounded(.up)) / frameLength
        return speechFrames.contains { $0 >= first && $0 <= last }
    }
}
