import SottoAudio
public import SottoComputeBudget
public import SottoSpeechEngines
public import SottoStreams

/// English speech recognition by the Moonshine network.
///
/// ```swift
/// let recognizer = try MoonshineRecognizer(modelFolder: folder, voiceActivity: silero, budget: budget)
/// for try await case .final(let transcript) in recognizer.transcribe(AudioStream(recording)) { print(transcript.text) }
/// ```
/// Voice activity decides what is speech; each stretch of it becomes one final with its place in the recording. Memory does not
/// grow with the recording. It gives no partials: the network reads a whole stretch at once.
public struct MoonshineRecognizer: SpeechRecognizer {
    public struct Configuration: Sendable {
        /// Threads to wish for. More than the budget grants are never used.
        public var threads: Int
        public var segmenter: SpeechSegmenter.Configuration
        /// A stretch whose mean log-probability a token is lower is not speech that was understood, and gives no text.
        public var minimumMeanLogProbability: Float

        public init(
            threads: Int = 2, segmenter: SpeechSegmenter.Configuration = .init(), minimumMeanLogProbability: Float = -1.2
        ) {
            self.threads = threads
            self.segmenter = segmenter
            self.minimumMeanLogProbability = minimumMeanLogProbability
        }
    }

    public let sampleRate = MoonshineModel.sampleRate
    private let model: MoonshineModel
    private let voiceActivity: any VoiceActivityDetector
    private let configuration: Configuration

    /// Reads nothing yet: the networks are loaded by the first recording, or by ``prepare()``.
    ///
    /// - Parameters:
    ///   - modelFolder: Holds `encoder_model.ort`, `decoder_model_merged.ort` and `tokenizer.bin`.
    ///   - voiceActivity: For audio at 16 kHz.
    /// - Throws: ``RecognitionError`` `.unsupportedSampleRate` when the detector needs another rate.
    public init(
        modelFolder: String, voiceActivity: any VoiceActivityDetector, budget: ComputeBudget, configuration: Configuration = .init()
    ) throws(RecognitionError) {
        guard voiceActivity.sampleRate == MoonshineModel.sampleRate else {
            throw RecognitionError(.unsupportedSampleRate, "Moonshine needs voice activity at 16000 Hz, not \(voiceActivity.sampleRate)")
        }
        model = MoonshineModel(folder: modelFolder, budget: budget, threads: max(1, configuration.threads))
        self.voiceActivity = voiceActivity
        self.configuration = configuration
    }

    /// Loads the networks, if they are not loaded, so that the first recording need not wait; takes some tenths of a second.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`, which says what to do.
    public func prepare() async throws {
        try await model.load()
    }

    /// Frees the networks, some 60 to 110 MB; the next recording loads them again. A recording that is being recognized goes on
    /// and loads them at once, so call this when none is.
    public func unload() async {
        await model.unload()
    }

    public func transcribe(_ audio: AudioStream) -> TranscriptUpdates {
        TranscriptUpdates { [self] emit in
            // First, so that a broken model is an error for a silent recording too.
            try await model.load()
            let session = try await voiceActivity.makeSession()
            var recording = SegmentedRecording(frameLength: voiceActivity.frameLength, segmenter: configuration.segmenter)
            for try await buffer in audio {
                guard buffer.sampleRate == sampleRate else {
                    throw RecognitionError(
                        .unsupportedSampleRate, "Moonshine needs \(sampleRate) Hz, not \(buffer.sampleRate); resample the audio first")
                }
                // A second at a time, so that a whole recording in one buffer is not held twice.
                var position = 0
                while position < buffer.samples.count {
                    let part = Array(buffer.samples[position..<min(position + sampleRate, buffer.samples.count)])
                    position += part.count
                    for stretch in recording.append(part, probabilities: try await session.accept(part)) {
                        try await recognize(stretch, emit)
                    }
                }
            }
            // The detector's last frame is filled up with silence.
            let missing = recording.missingSamples
            if missing > 0 {
                let padding = [Float](repeating: 0, count: missing)
                for stretch in recording.append(padding, probabilities: try await session.accept(padding)) {
                    try await recognize(stretch, emit)
                }
            }
            if let stretch = recording.finish() { try await recognize(stretch, emit) }
        }
    }

    private func recognize(
        _ stretch: SegmentedRecording.Stretch, _ emit: @Sendable (TranscriptUpdate) async throws -> Void
    ) async throws {
        let decode = try await model.decode(stretch.samples)
        guard decode.text.contains(where: { $0.isLetter || $0.isNumber }),
            decode.meanLogProbability >= configuration.minimumMeanLogProbability
        else { return }
        // Each from whole samples, so that pieces which touch have one and the same number between them.
        let start = Double(stretch.start) / Double(sampleRate)
        let end = Double(stretch.start + stretch.samples.count) / Double(sampleRate)
        try await emit(
            .final(
                Transcript(
                    text: decode.text, start: start, end: end, tokens: decode.tokens)))
    }
}
