import Foundation
import SottoAudio
import SottoMediaFiles
import SottoObservability
import SottoPlayback
import SottoSpeechEngines
import SottoStreams
import SottoVoices

/// Where speech goes: into a file, to the sound server, or both.
struct SpeechOutput: Sendable {
    /// As the user named it, and where it is.
    var file: (name: String, path: String, format: MediaEncoder.Format)?
    var isPlayed: Bool
    /// What the file says of itself.
    var comment: String?

    static let options: [String: ArgumentSpec.Kind] = [
        "output": .value("a file to write"), "voice": .value("a voice's name"), "speed": .value("a factor"), "play": .flag,
    ]

    /// - Throws: ``UsageError`` and ``CommandError``, before anything is made.
    init(_ arguments: Arguments, _ context: Context, usage: String) throws {
        isPlayed = arguments.has("play")
        if let name = arguments.value("output") {
            guard let format = MediaEncoder.Format(fileName: name) else {
                throw UsageError("--output takes a file that ends in \(MediaEncoder.Format.endings), not \"\(name)\"", usage: usage)
            }
            file = (name, try context.outputFile(name), format)
        }
        if try context.enrolledVoice(arguments.value("voice")) != nil { comment = SyntheticSpeechMark.comment }
        guard isPlayed || file != nil else { throw UsageError("--output FILE or --play is needed", usage: usage) }
    }

    static func speed(_ arguments: Arguments, usage: String) throws -> Double? {
        try arguments.value("speed").map { word in
            guard let value = Double(word), (0.5...2).contains(value) else {
                throw UsageError("--speed is a number from 0.5 to 2, not \"\(word)\"", usage: usage)
            }
            return value
        }
    }

    /// Delivers speech; a file appears only when it is whole.
    func deliver(_ speech: SpeechChunks, from pipeline: SpeechPipeline, context: Context) async throws -> SpeechReport {
        guard let file else { return try await play(speech, pipeline, context) { _ in } }
        if file.format == .wav { return try await write(speech, to: file.path, pipeline, context) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-speech-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let wav = folder.appendingPathComponent("speech.wav").path
        let report = try await write(speech, to: wav, pipeline, context)
        try await MediaEncoder().encode(wav, as: file.format, to: file.path, comment: comment)
        return report
    }

    private func write(_ speech: SpeechChunks, to path: String, _ pipeline: SpeechPipeline, _ context: Context) async throws -> SpeechReport {
        let recording = Recording(writer: try WAVWriter(path: path, sampleRate: pipeline.sampleRate, comment: comment))
        let report: SpeechReport
        if isPlayed {
            report = try await play(speech, pipeline, context) { try await recording.append($0.audio) }
        } else {
            report = try await pipeline.deliver(speech) { try await recording.append($0.audio) }
        }
        try await recording.finish()
        return report
    }

    private func play(
        _ speech: SpeechChunks, _ pipeline: SpeechPipeline, _ context: Context, _ each: @escaping @Sendable (SpeechChunk) async throws -> Void
    ) async throws -> SpeechReport {
        let player = SpeechPlayer(sampleRate: pipeline.sampleRate)
        let tally = Tally()
        let passed = SpeechChunks { emit in
            let report = try await pipeline.deliver(speech) { chunk in
                try await each(chunk)
                try await emit(chunk)
            }
            await tally.set(report)
        }
        let console = context.console
        try await player.play(passed) { _, text in console.show(SottoObservability.Progress(phase: "Speaking", item: text)) }
        return await tally.report
    }

    private actor Tally {
        var report = SpeechReport()
        func set(_ report: SpeechReport) { self.report = report }
    }

    private actor Recording {
        private var writer: WAVWriter?

        init(writer: consuming WAVWriter) { self.writer = consume writer }

        func append(_ audio: AudioBuffer) throws { try writer?.append(audio) }

        func finish() throws {
            guard let writer = writer.take() else { return }
            try writer.finish()
        }
    }
}

extension SpeechReport {
    /// What it came to, for people.
    var line: String {
        func seconds(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(1))) + " s" }
        let first = timeToFirstAudio.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 } ?? 0
        return
            "\(seconds(self.seconds)) of speech, the first after \(seconds(first)), \(realTimeFactor.formatted(.number.precision(.fractionLength(2)))) × real time"
    }
}

extension Context {
    /// Reads a text aloud into a WAV file.
    ///
    /// - Returns: What it came to, for people.
    func speak(_ text: String, to path: String, voice: String?, speed: Double?) async throws -> String {
        console.show(SottoObservability.Progress(phase: "Speaking"))
        let comment = try enrolledVoice(voice).map { _ in SyntheticSpeechMark.comment }
        return try await engines.voice().write(text, to: path, voice: voice, speed: speed ?? settings.speed, comment: comment).line
    }

    /// - Throws: ``CommandError`` for a text in a language that no voice speaks: it would come out mangled.
    func requireSpeakable(_ text: String) throws {
        guard let language = engines.detectLanguage(text), language != "en" else { return }
        let name = Locale(identifier: "en_US").localizedString(forLanguageCode: language) ?? language
        throw CommandError("this text is in \(name), and there is only a voice for English; sotto page shows it")
    }
}
