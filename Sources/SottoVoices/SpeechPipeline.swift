public import SottoSpeechEngines
internal import SottoAudio
public import SottoStreams
public import SottoText

/// Reads texts aloud: Markdown → spoken form → synthesizer → a sink, or a WAV file.
///
/// ```swift
/// let pipeline = SpeechPipeline(synthesizer: synthesizer)
/// let report = try await pipeline.write("## Answer\n\nIt is **42** [1].", to: "answer.wav")
/// ```
public struct SpeechPipeline: Sendable {
    private let synthesizer: any SpeechSynthesizer
    private let pronunciations: Pronunciations
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - pronunciations: How the user wants words to be said.
    ///   - clock: Measures the report's times.
    public init(
        synthesizer: any SpeechSynthesizer, pronunciations: Pronunciations = Pronunciations(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.synthesizer = synthesizer
        self.pronunciations = pronunciations
        self.clock = clock
    }

    /// The rate of what is made, in hertz.
    public var sampleRate: Int { synthesizer.sampleRate }

    /// The speech of a text, whole or while it comes.
    ///
    /// - Parameters:
    ///   - pieces: Markdown or plain text in pieces of any size, as a model or a pipe gives them.
    ///   - voice: The engine's default when `nil`.
    ///   - speed: 1 is the voice's own pace; 0.5 to 2.
    ///   - isAwaited: Whether somebody waits for the first sound; not so for a file.
    /// - Throws: While iterating: ``SynthesisError``, `.nothingToSay` for a text without words; what the pieces throw; `CancellationError`.
    public func speech(of pieces: ProducedSequence<String>, voice: String? = nil, speed: Double = 1, isAwaited: Bool = true) -> SpeechChunks {
        let pronunciations = pronunciations
        let parts = ProducedSequence<SpeechPart> { emit in
            var stream = SpokenStream(pronunciations: pronunciations)
            for try await piece in pieces {
                for part in stream.append(piece) { try await emit(SpeechPart(part)) }
            }
            for part in stream.finish() { try await emit(SpeechPart(part)) }
        }
        return synthesizer.synthesize(SpeechScript(parts: parts, voice: voice, speed: speed, isAwaited: isAwaited))
    }

    /// Speaks what was made ready for speech, as by ``SpokenStream``.
    public func speech(of parts: [SpeechPart], voice: String? = nil, speed: Double = 1) -> SpeechChunks {
        synthesizer.synthesize(SpeechScript(parts, voice: voice, speed: speed))
    }

    /// The speech of a whole text.
    public func speech(of text: String, voice: String? = nil, speed: Double = 1, isAwaited: Bool = true) -> SpeechChunks {
        speech(of: ProducedSequence { emit in try await emit(text) }, voice: voice, speed: speed, isAwaited: isAwaited)
    }

    /// Speaks a text into a sink, piece by piece; while the sink waits, the next piece is made.
    ///
    /// - Throws: As ``speech(of:voice:speed:isAwaited:)-(String,_,_,_)``, and what the sink throws.
    public func speak(
        _ text: String, voice: String? = nil, speed: Double = 1, into sink: (SpeechChunk) async throws -> Void
    ) async throws -> SpeechReport {
        try await deliver(speech(of: text, voice: voice, speed: speed), into: sink)
    }

    /// Speaks a text into a WAV file (16-bit PCM), written while it is made.
    ///
    /// The file appears under its name only when it is whole; after an error or a cancel nothing is left behind, and a file that
    /// was there before is untouched.
    /// - Throws: As ``speak(_:voice:speed:into:)``; `AudioError`, `.notWritable` before anything is spoken.
    public func write(_ text: String, to path: String, voice: String? = nil, speed: Double = 1, comment: String? = nil) async throws -> SpeechReport {
        try await write(ProducedSequence { emit in try await emit(text) }, to: path, voice: voice, speed: speed, comment: comment)
    }

    /// Speaks a text that is still coming into a WAV file.
    ///
    /// - Parameter comment: What the file says of itself.
    public func write(
        _ pieces: ProducedSequence<String>, to path: String, voice: String? = nil, speed: Double = 1, comment: String? = nil
    ) async throws -> SpeechReport {
        var writer = try WAVWriter(path: path, sampleRate: synthesizer.sampleRate, comment: comment)
        let report = try await deliver(speech(of: pieces, voice: voice, speed: speed, isAwaited: false)) { chunk in try writer.append(chunk.audio) }
        try writer.finish()
        return report
    }

    /// Hands speech over piece by piece, and measures.
    public func deliver(_ speech: SpeechChunks, into sink: (SpeechChunk) async throws -> Void) async throws -> SpeechReport {
        try await Self.measure(with: clock) { elapsed in
            var report = SpeechReport()
            for try await chunk in speech {
                if report.timeToFirstAudio == nil { report.timeToFirstAudio = elapsed() }
                report.chunks += 1
                report.seconds += chunk.audio.seconds
                try await sink(chunk)
            }
            report.elapsed = elapsed()
            return report
        }
    }

    private static func measure<C: Clock>(
        with clock: C, _ body: (() -> Duration) async throws -> SpeechReport
    ) async rethrows -> SpeechReport where C.Duration == Duration {
        let start = clock.now
        return try await body { start.duration(to: clock.now) }
    }
}

extension SpeechPart {
    /// What a text's spoken form gives, for an engine.
    public init(_ part: SpokenPart) {
        switch part {
        case .sentence(let sentence): self = .sentence(written: sentence.written, spoken: sentence.spoken)
        case .itemEnd: self = .itemEnd
        case .paragraphEnd: self = .paragraphEnd
        }
    }
}
