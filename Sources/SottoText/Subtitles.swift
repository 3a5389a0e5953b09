import Foundation

/// Timed lines as SubRip or WebVTT.
public enum Subtitles {
    public struct Cue: Sendable, Equatable {
        /// Seconds from the start.
        public var start: Double
        /// Seconds from the start, not before ``start``.
        public var end: Double
        public var text: String

        public init(start: Double, end: Double, text: String) {
            self.start = start
            self.end = end
            self.text = text
        }
    }

    /// SubRip: numbered cues, a comma before the milliseconds.
    public static func srt(_ cues: [Cue]) -> String {
        separated(cues).enumerated().map { index, cue in
            "\(index + 1)\n\(time(cue.start, ",")) --> \(time(cue.end, ","))\n\(line(cue.text))\n"
        }.joined(separator: "\n")
    }

    /// WebVTT (W3C): a header, a full stop before the milliseconds, `&`, `<` and `>` escaped.
    public static func vtt(_ cues: [Cue]) -> String {
        "WEBVTT\n\n"
            + separated(cues).map { cue in
                let text = line(cue.text).replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
                    .replacingOccurrences(of: ">", with: "&gt;")
                return "\(time(cue.start, ".")) --> \(time(cue.end, "."))\n\(text)\n"
            }.joined(separator: "\n")
    }

    /// Cues never overlap, and never end before they begin.
    private static func separated(_ cues: [Cue]) -> [Cue] {
        var result: [Cue] = []
        for var cue in cues where line(cue.text).isEmpty == false {
            if let last = result.last { cue.start = max(cue.start, last.end) }
            cue.end = max(cue.end, cue.start)
            result.append(cue)
        }
        return result
    }

    private static func line(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmingCharacters(in: .whitespaces) }

    private static func time(_ seconds: Double, _ mark: String) -> String {
        let milliseconds = Int((max(0, seconds) * 1000).rounded())
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return
            "\(padded(milliseconds / 3_600_000, 2)):\(padded(milliseconds / 60_000 % 60, 2)):\(padded(milliseconds / 1000 % 60, 2))\(mark)\(padded(milliseconds % 1000, 3))"
    }
}
