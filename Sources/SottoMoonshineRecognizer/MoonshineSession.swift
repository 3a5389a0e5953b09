import SottoSpeechEngines

/// One recording on its way through voice activity and the network.
actor MoonshineSession: RecognitionSession {
    /// Frames of a pause without which last sounds are lost.
    private static let shortestPadding = 3

    /// What the open stretch was last taken to say.
    private struct Hypothesis {
        /// First sample of the stretch that was decoded.
        var start: Int
        /// Samples of it that were decoded.
        var length: Int
        /// Frames heard by then.
        var frames: Int
        var decode: MoonshineModel.Decode
    }

    private let model: MoonshineModel
    private let detection: any VoiceActivitySession
    private let configuration: MoonshineRecognizer.Configuration
    private let options: RecognitionOptions
    private let frameLength: Int
    private var recording: SegmentedRecording
    private var commit: CommitPolicy
    private var step: StepPolicy
    private var hypothesis: Hypothesis?
    /// What the last update showed, so that nothing is said twice.
    private var shown = Shown()
    private(set) var coverage = Coverage()
    private(set) var lastSpeech: Double?

    private struct Shown: Equatable {
        var committed = 0
        var text = ""
    }

    init(
        model: MoonshineModel, voiceActivity: any VoiceActivityDetector, detection: any VoiceActivitySession,
        _ configuration: MoonshineRecognizer.Configuration, _ options: RecognitionOptions
    ) {
        self.model = model
        self.detection = detection
        self.configuration = configuration
        self.options = options
        frameLength = voiceActivity.frameLength
        recording = SegmentedRecording(frameLength: voiceActivity.frameLength, segmenter: configuration.segmenter)
        commit = CommitPolicy(configuration: configuration.commit)
        var step = configuration.step
        step.finalPause = max(step.pause, configuration.segmenter.paddingAfter)
        self.step = StepPolicy(configuration: step)
    }

    func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        for part in SegmentedRecording.parts(of: samples, sampleRate: MoonshineModel.sampleRate) { try await take(part, &updates) }
        return updates
    }

    func finish() async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        // The detector's last frame is filled up with silence.
        let missing = recording.missingSamples
        if missing > 0 { try await take([Float](repeating: 0, count: missing), &updates) }
        if let stretch = recording.finish() { try await end(stretch, &updates) }
        return updates
    }

    func endStretch() async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        // As far as the pause has been decoded already, if it has.
        let decoded = recording.segmenter.open.flatMap { open in
            hypothesis.flatMap { $0.start == open.start * frameLength ? $0.frames - open.lastSpeech - 1 : nil }
        }
        if let stretch = recording.endStretch(padding: decoded.flatMap { $0 >= Self.shortestPadding ? $0 : nil }) { try await end(stretch, &updates) }
        recording.trim()
        return updates
    }

    private func take(_ samples: [Float], _ updates: inout [TranscriptUpdate]) async throws {
        recording.append(samples)
        for probability in try await detection.accept(samples) {
            let ended = recording.observe(probability)
            if let sample = recording.lastSpeech { lastSpeech = Double(sample) / Double(MoonshineModel.sampleRate) }
            if let stretch = ended {
                try await end(stretch, &updates)
            } else if options.partials {
                try await look(&updates)
            }
            recording.trim()
        }
    }

    /// Decodes the open stretch again if it is time.
    private func look(_ updates: inout [TranscriptUpdate]) async throws {
        guard let open = recording.segmenter.open, open.counts else { return }
        let start = open.start * frameLength
        // A stretch that was given up, or ended without text, leaves its hypothesis behind.
        if let hypothesis, hypothesis.start != start { forget() }
        guard step.isDue(at: recording.frames, lastSpeech: open.lastSpeech, decoded: hypothesis?.frames), let stretch = recording.openStretch() else { return }
        let decode = try await decoded(stretch)
        hypothesis = Hypothesis(start: start, length: stretch.samples.count, frames: recording.frames, decode: decode)
        guard isSpeech(decode, in: open.evidence) else { return }
        let seconds = Double(stretch.samples.count) / Double(MoonshineModel.sampleRate)
        if commit.observe(decode.tokens, at: seconds) {
            recording.keepWhole(until: open.start + Int(commit.committedBefore * Double(MoonshineModel.sampleRate)) / frameLength)
        }
        let now = Shown(committed: commit.committed.count, text: decode.text)
        guard now != shown else { return }
        shown = now
        let settled = try await transcript(commit.committed, from: stretch.start, to: stretch.start + Int(commit.committedBefore * Double(MoonshineModel.sampleRate)))
        let tail = Array(decode.tokens[commit.committed.count...])
        updates.append(
            .partial(committed: settled, tail: try await transcript(tail, from: Int(settled.end * Double(MoonshineModel.sampleRate)), to: stretch.start + stretch.samples.count)))
    }

    private func end(_ stretch: SegmentedRecording.Stretch, _ updates: inout [TranscriptUpdate]) async throws {
        if let hypothesis, hypothesis.start != stretch.start { forget() }
        // Mostly the pause was decoded ahead of time, just as far as it belongs to the stretch.
        let ready = hypothesis.flatMap { $0.length == stretch.samples.count ? $0.decode : nil }
        let decode = if let ready { ready } else { try await decoded(stretch) }
        let hasCommitted = commit.committed.isEmpty == false
        forget()
        let start = Double(stretch.start) / Double(MoonshineModel.sampleRate)
        // Each from whole samples, so that pieces which touch have one and the same number between them.
        let end = Double(stretch.start + stretch.samples.count) / Double(MoonshineModel.sampleRate)
        coverage.speechSeconds += end - start
        guard hasCommitted || isSpeech(decode, in: recording.segmenter.ended) else {
            coverage.unrecognized.append(Coverage.Stretch(start: start, end: end))
            return
        }
        updates.append(.final(Transcript(text: decode.text, start: start, end: end, tokens: decode.pieces)))
    }

    private func forget() {
        hypothesis = nil
        commit.reset()
        shown = Shown()
    }

    private func decoded(_ stretch: SegmentedRecording.Stretch) async throws -> MoonshineModel.Decode {
        let begin = configuration.now()
        let draft = hypothesis?.decode.tokens.dropFirst(commit.committed.count).map(\.id) ?? []
        let decode = try await model.decode(stretch.samples, committed: commit.committed, draft: draft)
        step.observe(cost: configuration.now() - begin)
        return decode
    }

    /// Whether a text is believed.
    private func isSpeech(_ decode: MoonshineModel.Decode, in sound: SpeechSegmenter.Evidence) -> Bool {
        guard decode.text.contains(where: { $0.isLetter || $0.isNumber }), decode.meanLogProbability >= configuration.minimumMeanLogProbability else { return false }
        let isLone = decode.text.split(separator: " ").count == 1
        return isLone == false || sound.certainty >= configuration.loneWordCertainty || sound.spread >= configuration.loneWordSpread
    }

    private func transcript(_ tokens: [HypothesisToken], from start: Int, to end: Int) async throws -> Transcript {
        let (text, pieces) = try await model.text(of: tokens)
        let rate = Double(MoonshineModel.sampleRate)
        return Transcript(text: text, start: Double(start) / rate, end: Double(max(start, end)) / rate, tokens: pieces)
    }
}
