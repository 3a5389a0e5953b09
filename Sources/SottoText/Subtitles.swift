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

    public enum Format: Sendable {
        /// SubRip: numbered cues, a comma before the milliseconds.
        case srt
        /// WebVTT (W3C): a header, a full stop before the milliseconds, `&`, `<` and `>` escaped.
        case vtt
    }

    /// Writes cues one after the other, as they become known. Cues never overlap, and never end before they begin.
    public struct Writer: Sendable {
        private let format: Format
        private var count = 0
        private var lastEnd = 0.0

        public init(_ format: Format) {
            self.format = format
        }

        /// What stands before the first cue.
        public var opening: String { format == .vtt ? "WEBVTT\n\n" : "" }

        /// The next cue with the empty line that separates it from the one before; `nil` for one without text.
        public mutating func next(_ cue: Cue) -> String? {
            let text = Subtitles.line(cue.text)
            guard text.isEmpty == false else { return nil }
            let start = max(cue.start, lastEnd)
            let end = max(cue.end, start)
            lastEnd = end
            count += 1
            let separator = count == 1 ? "" : "\n"
            switch format {
            case .srt: return "\(separator)\(count)\n\(Subtitles.time(start, ",")) --> \(Subtitles.time(end, ","))\n\(text)\n"
            case .vtt:
                let escaped = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
                    .replacingOccurrences(of: ">", with: "&gt;")
                return "\(separator)\(Subtitles.time(start, ".")) --> \(Subtitles.time(end, "."))\n\(escaped)\n"
            }
        }
    }

    /// All cues as SubRip.
    public static func srt(_ cues: [Cue]) -> String { text(cues, .srt) }

    /// All cues as WebVTT.
    public static func vtt(_ cues: [Cue]) -> String { text(cues, .vtt) }

    private static func text(_ cues: [Cue], _ format: Format) -> String {
        var writer = Writer(format)
        return writer.opening + cues.compactMap { writer.next($0) }.joined()
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmingCharacters(in: .whitespaces)
    }

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
