internal import SottoAudio
internal import SottoText

/// What is wrong with speech that was made in the voice of a reference, judged by what our recognizer hears in it.
///
/// Such models at times say words of the reference, lose the sounds of short texts, or go on for too long.
struct SpokenCheck: Sendable {
    /// Words in a row that are taken for the reference's and not for chance.
    private static let run = 3
    /// The part of the words that may be heard otherwise: names and homophones are.
    private static let mostWrong = 0.5
    /// How much slower or quicker than the reference speech may be, by letters a second.
    private static let slowest = 2.5
    private static let quickest = 0.4
    /// Seconds that any speech may take on top, and more where marks stand around a short text.
    private static let allowance = 0.8
    private static let allowanceAroundShort = 2.5

    let reference: [String]
    /// Letters a second of the reference.
    let pace: Double

    init(_ prompt: ReferencePrompt) {
        reference = TranscriptNormalizer.words(prompt.words)
        pace = max(1, Double(prompt.words.count { $0.isLetter || $0.isNumber }) / max(0.1, prompt.audio.seconds - 2 * ReferencePrompt.pad))
    }

    /// What is wrong with the length; `nil` when nothing is.
    func fault(seconds: Double, text: String, speed: Double, isPadded: Bool = false) -> String? {
        let expected = Double(text.count { $0.isLetter || $0.isNumber }) / pace / speed
        if seconds > expected * Self.slowest + (isPadded ? Self.allowanceAroundShort : Self.allowance) {
            return "it lasts \(rounded(seconds)) s where about \(rounded(expected)) s were expected"
        }
        if seconds < expected * Self.quickest { return "it lasts only \(rounded(seconds)) s where about \(rounded(expected)) s were expected" }
        return nil
    }

    /// What is wrong with the words that were heard; `nil` when nothing is.
    func fault(heard: String, text: String) -> String? {
        let heard = TranscriptNormalizer.words(heard)
        let wanted = TranscriptNormalizer.words(text)
        if let leaked = Self.leak(of: reference, in: heard, except: wanted) { return "it says words of the reference: \"\(leaked)\"" }
        let wrong = WordErrorRate(reference: wanted, hypothesis: heard).rate
        if wrong > Self.mostWrong { return "\"\(heard.joined(separator: " "))\" is heard in it" }
        return nil
    }

    /// Words of the reference in a row that are heard and are not in the text.
    static func leak(of reference: [String], in heard: [String], except text: [String]) -> String? {
        let length = min(run, reference.count)
        guard length > 0, heard.count >= length else { return nil }
        func runs(_ words: [String]) -> Set<[String]> {
            guard words.count >= length else { return [] }
            return Set((0...(words.count - length)).map { Array(words[$0..<($0 + length)]) })
        }
        let (leaked, allowed) = (runs(reference), runs(text))
        for start in 0...(heard.count - length) {
            let run = Array(heard[start..<(start + length)])
            if leaked.contains(run), allowed.contains(run) == false { return run.joined(separator: " ") }
        }
        return nil
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
