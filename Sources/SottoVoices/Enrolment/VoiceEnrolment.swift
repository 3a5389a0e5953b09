public import Foundation
public import SottoAudio
public import SottoSpeechEngines
internal import SottoText

/// Decides whether a person's voice may be made after two recordings: a sample of it, and the same person's consent.
///
/// Nothing is stored here, and nothing is let through with a warning: what is returned is fit to be added.
public struct VoiceEnrolment: Sendable {
    /// The least likeness of the voices of consent and sample, by the speaker encoder.
    ///
    /// Measured on pairs of recordings of 15 speakers of the speech corpora (`Benchmarks/synthesis/cloning.py --threshold`): see `docs/voices.md`.
    public static let leastLikeness = 0.75
    /// More words wrong than this, and another text was read.
    public static let mostWrong = 0.25

    private let encoder: any SpeakerEncoding
    private let recognizer: any SpeechRecognizer

    public init(encoder: any SpeakerEncoding, recognizer: any SpeechRecognizer) {
        self.encoder = encoder
        self.recognizer = recognizer
    }

    /// Checks both recordings.
    ///
    /// - Parameters:
    ///   - words: What is read in the sample; what is heard takes its place when it is `nil`.
    ///   - asked: The sentence that was shown for this voice.
    /// - Throws: ``VoiceError`` `.name`, `.sample`, `.consent`; errors of the engines; `CancellationError`.
    public func check(
        name: String, sample: AudioBuffer, words: String?, consent: AudioBuffer, asked: ConsentSentence, language: String = "en", now: Date, id: UUID = UUID()
    ) async throws -> EnrolledVoice {
        try EnrolledVoice.check(name: name)
        guard asked.voice == name else {
            throw VoiceError(.consent, "the consent sentence was for \"\(asked.voice)\", not for \"\(name)\"; ask for one: sotto voices consent \(name)")
        }
        let quality = SampleQuality(sample)
        guard quality.faults.isEmpty else {
            throw VoiceError(.sample, "the sample would not do: \(quality.faults.map(\.message).joined(separator: "; "))")
        }
        let heard = try await hear(sample)
        if let words {
            let rate = WordErrorRate(reference: TranscriptNormalizer.words(words), hypothesis: TranscriptNormalizer.words(heard)).rate
            guard rate <= Self.mostWrong else {
                throw VoiceError(.sample, "other words than those given were heard in the sample: \"\(heard)\"; read them once more, clearly")
            }
        } else if heard.isEmpty {
            throw VoiceError(.sample, "no words were heard in the sample; record it again")
        }
        let heardConsent = try await hear(consent)
        if case .refused(let reason) = asked.verdict(heard: heardConsent, now: now) { throw VoiceError(.consent, reason) }
        let likeness = Double(try await direction(consent).likeness(to: direction(sample)))
        guard likeness >= Self.leastLikeness else {
            throw VoiceError(
                .consent,
                "the consent does not sound like the person of the sample (likeness \(likeness.formatted(.number.precision(.fractionLength(2)))), "
                    + "at least \(Self.leastLikeness)); both must be the same person's, with the same microphone if possible")
        }
        return EnrolledVoice(
            id: id, name: name, language: language, created: now, words: words ?? heard, heard: heard, quality: quality,
            consent: .init(sentence: asked.text, heard: heardConsent, given: now, likeness: likeness))
    }

    private func hear(_ audio: AudioBuffer) async throws -> String {
        try await recognizer.transcribe(AudioStream(try audio.resampled(to: recognizer.sampleRate))).finals().map(\.text).joined(separator: " ")
    }

    private func direction(_ audio: AudioBuffer) async throws -> [Float] {
        do {
            return try await encoder.embedding(of: try audio.resampled(to: encoder.sampleRate))
        } catch let error as SpeakerError where error.code == .tooLittleSpeech {
            throw VoiceError(.consent, "there is too little speech to tell whose voice it is; record it again", cause: error)
        }
    }
}
