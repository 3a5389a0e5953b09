import Foundation
import SottoSpeechEngines

/// Which token may come next. Source: openai/whisper `decoding.py`: `SuppressBlank`, `SuppressTokens`, `ApplyTimestampRules`.
///
/// Pure: the network's values in, the choice out.
struct WhisperRules: Sendable {
    private let control: WhisperVocabulary.Control
    private let count: Int
    private let suppressed: [Int]
    private let blank: Int?
    /// Whether the text is divided by times.
    let hasTimestamps: Bool
    /// The last time of the audio.
    private let lastTimestamp: Int
    /// The latest first time, in steps of 0.02 s: one second.
    private static let latestStart = 50
    /// What is shorter than this at the end of the audio holds no word, in steps of 0.02 s.
    private static let shortestWord = 10

    /// - Parameter seconds: Length of the audio. Nothing is said after its end; a network that hears little silence behind it likes to say all again.
    init(_ vocabulary: WhisperVocabulary, hasTimestamps: Bool, seconds: Double = 30) {
        lastTimestamp = min(vocabulary.count - 1, vocabulary.control.firstTimestamp + Int((seconds / WhisperVocabulary.timestampStep).rounded(.up)))
        control = vocabulary.control
        count = vocabulary.count
        blank = vocabulary.blank
        self.hasTimestamps = hasTimestamps
        // All control tokens but the end and the times.
        suppressed = vocabulary.nonSpeech + Array((control.end + 1)..<control.firstTimestamp)
    }

    /// Chooses the likeliest token that may follow.
    ///
    /// - Parameters:
    ///   - logits: Of the whole vocabulary; what may not come is set to −∞.
    ///   - written: What was chosen before, times included.
    ///   - isContinued: Whether text stands before `written` already.
    func choose(_ logits: inout [Float], after written: [Int], isContinued: Bool = false) -> TokenChoice {
        precondition(logits.count == count, "a value for every token")
        for token in suppressed { logits[token] = -.infinity }
        if written.isEmpty, isContinued == false {
            logits[control.end] = -.infinity
            if let blank { logits[blank] = -.infinity }
        }
        guard hasTimestamps else {
            forbid(&logits, control.firstTimestamp..<count)
            return TokenChoice(logits: logits.span)
        }
        if let last = written.last, last >= control.firstTimestamp {
            let isPair = written.count < 2 || written[written.count - 2] >= control.firstTimestamp
            forbid(&logits, isPair ? control.firstTimestamp..<count : 0..<control.end)
            if isPair == false, last >= lastTimestamp - Self.shortestWord { return TokenChoice(token: control.end, probability: 1) }
        }
        if let time = written.last(where: { $0 >= control.firstTimestamp }) {
            // The second of a pair may be the same, any other must be later, so that time never stands still.
            let isSecond = written.last == time && (written.count >= 2 && written[written.count - 2] < control.firstTimestamp)
            forbid(&logits, control.firstTimestamp..<min(count, isSecond ? time : time + 1))
        }
        // A text that runs into the end of the audio may have to be closed there, whatever came before.
        forbid(&logits, min(count, max(lastTimestamp, written.last { $0 >= control.firstTimestamp } ?? 0) + 1)..<count)
        if written.isEmpty {
            forbid(&logits, 0..<control.firstTimestamp)
            forbid(&logits, min(count, control.firstTimestamp + Self.latestStart + 1)..<count)
        }
        // Times together likelier than any text: a time.
        let highest = logits.max() ?? 0
        var times: Float = 0
        for token in control.firstTimestamp..<count where logits[token] > -.infinity { times += exp(logits[token] - highest) }
        var text: Float = 0
        for token in 0..<control.firstTimestamp where logits[token] > -.infinity { text = max(text, exp(logits[token] - highest)) }
        if times > text { forbid(&logits, 0..<control.firstTimestamp) }
        return TokenChoice(logits: logits.span)
    }

    private func forbid(_ logits: inout [Float], _ tokens: Range<Int>) {
        for token in tokens { logits[token] = -.infinity }
    }
}
