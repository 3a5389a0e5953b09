import Foundation
import SottoSpeechEngines
import SottoText

/// How a transcript is printed.
enum TranscriptFormat: String, CaseIterable {
    case text, json, srt, vtt

    private struct Report: Encodable {
        var schemaVersion = 1
        var file: String
        var text: String
        var segments: [Transcript]
    }

    /// - Returns: `nil` when there is nothing to print: text of a recording without speech.
    func render(_ finals: [Transcript], file: String) throws -> String? {
        let cues = finals.map { Subtitles.Cue(start: $0.start, end: $0.end, text: $0.text) }
        switch self {
        case .text: return finals.isEmpty ? nil : finals.map(\.text).joined(separator: "\n")
        case .srt: return Subtitles.srt(cues)
        case .vtt: return Subtitles.vtt(cues)
        case .json:
            let report = Report(file: file, text: finals.map(\.text).joined(separator: " "), segments: finals)
            return try jsonText(report)
        }
    }
}
