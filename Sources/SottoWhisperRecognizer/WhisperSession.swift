import SottoSpeechEngines

/// One recording on its way through voice activity and the network.
actor WhisperSession: RecognitionSession {
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
        var decode: WhisperDecode
    }

    private struct Shown: Equatable {
        var committed = 0
        var text = ""
    }

    private let model: WhisperModel
    private let detection: any VoiceActivitySession
    private let configuration: WhisperRecognizer.Configuration
    private let options: RecognitionOptions
    private let frameLength: Int
    private var recording: SegmentedRecording
    private var languageChoice: LanguageChoice
    private var commit: CommitPolicy
    /// Of the open stretch, once words of it are settled: they cannot be in another one.
    private var committedLanguage: LanguageChoice.Choice?
    private var step: StepPolicy
    private var hypothesis: Hypothesis?
    /// What the last update showed, so that nothing is said twice.
    private var shown = Shown()
    private(set) var coverage = Coverage()
    private(set) var lastSpeech: Double?

    init(
        model: WhisperModel, voiceActivity: any VoiceActivityDetector, detection: any VoiceActivitySession,
        _ configuration: WhisperRecognizer.Configuration, _ options: RecognitionOptions
    ) {
        self.model = model
        self.detection = detection
        self.configuration = configuration
        self.options = options
        frameLength = voiceActivity.frameLength
        let segmenter = options.partials ? configuration.liveSegmenter : configuration.segmenter
        recording = SegmentedRecording(frameLength: voiceActivity.frameLength, segmenter: segmenter)
        languageChoice = LanguageChoice(options.language, expected: configuration.expectedLanguage, configuration: configuration.languageChoice)
        commit = CommitPolicy(configuration: configuration.commit)
        // A decode costs as much as a pause is long, so there is one in each: of all that belongs to the stretch when it ends there.
        var step = configuration.step
        step.pause = max(step.pause, segmenter.paddingAfter)
        step.finalPause = step.pause
        self.step = StepPolicy(configuration: step)
    }

    func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] {
        var updates: [TranscriptUpdate] = []
        for part in SegmentedRecording.parts(of: samples, sampleRate: WhisperModel.sampleRate) { try await take(part, &updates) }
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
            if let sample = recording.lastSpeech { lastSpeech = Self.seconds(sample) }
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
        let decode = try await decoded(stretch, hasTimestamps: false)
        hypothesis = Hypothesis(start: start, length: stretch.samples.count, frames: recording.frames, decode: decode)
        guard isSpeech(decode) else { return }
        // In another language the words before mean nothing any more; none of them was settled.
        if commit.committed.isEmpty, let language = committedLanguage, language.language != decode.language.language { commit.reset() }
        committedLanguage = decode.language
        if commit.observe(decode.tokens, at: Self.seconds(stretch.samples.count)) {
            recording.keepWhole(until: open.start + Int(commit.committedBefore * Double(WhisperModel.sampleRate)) / frameLength)
        }
        let now = Shown(committed: commit.committed.count, text: decode.text)
        guard now != shown else { return }
        shown = now
        let middle = Self.seconds(stretch.start) + commit.committedBefore
        let end = Self.seconds(stretch.start + stretch.samples.count)
        let settled = try await transcript(commit.committed, decode.language, from: Self.seconds(stretch.start), to: middle)
        updates.append(
            .partial(
                committed: settled,
                tail: try await transcript(Array(decode.tokens[commit.committed.count...]), decode.language, from: middle, to: max(middle, end))))
    }

    private func end(_ stretch: SegmentedRecording.Stretch, _ updates: inout [TranscriptUpdate]) async throws {
        if let hypothesis, hypothesis.start != stretch.start { forget() }
        // Mostly the pause was decoded ahead of time, just as far as it belongs to the stretch.
        let ready = hypothesis.flatMap { $0.length == stretch.samples.count ? $0.decode : nil }
        let decode = if let ready { ready } else { try await decoded(stretch, hasTimestamps: true) }
        let hasCommitted = commit.committed.isEmpty == false
        let seconds = Self.seconds(stretch.samples.count)
        if hasCommitted == false { _ = languageChoice.choose(decode.languages, seconds: seconds) }
        forget()
        let start = Self.seconds(stretch.start)
        // Each from whole samples, so that pieces which touch have one and the same number between them.
        let end = Self.seconds(stretch.start + stretch.samples.count)
        coverage.speechSeconds += end - start
        guard hasCommitted || isSpeech(decode) else {
            coverage.unrecognized.append(Coverage.Stretch(start: start, end: end))
            return
        }
        var final = Transcript(
            text: decode.text, start: start, end: end, tokens: decode.pieces, language: options.translatesToEnglish ? "en" : decode.language.language,
            languageProbability: decode.language.probability)
        final.measuredWords = try await words(decode, from: start)
        updates.append(.final(final))
    }

    /// The words between the times that the network wrote.
    private func words(_ decode: WhisperDecode, from start: Double) async throws -> [Transcript.Word]? {
        guard decode.parts.isEmpty == false else { return nil }
        var words: [Transcript.Word] = []
        for part in decode.parts {
            let text = try await model.text(of: Array(decode.tokens[part.tokens])).text
            let language = options.translatesToEnglish ? "en" : decode.language.language
            words += Transcript(text: text, start: start + part.start, end: start + part.end, language: language).estimatedWords(padding: 0)
        }
        return words
    }

    private func forget() {
        hypothesis = nil
        committedLanguage = nil
        commit.reset()
        shown = Shown()
    }

    private func decoded(_ stretch: SegmentedRecording.Stretch, hasTimestamps: Bool) async throws -> WhisperDecode {
        let begin = configuration.now()
        // Words that are settled settle the language too.
        let language = commit.committed.isEmpty ? languageChoice : committedLanguage.map { LanguageChoice(.fixed($0.language)) } ?? languageChoice
        let decode = try await model.decode(
            .init(
                samples: stretch.samples, language: language, translates: options.translatesToEnglish, committed: commit.committed,
                hasTimestamps: hasTimestamps))
        step.observe(cost: configuration.now() - begin)
        return decode
    }

    private func isSpeech(_ decode: WhisperDecode) -> Bool {
        guard decode.text.contains(where: { $0.isLetter || $0.isNumber }) else { return false }
        let isSilence = decode.noSpeechProbability > configuration.noSpeechProbability && decode.meanTextLogProbability < configuration.sureMeanLogProbability
        return isSilence == false && decode.meanTextLogProbability >= configuration.minimumMeanLogProbability
    }

    private func transcript(_ tokens: [HypothesisToken], _ language: LanguageChoice.Choice, from start: Double, to end: Double) async throws -> Transcript {
        let (text, pieces) = try await model.text(of: tokens)
        return Transcript(
            text: text, start: start, end: end, tokens: pieces, language: options.translatesToEnglish ? "en" : language.language,
            languageProbability: language.probability)
    }

    private static func seconds(_ samples: Int) -> Double { Double(samples) / Double(WhisperModel.sampleRate) }
}
