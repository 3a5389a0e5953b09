import SottoSherpaProtocol
import SottoSpeechEngines

/// Words with the times that the model gave to their tokens.
enum TokenTimes {
    /// Seconds that the last token of a word is taken to last, when nothing follows sooner.
    private static let lastToken = 0.24

    /// The words of an update; `nil` where the model gives no times or its tokens do not make the text.
    static func words(of update: SherpaUpdate) -> [Transcript.Word]? {
        guard update.tokens.isEmpty == false, update.times.count == update.tokens.count else { return nil }
        var words: [Transcript.Word] = []
        for (index, token) in update.tokens.enumerated() {
            let text = token.replacing("▁", with: " ")
            let end = min(index + 1 < update.times.count ? update.times[index + 1] : update.end, update.times[index] + lastToken)
            if words.isEmpty || text.first == " " {
                words.append(Transcript.Word(text: "", start: update.times[index], end: end))
            }
            words[words.count - 1].text += text.filter { $0 != " " }
            words[words.count - 1].end = max(words[words.count - 1].start, end)
        }
        words.removeAll { $0.text.isEmpty }
        guard words.map(\.text).joined(separator: " ") == update.text else { return nil }
        return words
    }

    /// The tokens as transcripts carry them; none where the model gives no probabilities.
    static func tokens(of update: SherpaUpdate) -> [Transcript.Token] {
        guard update.logProbabilities.count == update.tokens.count else { return [] }
        return zip(update.tokens, update.logProbabilities).map { token, logarithm in
            Transcript.Token(text: token.replacing("▁", with: " "), probability: max(1e-9, exponential(min(0, logarithm))))
        }
    }
}
