import SottoSpeechEngines

/// What one decode of a stretch gave.
struct WhisperDecode: Sendable {
    /// A part of the text between two times, in tokens.
    struct Part: Sendable, Equatable {
        var tokens: Range<Int>
        /// Seconds from the start of the stretch.
        var start: Double
        var end: Double
    }

    /// Text tokens, without times and end.
    var tokens: [HypothesisToken]
    /// Of the tokens, in order; empty when the decode had no times.
    var parts: [Part]
    /// Of the words and the end: times are sure even where the words are not. 0 without any.
    var meanTextLogProbability: Float
    /// The network's own opinion that nobody speaks.
    var noSpeechProbability: Float
    var language: LanguageChoice.Choice
    /// By language.
    var languages: [String: Float]
    var text: String
    /// The tokens as text.
    var pieces: [Transcript.Token]
    /// Whether the text was cut off because it went round in circles.
    var isCut: Bool
}
