import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines

/// One recording on its way through a model that hears whole utterances.
actor UtteranceSession: RecognitionSession {
    private static let sampleRate = 16_000

    private let work: SherpaWork
    private let detection: any VoiceActivitySession
    private let configuration: SherpaConfiguration
    private var recording: SegmentedRecording
    private(set) var coverage = Coverage()
    private(set) var lastSpeech: Double?

    init(
        pool: SherpaPool, connection: sending SherpaConnection, detection: any VoiceActivitySession, frameLength: Int, budget: ComputeBudget,
        configuration: SherpaConfiguration, segmenter: SpeechSegmenter.Configuration
    ) {
        work = SherpaWork(pool: pool, connection: connection, budget: budget, threads: configuration.threads)
        self.detection = detection
        self.configuration = configuration
        recording = SegmentedRecording(frameLength: frameLength, segmenter: segmenter)
    }

    func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        for part in SegmentedRecording.parts(of: samples, sampleRate: Self.sampleRate) { try await take(part.map { max(-1, min(1, $0)) }, &updates) }
        return updates
    }

    func finish() async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        let missing = recording.missingSamples
        if missing > 0 { try await take([Float](repeating: 0, count: missing), &updates) }
        if let stretch = recording.finish() { try await hear(stretch, &updates) }
        await work.end()
        return updates
    }

    private func take(_ samples: [Float], _ updates: inout [TranscriptUpdate]) async throws {
        recording.append(samples)
        for probability in try await detection.accept(samples) {
            let ended = recording.observe(probability)
            if let sample = recording.lastSpeech { lastSpeech = Double(sample) / Double(Self.sampleRate) }
            if let ended { try await hear(ended, &updates) }
            recording.trim()
        }
    }

    private func hear(_ stretch: SegmentedRecording.Stretch, _ updates: inout [TranscriptUpdate]) async throws {
        let (deadline, samples) = (configuration.stepDeadline, stretch.samples)
        let answers = try await work.run { connection, _ -> [SherpaUpdate] in
            var answers: [SherpaUpdate] = []
            _ = try await connection.ask(.begin, deadline: deadline)
            _ = try await connection.ask(.feed, samples: samples, deadline: deadline)
            _ = try await connection.ask(.flush, deadline: deadline) { frame in
                do { answers.append(try frame.value(SherpaUpdate.self)) } catch {
                    throw SherpaHostError(.malformedAnswer, "what the model heard cannot be understood: \(error)", cause: error)
                }
            }
            return answers
        }
        let rate = Double(Self.sampleRate)
        let (start, end) = (Double(stretch.start) / rate, Double(stretch.start + stretch.samples.count) / rate)
        coverage.speechSeconds += end - start
        let heard = answers.filter { $0.text.contains { $0.isLetter || $0.isNumber } }
        guard heard.isEmpty == false else {
            coverage.unrecognized.append(Coverage.Stretch(start: start, end: end))
            return
        }
        for answer in heard {
            var moved = answer
            (moved.times, moved.end) = (answer.times.map { $0 + start }, end)
            updates.append(
                .final(
                    Transcript(
                        text: answer.text, start: start, end: end, tokens: TokenTimes.tokens(of: answer), measuredWords: TokenTimes.words(of: moved))))
        }
    }
}
