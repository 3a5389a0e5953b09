import Foundation
import SottoMediaFiles
import SottoObservability
import SottoSpeechEngines
import SottoText
import SottoVoices

extension Command {
    private static let voicesSpec = ArgumentSpec(
        """
        usage: sotto voices list [--json]
               sotto voices check FILE [--text "WORDS"] [--json]

          list           the voices, and the languages that each was made for
          check          whether a recording would do as a sample of a voice: length, level, noise, clipping
          --text "…"     the words that were read; our recognizer should hear them
        """,
        ["text": .value("the words that were read"), "json": .flag])

    static let voices = Command(
        name: "voices", summary: "voices, and recordings of voices", spec: voicesSpec,
        run: { arguments, context in
            switch arguments.positional.first {
            case "list" where arguments.positional.count == 1:
                let voices = try await context.engines.synthesizer().voices
                guard arguments.has("json") == false else { return try context.printJSON(VoiceList(voices: voices)) }
                context.console.result(voices.map { "\($0.name)\t\($0.languages.joined(separator: ","))\t\($0.note)" }.joined(separator: "\n"))
            case "check" where arguments.positional.count == 2:
                try await check(arguments.positional[1], arguments, context)
            default: throw UsageError("list or check FILE is needed", usage: voicesSpec.usage)
            }
        })

    private static func check(_ file: String, _ arguments: Arguments, _ context: Context) async throws {
        let path = try context.existing(file)
        context.console.show(Progress(phase: "Listening", item: file))
        let audio = try await MediaDecoder(sampleRate: 16_000, limits: .init(seconds: 600)).read(path)
        var report = SampleReport(quality: SampleQuality(audio))
        if let words = arguments.value("text") {
            report.heard = try await context.hear(file).map(\.text).joined(separator: " ")
            report.wordErrorRate = WordErrorRate(
                reference: TranscriptNormalizer.words(words), hypothesis: TranscriptNormalizer.words(report.heard ?? "")).rate
        }
        if arguments.has("json") {
            try context.printJSON(report)
        } else {
            context.console.result(report.lines.joined(separator: "\n"))
        }
        guard report.isGood else { throw CommandError("\(file) would not do as a sample; record it again") }
    }
}

private struct VoiceList: Encodable {
    var schemaVersion = 1
    var voices: [SynthesisVoice]
}

private struct SampleReport: Encodable {
    /// More words wrong than this, and another text was read, or it is not understood.
    static let mostWrong = 0.25

    var schemaVersion = 1
    var quality: SampleQuality
    var heard: String?
    var wordErrorRate: Double?

    var isGood: Bool { quality.faults.isEmpty && (wordErrorRate ?? 0) <= Self.mostWrong }

    var lines: [String] {
        func number(_ value: Double, _ digits: Int = 1) -> String { value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US"))) }
        var lines = [
            "speech    \(number(quality.speechSeconds)) of \(number(quality.seconds)) s", "level     \(number(quality.level)) dB",
            "noise     \(number(quality.distance)) dB below speech", "clipping  \(number(quality.clipped * 100, 2)) % of samples",
        ]
        if let heard, let rate = wordErrorRate {
            lines.append("heard     \(heard)")
            lines.append("words     \(number(min(rate, 1) * 100, 0)) % wrong")
            if rate > Self.mostWrong { lines.append("! the words are not those that were to be read; read them once more, clearly") }
        }
        return lines + quality.faults.map { "! " + $0.message }
    }

    private enum CodingKeys: String, CodingKey { case schemaVersion, quality, faults, heard, wordErrorRate, isGood }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(quality, forKey: .quality)
        try container.encode(quality.faults, forKey: .faults)
        try container.encodeIfPresent(heard, forKey: .heard)
        try container.encodeIfPresent(wordErrorRate.flatMap { $0.isFinite ? $0 : nil }, forKey: .wordErrorRate)
        try container.encode(isGood, forKey: .isGood)
    }
}
