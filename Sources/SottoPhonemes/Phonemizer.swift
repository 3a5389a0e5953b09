internal import SottoSubprocess

/// Turns text into IPA phonemes with stress marks and the text's own punctuation, through espeak-ng in a child process.
///
/// ```swift
/// let phonemizer = Phonemizer()
/// try await phonemizer.phonemes(of: "Hello, world!")   // "həlˈoʊ, wˈɜːld!"
/// ```
/// The child stays alive between calls: espeak-ng reads one phrase a line and answers at once (about 1 ms, against 20 ms for a
/// start). espeak-ng is GPL-3.0-or-later, so it is only ever a program beside ours, never linked.
public actor Phonemizer {
    /// A phrase that no text holds, sent after each phrase; its phonemes end the answer.
    private static let sentinel = "qxzzqx vqvxq"
    /// espeak-ng reads lines into a buffer of 1000 bytes.
    private static let longestLine = 900
    private static let answerDeadline = Duration.seconds(20)

    private let voice: String
    /// IPA by word in lower case, where the user knows better.
    private let pronunciations: [String: String]
    /// Processes that wait for work; concurrent calls take one each, and a failed one is never put back.
    private var idle: [Speller] = []

    private struct Speller {
        var process: Coprocess
        /// The line that the sentinel gives, line end included.
        var ending: [UInt8]
    }

    /// - Parameters:
    ///   - voice: A voice of espeak-ng, such as `en-us`.
    ///   - pronunciations: Phonemes in IPA with stress marks by word in lower case; they go before what espeak-ng says.
    public init(voice: String = "en-us", pronunciations: [String: String] = [:]) {
        self.voice = voice
        self.pronunciations = pronunciations
    }

    /// The phonemes of a text, as phonemizer gives them with `preserve_punctuation=True, with_stress=True`.
    ///
    /// - Parameter text: Spoken form, any length; control characters count as spaces.
    /// - Returns: Words separated by spaces, punctuation in place. Empty for an empty text.
    /// - Throws: ``PhonemeError``; `CancellationError`, after which the next call starts a new child.
    public func phonemes(of text: String) async throws -> String {
        try await phonemes(of: [text])[0]
    }

    /// The phonemes of several texts in one exchange.
    public func phonemes(of texts: [String]) async throws -> [String] {
        let cut = texts.map { PunctuatedText(Respelling.apply(Self.cleaned($0), except: pronunciations)).replacing(pronunciations) }
        let phrases = cut.flatMap { text in
            text.parts.flatMap { part -> [String] in if case .spoken(let words) = part { Self.lines(of: words) } else { [] } }
        }
        let spelled = try await spell(phrases)
        var position = spelled.startIndex
        return cut.map { text in
            var result = ""
            for part in text.parts {
                switch part {
                case .mark(let mark): result += mark
                case .phonemes(let phonemes): result += phonemes
                case .spoken(let words):
                    let count = Self.lines(of: words).count
                    result += spelled[position..<(position + count)].joined(separator: " ")
                    position += count
                }
            }
            return result.split(separator: " ").joined(separator: " ")
        }
    }

    /// Ends the children that wait; the next call starts one again.
    public func unload() { idle = [] }

    private func spell(_ phrases: [String]) async throws -> [String] {
        guard phrases.isEmpty == false else { return [] }
        do {
            let speller = if let waiting = idle.popLast() { waiting } else { try await start() }
            var results: [String] = []
            // A pipe holds 64 KiB: long texts go in portions, so that neither side waits for the other.
            for start in stride(from: 0, to: phrases.count, by: 64) {
                let portion = phrases[start..<min(start + 64, phrases.count)]
                let request = portion.map { "\($0)\n\(Self.sentinel)\n" }.joined()
                let ending = speller.ending
                let answer = try await speller.process.exchange(Array(request.utf8), deadline: Self.answerDeadline) { bytes in
                    Self.occurrences(of: ending, in: bytes) >= portion.count
                }
                results += Self.cut(answer, at: ending).map(Self.joined)
            }
            if idle.count < 2 { idle.append(speller) }
            return results
        } catch let error as SubprocessError {
            if error.code == .notFound { throw PhonemeError(.programMissing, error.message, cause: error) }
            throw PhonemeError(.programFailed, "espeak-ng gave no phonemes: \(error.message)", cause: error)
        }
    }

    private func start() async throws -> Speller {
        let process = try Coprocess(.init("espeak-ng", ["-q", "--ipa", "-v", voice], package: "espeak-ng"))
        let ending = try await process.exchange(Array("\(Self.sentinel)\n".utf8), deadline: Self.answerDeadline) { $0.last == 0x0A }
        return Speller(process: process, ending: ending)
    }

    private static func cleaned(_ text: String) -> String {
        let text = String(String.UnicodeScalarView(text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: scalar == "’" ? "'" : scalar
            }
        }))
        return text.replacing(sentinel, with: "")
    }

    /// Phrases that fit espeak-ng's buffer, cut at spaces; a single longer word is cut where it must be.
    private static func lines(of phrase: String) -> [String] {
        guard phrase.utf8.count > longestLine else { return [phrase] }
        var lines: [String] = []
        var line = ""
        for word in phrase.split(separator: " ") {
            var rest = word
            while rest.utf8.count > longestLine {
                if line.isEmpty == false { lines.append(line) }
                line = ""
                let piece = rest.prefix(longestLine / 4)
                lines.append(String(piece))
                rest = rest.dropFirst(piece.count)
            }
            if line.utf8.count + 1 + rest.utf8.count > longestLine {
                lines.append(line)
                line = ""
            }
            if line.isEmpty == false { line += " " }
            line += rest
        }
        if line.isEmpty == false { lines.append(line) }
        return lines
    }

    /// The lines of one answer as one: clauses by a space, language switches such as "(fr)" removed.
    private static func joined(_ bytes: ArraySlice<UInt8>) -> String {
        var result = ""
        var isSwitch = false
        for character in String(decoding: bytes, as: UTF8.self) {
            switch character {
            case "(": isSwitch = true
            case ")": isSwitch = false
            case _ where isSwitch: break
            case "\n", " ": if result.last != " ", result.isEmpty == false { result += " " }
            case "_": break
            default: result.append(character)
            }
        }
        while result.last == " " { result.removeLast() }
        return result
    }

    private static func occurrences(of pattern: [UInt8], in bytes: [UInt8]) -> Int { cut(bytes, at: pattern).count }

    /// What stands before each occurrence of a line; what follows the last is dropped.
    private static func cut(_ bytes: [UInt8], at line: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        var lineStart = 0
        while let end = bytes[lineStart...].firstIndex(of: 0x0A) {
            if bytes[lineStart...end] == line[...] {
                pieces.append(bytes[start..<lineStart])
                start = end + 1
            }
            lineStart = end + 1
        }
        return pieces
    }
}
