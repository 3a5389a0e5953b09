public import Foundation
public import SottoSpeechEngines

/// A voice that was made after a person's: what it was made of, who allowed it, and how near it is.
public struct EnrolledVoice: Sendable, Equatable, Codable {
    public enum State: String, Sendable, Codable {
        /// Its style has not been looked for yet.
        case added
        /// A near style is there, and a nearer one is looked for.
        case fitting
        case ready
    }

    /// The person's consent, as it was heard.
    public struct Consent: Sendable, Equatable, Codable {
        public var sentence: String
        public var heard: String
        public var given: Date
        /// Of the consent's voice and the sample's, by the speaker encoder.
        public var likeness: Double

        public init(sentence: String, heard: String, given: Date, likeness: Double) {
            self.sentence = sentence
            self.heard = heard
            self.given = given
            self.likeness = likeness
        }
    }

    /// A style, and what it came to.
    public struct Style: Sendable, Equatable, Codable {
        public var values: [Float]
        /// Of its speech and the sample, by the speaker encoder, on sentences of the fit.
        public var likeness: Double
        /// Words wrong, by our recognizer; `nil` when it was not asked.
        public var wordErrorRate: Double?
        /// Above the sample's pitch, in semitones; `nil` when one of them has none.
        public var semitones: Double?
        /// Sentences that were made to find it.
        public var tries: Int

        public init(values: [Float], likeness: Double, wordErrorRate: Double? = nil, semitones: Double? = nil, tries: Int) {
            self.values = values
            self.likeness = likeness
            self.wordErrorRate = wordErrorRate
            self.semitones = semitones
            self.tries = tries
        }
    }

    /// Of the form of what is kept; another version's is refused.
    public static let currentSchema = 1

    public var schemaVersion = EnrolledVoice.currentSchema
    /// Never used again, so that nothing kept for an earlier voice of the same name is taken for this one's.
    public var id: UUID
    public var name: String
    public var language: String
    public var created: Date
    /// What is said in the sample.
    public var words: String
    public var heard: String
    public var quality: SampleQuality
    public var consent: Consent
    /// Of two halves of the sample: as near as a voice can be by this measure; `nil` for a sample too short for it.
    public var ceiling: Double?
    public var state: State
    public var style: Style?
    /// Fingerprint of the installation that it came from; `nil` for one that was made here.
    public var importedFrom: String?

    public init(
        id: UUID, name: String, language: String, created: Date, words: String, heard: String, quality: SampleQuality, consent: Consent,
        ceiling: Double? = nil, state: State = .added, style: Style? = nil, importedFrom: String? = nil
    ) {
        self.id = id
        self.name = name
        self.language = language
        self.created = created
        self.words = words
        self.heard = heard
        self.quality = quality
        self.consent = consent
        self.ceiling = ceiling
        self.state = state
        self.style = style
        self.importedFrom = importedFrom
    }

    /// For lists.
    public var synthesisVoice: SynthesisVoice {
        SynthesisVoice(name: name, languages: [language], note: "made after a person's voice; \(stateLine)")
    }

    /// How far it is, in words.
    public var stateLine: String {
        guard let style else { return "not fitted yet: sotto voices fit \(name)" }
        let likeness = "likeness \(Self.number(style.likeness))" + (ceiling.map { " of \(Self.number($0))" } ?? "")
        return state == .ready ? likeness : "\(likeness), not finished: sotto voices fit \(name)"
    }

    private static func number(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US_POSIX"))) }

    /// - Throws: ``VoiceError`` `.name`: names are typed on command lines and are names of folders.
    public static func check(name: String) throws(VoiceError) {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        guard (1...40).contains(name.count), name.first?.isLetter == true, isPlain else {
            throw VoiceError(.name, "\"\(name)\" cannot be a voice's name; take up to 40 letters, digits and hyphens, a letter first")
        }
    }
}
