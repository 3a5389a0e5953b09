public import SottoSpeechEngines
internal import SottoAudio
internal import SottoStreams
internal import SottoText

/// Reads texts aloud: Markdown → spoken form → synthesizer → a sink, or a WAV file.
///
/// ```swift
/// let pipeline = SpeechPipeline(synthesizer: synthesizer)
/// let report = try await pipeline.write("## Answer\n\nIt is **42** [1].", to: "answer.wav")
/// ```
public struct SpeechPipeline: Sendable {
    private let synthesizer: any SpeechSynthesizer
    private let clock: any Clock<Duration>

    /// - Parameter clock: Measures the report's times.
    public init(synthesizer: any SpeechSynthesizer, clock: any Clock<Duration> = ContinuousClock()) {
        self.synthesizer = synthesizer
        self.clock = clock
    }

    /// Speaks a text into a sink, piece by piece; while the sink waits, the next piece is made.
    ///
    /// - Parameters:
    ///   - text: Markdown or plain text.
    ///   - voice: The engine's default when `nil`.
    ///   - speed: 1 is the voice's own pace; 0.5 to 2.
    /// - Throws: ``SynthesisError``, `.nothingToSay` for a text without words; what the sink throws; `CancellationError`.
    public func speak(
        _ text: String, voice: String? = nil, speed: Double = 1, into sink: (SpeechChunk) async throws -> Void
    ) async throws -> SpeechReport {
        try await Self.measure(with: clock) { elapsed in
            var report = SpeechReport()
            let request = SpeechRequest(text: SpokenForm.of(text), voice: voice, speed: speed)
            for try await chunk in synthesizer.synthesize(request) {
                if report.timeToFirstAudio == nil { report.timeToFirstAudio = elapsed() }
                report.chunks += 1
                report.seconds += chunk.audio.seconds
                try await sink(chunk)
            }
            report.elapsed = elapsed()
            return report
        }
    }

    /// Speaks a text into a WAV file (16-bit PCM), written while it is made.
    ///
    /// The file appears under its name only when it is whole; after an error or a cancel nothing is left behind, and a file that
    /// was there before is untouched.
    /// - Throws: As ``speak(_:voice:speed:into:)``; `AudioError`, `.notWritable` before anything is spoken.
    public func write(_ text: String, to path: String, voice: String? = nil, speed: Double = 1) async throws -> SpeechReport {
        var writer = try WAVWriter(path: path, sampleRate: synthesizer.sampleRate)
        let report = try await speak(text, voice: voice, speed: speed) { chunk in try writer.append(chunk.audio) }
        try writer.finish()
        return report
    }

    private static func measure<C: Clock>(
        with clock: C, _ body: (() -> Duration) async throws -> SpeechReport
    ) async rethrows -> SpeechReport where C.Duration == Duration {
        let start = clock.now
        return try await body { start.duration(to: clock.now) }
    }
}
