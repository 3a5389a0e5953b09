import Foundation
import SottoAudio
import SottoSpeechEngines
import Testing

@testable import SottoSherpaHost

@Suite struct ReferencePromptTests {
    private static let rate = 16_000
    private static let sentences = [
        "The sun came over the wide green hill.", "Nobody in the village was awake yet.", "A small dog ran along the empty road.",
    ]

    /// Each sentence a tone of its own, 2.5 s long, with rests of half a second between them; and what a recognizer says of it.
    private func recording(heard: [String] = sentences) -> (audio: AudioBuffer, heard: [Transcript]) {
        var samples = Setting.silence(0.4)
        var transcripts: [Transcript] = []
        for (index, text) in heard.enumerated() {
            let start = Double(samples.count) / Double(Self.rate)
            samples += Setting.tone(Double(200 * (index + 1)), 2.5)
            transcripts.append(Transcript(text: text, start: start - 0.3, end: start + 2.8))
            samples += Setting.silence(0.5)
        }
        return (AudioBuffer(samples: samples, sampleRate: Self.rate), transcripts)
    }

    /// How much of a tone there is, by Goertzel's filter over the whole.
    private func power(_ samples: [Float], _ hertz: Double) -> Double {
        let sums = samples.enumerated().reduce(into: (0.0, 0.0)) { sum, sample in
            let angle = 2 * Double.pi * hertz * Double(sample.offset) / Double(Self.rate)
            sum.0 += Double(sample.element) * cos(angle)
            sum.1 += Double(sample.element) * sin(angle)
        }
        return (sums.0 * sums.0 + sums.1 * sums.1) / Double(samples.count * samples.count)
    }

    @Test("sound and words are cut at the same pause")
    func cut() throws {
        let (audio, heard) = recording()
        let prompt = try ReferencePrompt(audio: audio, text: Self.sentences.joined(separator: " "), heard: heard, longest: 4.5)
        #expect(prompt.words == Self.sentences[0])
        #expect(abs(prompt.audio.seconds - 2.5 - 2 * ReferencePrompt.pad) < 0.05, "\(prompt.audio.seconds)")
        #expect(power(prompt.audio.samples, 200) > 0.01)
        #expect(power(prompt.audio.samples, 400) < 1e-5)
        let longer = try ReferencePrompt(audio: audio, text: Self.sentences.joined(separator: " "), heard: heard, longest: 7)
        #expect(longer.words == Self.sentences[..<2].joined(separator: " "))
    }

    @Test("a recording that is short enough is kept whole, its rests shortened")
    func whole() throws {
        let (audio, heard) = recording()
        let prompt = try ReferencePrompt(audio: audio, text: Self.sentences.joined(separator: " "), heard: heard, longest: 20)
        #expect(prompt.words == Self.sentences.joined(separator: " "))
        #expect(abs(prompt.audio.seconds - 7.5 - 2 * ReferencePrompt.longestRest - 2 * ReferencePrompt.pad) < 0.1, "\(prompt.audio.seconds)")
        // Silence of the set length at both ends, and sound right after it.
        let pad = Int(ReferencePrompt.pad * Double(Self.rate))
        #expect(prompt.audio.samples.prefix(pad).allSatisfy { $0 == 0 } && prompt.audio.samples.suffix(pad).allSatisfy { $0 == 0 })
        #expect(prompt.audio.samples[pad..<(pad + 400)].contains { abs($0) > 0.2 })
    }

    @Test("a word that was heard otherwise is no border")
    func misheardBorder() throws {
        let (audio, heard) = recording(heard: ["The sun came over the wide green hull.", Self.sentences[1], Self.sentences[2]])
        let prompt = try ReferencePrompt(audio: audio, text: Self.sentences.joined(separator: " "), heard: heard, longest: 4.5)
        #expect(prompt.words.hasSuffix("hill.") == false)
        #expect(Self.sentences.joined(separator: " ").hasPrefix(prompt.words))
    }

    @Test("words that are not those of the recording are refused")
    func otherWords() {
        let (audio, heard) = recording()
        let error = #expect(throws: SynthesisError.self) {
            try ReferencePrompt(audio: audio, text: "Something else entirely was read out here by somebody.", heard: heard)
        }
        #expect(error?.message.contains("%") == true)
        #expect(throws: SynthesisError.self) { try ReferencePrompt(audio: audio, text: "", heard: heard) }
        #expect(throws: SynthesisError.self) { try ReferencePrompt(audio: audio, text: Self.sentences[0], heard: []) }
        let short = AudioBuffer(samples: Setting.tone(200, 0.8), sampleRate: Self.rate)
        #expect(throws: SynthesisError.self) {
            try ReferencePrompt(audio: short, text: "Hello.", heard: [Transcript(text: "Hello.", start: 0, end: 0.8)])
        }
    }

    @Test(
        "words are paired over what was left out or added",
        arguments: [
            ("a b c", "a b c", [[0, 0], [1, 1], [2, 2]]), ("a b c", "a c", [[0, 0], [2, 1]]), ("a c", "a b c", [[0, 0], [1, 2]]),
            ("a, B c.", "A b C", [[0, 0], [1, 1], [2, 2]]), ("a b", "c d", []), ("", "a", []), ("a", "", []),
        ])
    func pairs(given: String, heard: String, expected: [[Int]]) {
        let found = ReferencePrompt.pairs(given.split(separator: " ").map(String.init), heard.split(separator: " ").map(String.init))
        #expect(found.map { [$0.given, $0.heard] } == expected)
    }
}

@Suite struct SpokenCheckTests {
    private func check() throws -> SpokenCheck {
        let audio = AudioBuffer(samples: Setting.tone(200, 4.2), sampleRate: 16_000)
        var prompt = try ReferencePrompt(
            audio: audio, text: "The sun came over the wide green hill.",
            heard: [Transcript(text: "The sun came over the wide green hill.", start: 0, end: 4.2)])
        prompt.audio = audio
        return SpokenCheck(prompt)
    }

    @Test("words of the reference that are not in the text are noticed")
    func leak() throws {
        let check = try check()
        #expect(check.fault(heard: "Good morning everyone.", text: "Good morning, everyone!") == nil)
        #expect(check.fault(heard: "wide green hill good morning everyone", text: "Good morning, everyone!")?.contains("wide green hill") == true)
        // What the text says itself is no leak.
        #expect(check.fault(heard: "the wide green hill", text: "The wide green hill") == nil)
        #expect(check.fault(heard: "app", text: "The green apple fell")?.contains("app") == true)
        #expect(check.fault(heard: "", text: "Hello there") != nil)
    }

    @Test(
        "speech that is much too long or too short is noticed",
        arguments: [
            (4.0, 1.0, false), (2.0, 1.0, false), (1.0, 1.0, true), (14.0, 1.0, true), (2.0, 2.0, false), (8.0, 0.5, false),
        ])
    func length(seconds: Double, speed: Double, isFault: Bool) throws {
        // As many letters as the reference has in 4 s.
        #expect((try check().fault(seconds: seconds, text: "Fine snow fell on that dark oaken roof.", speed: speed) != nil) == isFault)
    }
}
