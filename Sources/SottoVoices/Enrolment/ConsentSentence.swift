public import Foundation
internal import SottoText

/// What a person says so that a voice may be made after theirs.
///
/// It holds the voice's name and a number drawn by chance, and it has an end: a recording made for something else, or for another voice, is none of
/// it.
public struct ConsentSentence: Sendable, Equatable, Codable {
    /// How long a sentence may be answered.
    public static let lifetime: TimeInterval = 24 * 3600
    /// More words wrong than this, and something else was said.
    static let mostWrong = 0.3

    public var voice: String
    /// Four digits, said one by one: that is what recognizers hear best.
    public var number: Int
    public var made: Date

    public init(voice: String, number: Int, made: Date) {
        self.voice = voice
        self.number = number
        self.made = made
    }

    public init(voice: String, made: Date, using generator: inout some RandomNumberGenerator) {
        self.init(voice: voice, number: Int.random(in: 1000...9999, using: &generator), made: made)
    }

    private static let digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

    private static let denials: Set<String> = ["not", "no", "never", "cannot", "dont", "refuse", "deny", "forbid", "disallow", "nobody", "without"]

    private static let largeNumbers: Set<String> = [
        "hundred", "thousand", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty",
        "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ]

    private var numberWords: [String] { String(number).compactMap(\.wholeNumberValue).map { Self.digits[$0] } }

    /// What is to be read.
    public var text: String {
        "I allow Sotto to make the voice \(voice) after mine. The number is \(numberWords.joined(separator: " "))."
    }

    public enum Verdict: Sendable, Equatable {
        case given
        /// Why it is none, and what to do.
        case refused(String)
    }

    /// Whether a recognizer heard this sentence.
    ///
    /// The digits must all be there, in order; of the rest, names above all, a part may be misheard.
    public func verdict(heard: String, now: Date) -> Verdict {
        guard now.timeIntervalSince(made) <= Self.lifetime, now >= made.addingTimeInterval(-60) else {
            return .refused("the consent sentence is more than a day old; ask for a new one: sotto voices consent \(voice)")
        }
        let words = TranscriptNormalizer.words(heard)
        // As it was written: "4072" is no number in words here.
        let heardDigits = Self.digits(in: heard.lowercased().split { $0.isLetter == false && $0.isNumber == false }.map(String.init))
        guard heardDigits.hasSuffix(String(number)) else {
            return .refused(
                heardDigits.isEmpty
                    ? "the consent's number was not heard; read it digit by digit: \(numberWords.joined(separator: " "))"
                    : "the number \(heardDigits) was heard, not \(number); read the sentence that was shown for this voice (sotto voices consent \(voice))")
        }
        // One word makes the opposite of it.
        if let denial = words.first(where: { Self.denials.contains($0) || $0.hasSuffix("n't") }) {
            return .refused("\"\(denial)\" was heard, which is no consent; read: \(text)")
        }
        // What numbers are is known by now.
        func rest(_ words: [String]) -> [String] { words.filter { Self.digits(in: [$0]).isEmpty && Self.largeNumbers.contains($0) == false } }
        let expected = TranscriptNormalizer.words("I allow Sotto to make the voice \(voice) after mine. The number is")
        let rate = WordErrorRate(reference: rest(expected), hypothesis: rest(words)).rate
        // The name and "Sotto" are no words that a recognizer knows.
        guard rate <= Self.mostWrong + 2 / Double(max(1, expected.count)) else {
            return .refused("other words were heard: \"\(heard)\"; read: \(text)")
        }
        return .given
    }

    /// The digits that words say, in order.
    static func digits(in words: [String]) -> String {
        words.map { word in
            if word.allSatisfy({ $0.isASCII && $0.isNumber }) { return word }
            if word == "oh" { return "0" }
            return digits.firstIndex(of: word).map(String.init) ?? ""
        }.joined()
    }
}
