import SottoSpeechEngines
import Testing

@testable import SottoWhisperRecognizer

/// A vocabulary of ten text tokens: 0 " a", 1 " b", 2 " ", 3 "[", 4 " (", 5 "c", 6 " -", 7 "♪", 8 and 9 the halves of "é".
let smallVocabulary = WhisperVocabulary(
    control: .init(
        end: 10, start: 11, translate: 14, transcribe: 15, noSpeech: 17, noTimestamps: 18, firstTimestamp: 19, languages: ["de": 12, "en": 13]),
    texts: [" a", " b", " ", "[", " (", "c", " -", "♪"].map { Array($0.utf8) } + [[0xC3], [0xA9]], count: 219)

@Suite struct WhisperRulesTests {
    private static let time = 19

    private func choose(_ values: [Int: Float], after written: [Int], timestamps: Bool = true, seconds: Double = 4, continued: Bool = false) -> TokenChoice {
        var logits = [Float](repeating: -5, count: smallVocabulary.count)
        for (token, value) in values { logits[token] = value }
        return WhisperRules(smallVocabulary, hasTimestamps: timestamps, seconds: seconds).choose(&logits, after: written, isContinued: continued)
    }

    @Test("a text with times begins with a time of the first second")
    func beginning() {
        #expect(choose([0: 9, 10: 8, 40: 3], after: []).token == 40)
        // 0.02 s a step: 50 steps at most.
        #expect(choose([0: 9, 100: 8, 60: 1], after: []).token == 60)
    }

    @Test("without times there are none, and an empty text is not the first choice")
    func withoutTimes() {
        #expect(choose([30: 9, 0: 1], after: [], timestamps: false).token == 0)
        #expect(choose([10: 9, 2: 8, 0: 1], after: [], timestamps: false).token == 0)
        #expect(choose([10: 9, 0: 1], after: [], timestamps: false, continued: true).token == 10)
        #expect(choose([10: 9, 0: 1], after: [0], timestamps: false).token == 10)
    }

    @Test("brackets, notes and control tokens are never written")
    func suppressed() {
        let first = Self.time
        for token in [3, 4, 6, 7, 11, 12, 14, 15, 17, 18] { #expect(choose([token: 9, 0: 1], after: [first]).token == 0, "\(token)") }
    }

    @Test("times come in pairs, and only the end may follow a single one after text")
    func pairs() {
        let first = Self.time
        // After the opening time: text.
        #expect(choose([first + 5: 9, 0: 1], after: [first]).token == 0)
        // After the closing one: the next opening one, or the end, but no text.
        #expect(choose([0: 9, first + 50: 1], after: [first, 0, first + 50]).token == first + 50)
        #expect(choose([0: 9, 10: 1], after: [first, 0, first + 50]).token == 10)
        // After both: text.
        #expect(choose([first + 60: 9, 1: 1], after: [first, 0, first + 50, first + 50]).token == 1)
    }

    @Test("time never goes back, nor beyond the audio")
    func order() {
        let first = Self.time
        #expect(choose([first + 20: 9, first + 70: 1], after: [first, 0, first + 50, first + 60, 1]).token == first + 70)
        // A segment that has no length is none.
        #expect(choose([first: 9, first + 1: 1], after: [first, 0]).token == first + 1)
        #expect(choose([first + 190: 9, first + 90: 1], after: [first, 0], seconds: 2).token == first + 90)
    }

    @Test("nothing is said after the end of the audio")
    func end() {
        let first = Self.time
        #expect(choose([first + 100: 9, 10: 1], after: [first, 0, first + 97], seconds: 2).token == 10)
        #expect(choose([first + 60: 9, 10: 1], after: [first, 0, first + 60], seconds: 2).token == first + 60)
    }

    @Test("times that are together likelier than any text win")
    func sum() {
        var values: [Int: Float] = [0: 2]
        for step in 40..<80 { values[Self.time + step] = 0.5 }
        #expect(choose(values, after: [Self.time, 1]).token >= Self.time)
        #expect(choose([0: 2, Self.time + 40: 0.5], after: [Self.time, 1]).token == 0)
    }

    @Test("the probability is that among what may follow")
    func probability() {
        let choice = choose([3: 50, 0: 3, 1: 3], after: [Self.time], seconds: 0.02)
        #expect(choice.token == 0)
        // Two of the same, and little else.
        #expect(abs(choice.probability - 0.5) < 0.01)
    }
}

@Suite struct WhisperVocabularyTests {
    @Test("tokens begin words by their space, and characters where there are no spaces")
    func words() {
        #expect(smallVocabulary.startsWord(0, in: "de"))
        #expect(smallVocabulary.startsWord(5, in: "de") == false)
        #expect(smallVocabulary.startsWord(5, in: "ja"))
        #expect(smallVocabulary.startsWord(9, in: "ja") == false, "the second byte of a character")
        #expect(smallVocabulary.text(of: [0, 8, 9, 5]) == "aéc")
        #expect(smallVocabulary.time(of: 19) == 0 && smallVocabulary.time(of: 69) == 1 && smallVocabulary.time(of: 5) == nil)
    }

    @Test("tokens that hold parts of one character are joined, with the lower probability")
    func pieces() {
        let tokens = [(0, 0.9), (8, 0.8), (9, 0.7), (5, 0.6)].map { HypothesisToken(id: $0.0, probability: Float($0.1), startsWord: false) }
        #expect(WhisperModel.pieces(tokens, smallVocabulary) == [.init(text: " a", probability: 0.9), .init(text: "é", probability: 0.7), .init(text: "c", probability: 0.6)])
        #expect(WhisperModel.pieces(Array(tokens.prefix(2)), smallVocabulary).last?.text == "\u{FFFD}")
    }

    /// `suppress_ids` of the configuration that CTranslate2's converter wrote for this model, text tokens only.
    static let suppressedByCTranslate2 = [
        1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90,
        91, 92, 93, 359, 503, 522, 542, 873, 893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253,
        3268, 3536, 3846, 3961, 4183, 4667, 6585, 6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635,
        15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435, 28279, 29464, 31650, 32302, 32470, 36865, 42863, 47425,
        49870, 50254,
    ]
}
