import SottoSpeechEngines
import Testing

@Suite struct TranscriptWordsTests {
    @Test("words fill the segment in order, without overlap, and a longer word takes longer")
    func order() {
        let words = Transcript(text: "I said, nevertheless. Go on", start: 10, end: 13).estimatedWords
        #expect(words.map(\.text) == ["I", "said,", "nevertheless.", "Go", "on"])
        #expect(words.first?.start == 10.3)
        #expect(words.last.map { abs($0.end - 12.7) < 1e-9 } == true)
        for (left, right) in zip(words, words.dropFirst()) { #expect(left.start < left.end && left.end <= right.start) }
        #expect(words[2].end - words[2].start > words[1].end - words[1].start)
        // A pause at marks only.
        #expect(words[1].start == words[0].end)
        #expect(words[2].start > words[1].end)
        #expect(words[3].start - words[2].end > words[2].start - words[1].end)
    }

    @Test("no text, no words; a segment without length has words at its place", arguments: [0.0, 0.1])
    func short(length: Double) {
        #expect(Transcript(text: " ", start: 1, end: 1 + length).estimatedWords.isEmpty)
        let words = Transcript(text: "yes", start: 1, end: 1 + length).estimatedWords
        #expect(words.count == 1)
        #expect(words.allSatisfy { $0.start >= 1 && $0.end <= 1 + length && $0.start <= $0.end })
    }
}

@Suite struct WordsWithoutSpacesTests {
    @Test("where no spaces part words, characters stand for them, with the marks that follow and Latin words whole")
    func characters() {
        let words = Transcript(text: "今日はNHKを 見ます。", start: 0, end: 3, language: "ja").words
        #expect(words.map(\.text) == ["今", "日", "は", "NHK", "を", "見", "ま", "す。"])
        for (left, right) in zip(words, words.dropFirst()) { #expect(left.start < left.end && left.end <= right.start) }
        #expect(Transcript(text: "Guten Tag.", start: 0, end: 1, language: "de").words.map(\.text) == ["Guten", "Tag."])
    }

    @Test("times that the engine measured are taken as they are")
    func measured() {
        let measured = [Transcript.Word(text: "Tag", start: 0.25, end: 0.5)]
        #expect(Transcript(text: "Tag", start: 0, end: 1, measuredWords: measured).words == measured)
    }
}
