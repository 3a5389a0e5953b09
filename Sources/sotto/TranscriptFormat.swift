import Foundation
import SottoSpeechEngines
import SottoSpeechService
import SottoText

/// How a transcript is printed.
enum TranscriptFormat: String, CaseIterable {
    case text, json, srt, vtt
}

/// Turns the segments of one recording into what is printed, as they become known.
struct TranscriptWriter {
    /// The `json` report.
    struct Report: Encodable {
        struct Segment: Encodable {
            var text: String
            var start: Double
            var end: Double
            var tokens: [Transcript.Token]
            var words: [Transcript.Word]
            /// How the words' times were found, see ``Transcript/words``.
            var wordTimes: String
            var language: String?
            var languageProbability: Float?
        }

        var schemaVersion = 1
        var file: String
        /// Whether the recording was heard to its end.
        var complete: Bool
        var text: String
        /// Of all segments: `estimated`, `measured`, or `mixed`.
        var wordTimes: String
        /// The language of most of the speech; absent where the recognizer knows a single one.
        var language: String?
        var segments: [Segment]
    }

    private let format: TranscriptFormat
    private let file: String
    private var subtitles: Subtitles.Writer?
    private var segments: [Report.Segment] = []
    private var hasBegun = false

    init(_ format: TranscriptFormat, file: String) {
        self.format = format
        self.file = file
        subtitles = format == .srt ? Subtitles.Writer(.srt) : format == .vtt ? Subtitles.Writer(.vtt) : nil
    }

    /// - Returns: What to print now, if anything.
    mutating func add(_ segment: Transcript) -> String? {
        switch format {
        case .text: return segment.text
        case .json:
            segments.append(
                .init(
                    text: segment.text, start: segment.start, end: segment.end, tokens: segment.tokens, words: segment.words,
                    wordTimes: segment.measuredWords == nil ? "estimated" : "measured", language: segment.language,
                    languageProbability: segment.languageProbability))
            return nil
        case .srt, .vtt:
            var text = opening()
            for cue in segment.cues { text += subtitles?.next(cue) ?? "" }
            return text
        }
    }

    /// - Parameter complete: Whether the recording was heard to its end.
    /// - Returns: What is left to print.
    mutating func end(complete: Bool) throws -> String? {
        switch format {
        case .text: return nil
        case .json:
            let kinds = Set(segments.map(\.wordTimes))
            var spoken: [String: Double] = [:]
            for segment in segments { if let language = segment.language { spoken[language, default: 0] += segment.end - segment.start } }
            return try jsonText(
                Report(
                    file: file, complete: complete, text: segments.map(\.text).joined(separator: " "),
                    wordTimes: kinds.count > 1 ? "mixed" : kinds.first ?? "estimated",
                    language: spoken.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key, segments: segments))
        case .srt, .vtt:
            let text = opening()
            return text.isEmpty ? nil : text
        }
    }

    private mutating func opening() -> String {
        defer { hasBegun = true }
        return hasBegun ? "" : subtitles?.opening ?? ""
    }
}
