import SottoText
import Testing

@Suite struct TranscriptNormalizerTests {
    @Test("two ways to write the same speech are equal", arguments: [
        ("3 hours", "Three hours."), ("Wait -- what?!", "wait what"), ("It’s 5%", "its five percent"), ("$2.50", "two dollars and fifty cents"),
        ("$1", "One dollar"), ("In 1984, he left", "in nineteen eighty-four he left"), ("the 21st century", "the twenty-first century"),
        ("at 3:05", "at three oh five"), ("1,250 men", "one thousand two hundred and fifty men"), ("3.14", "three point one four"),
        ("Mr. Smith & Co", "mister smith and co"), ("the 1980s", "the nineteen eighties"), ("10km", "ten km"),
        ("“Don't,” she said…", "dont she said"), ("105", "one hundred and five"), ("Okay", "OK"), ("v1.2.3", "v one two three"),
    ])
    func equal(left: String, right: String) {
        #expect(TranscriptNormalizer.words(left) == TranscriptNormalizer.words(right))
    }

    @Test("what was said differently stays different", arguments: [
        ("3 hours", "4 hours"), ("a hundred and one nights", "a hundred nights"), ("men and women", "men women"), ("1984", "1985"), ("no no", "no"),
        ("one hundred and many more", "one hundred many more"),
    ])
    func different(left: String, right: String) {
        #expect(TranscriptNormalizer.words(left) != TranscriptNormalizer.words(right))
    }

    @Test("nothing but punctuation is nothing; odd numerals do not trap", arguments: ["", " … -- ?!", "\u{0}\u{FFFD}"])
    func nothing(text: String) { #expect(TranscriptNormalizer.words(text).isEmpty) }

    @Test(arguments: ["999999999999999999999999", "1.2.3.4.5", ":", "$", "$.", "$1.5.2", "٣", "½", "12:99", "1,,2", "00:00", "9999999999999999999st", "$99999999999999999999"])
    func oddNumerals(text: String) { _ = TranscriptNormalizer.words(text) }
}
