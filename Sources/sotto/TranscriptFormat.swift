import Foundation
import SottoSpeechEngines
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
            /// Estimated, see ``Transcript/estimatedWords``.
            var words: [Transcript.Word]
        }

        var schemaVersion = 1
        var file: String
        /// Whether the recording was heard to its end.
        var complete: Bool
        var text: String
        var wordTimes = "estimated"
        var segments: [Segment]
    }

    /// Letters of a subtitle: two lines of 42, as broadcasters' guides have it.
    private static let cueLetters = 84
    /// Seconds of a subtitle.
    private static let cueSeconds = 6.0

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
            segments.append(.init(text: segment.text, start: segment.start, end: segment.end, tokens: segment.tokens, words: segment.estimatedWords))
            return nil
        case .srt, .vtt:
            var text = opening()
            for cue in Self.cues(of: segment) { text += subtitles?.next(cue) ?? "" }
            return text
        }
    }

    /// - Parameter complete: Whether the recording was heard to its end.
    /// - Returns: What is left to print.
    mutating func end(complete: Bool) throws -> String? {
        switch format {
        case .text: return nil
        case .json: return try jsonText(Report(file: file, complete: complete, text: segments.map(\.text).joined(separator: " "), segments: segments))
        case .srt, .vtt:
            let text = opening()
            return text.isEmpty ? nil : text
        }
    }

    private mutating func opening() -> String {
        defer { hasBegun = true }
        return hasBegun ? "" : subtitles?.opening ?? ""
    }

    /// A segment in pieces that can be read while they are shown: broken behind a sentence or a clause where there is one.
    static func cues(of segment: Transcript) -> [Subtitles.Cue] {
        let words = segment.estimatedWords
        var cues: [Subtitles.Cue] = []
        var from = 0
        while from < words.count {
            var most = from
            var letters = words[from].text.count
            while most + 1 < words.count, letters + 1 + words[most + 1].text.count <= cueLetters, words[most + 1].end - words[from].start <= cueSeconds {
                most += 1
                letters += 1 + words[most].text.count
            }
            var to = most
            if most + 1 < words.count {
                // Not so early that the piece is a scrap.
                let range = (from + (most - from) / 2)...most
                to = range.last { ".?!".contains(words[$0].text.last ?? " ") } ?? range.last { ",;:".contains(words[$0].text.last ?? " ") } ?? most
            }
            cues.append(
                .init(
                    start: from == 0 ? segment.start : words[from].start, end: to == words.count - 1 ? segment.end : words[to].end,
                    text: words[from...to].map(\.text).joined(separator: " ")))
            from = to + 1
        }
        return cues
    }
}
