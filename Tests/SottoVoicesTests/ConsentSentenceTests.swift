import Foundation
import Testing

@testable import SottoVoices

@Suite struct ConsentSentenceTests {
    private let made = Date(timeIntervalSince1970: 1_800_000_000)
    private var sentence: ConsentSentence { ConsentSentence(voice: "anna", number: 4072, made: made) }

    @Test("holds the voice's name and the number, digit by digit")
    func text() {
        #expect(sentence.text == "I allow Sotto to make the voice anna after mine. The number is four zero seven two.")
        var chance = SeededGenerator(seed: 1)
        let numbers = Set((0..<200).map { _ in ConsentSentence(voice: "a", made: made, using: &chance).number })
        #expect(numbers.count > 190 && numbers.allSatisfy { (1000...9999).contains($0) })
    }

    @Test("is given by what a recognizer makes of it", arguments: [
        "I allow Sotto to make the voice anna after mine. The number is four zero seven two.",
        "I allow Soto to make the voice Anna after mine, the number is 4072.",
        "i allow so too to make the voice hannah after mine the number is four oh seven two",
        "I allow Sato to make the voice Ana after mine. The number is 4 0 7 2.",
    ])
    func given(heard: String) {
        #expect(sentence.verdict(heard: heard, now: made.addingTimeInterval(3600)) == .given)
    }

    @Test("is not given by other numbers, other words or nothing", arguments: [
        "I allow Sotto to make the voice anna after mine. The number is four zero seven three.",
        "I allow Sotto to make the voice anna after mine.", "four zero seven two", "", "The weather will be fine tomorrow, four zero seven two.",
        "I do not allow Sotto to make the voice anna after mine. The number is four zero seven two.",
        "I don't allow Sotto to make the voice anna after mine. The number is four zero seven two.",
        "I do not know what you want of me and I will not have it four zero seven two",
    ])
    func refused(heard: String) {
        #expect(sentence.verdict(heard: heard, now: made) != .given)
    }

    @Test("has an end, and does not hold before it was asked for")
    func lifetime() {
        let heard = sentence.text
        #expect(sentence.verdict(heard: heard, now: made.addingTimeInterval(23 * 3600)) == .given)
        #expect(sentence.verdict(heard: heard, now: made.addingTimeInterval(25 * 3600)) != .given)
        #expect(sentence.verdict(heard: heard, now: made.addingTimeInterval(-3600)) != .given)
    }
}
