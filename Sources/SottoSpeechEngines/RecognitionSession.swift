/// How a recording is recognized.
public struct RecognitionOptions: Sendable, Equatable {
    /// Whether text is given while it is still being spoken; costs several times the work of finals alone.
    public var partials: Bool
    /// The language that is spoken, or what it may be.
    public var language: SpokenLanguage
    /// Whether the text is an English translation of what was said. Never without being asked for.
    public var translatesToEnglish: Bool

    public init(partials: Bool = false, language: SpokenLanguage = .fixed("en"), translatesToEnglish: Bool = false) {
        self.partials = partials
        self.language = language
        self.translatesToEnglish = translatesToEnglish
    }
}

/// The recognition of one recording that arrives bit by bit.
///
/// One caller, one call at a time. Every way of stopping goes through ``finish()``, which flushes what was heard.
public protocol RecognitionSession: Sendable {
    /// Takes the next samples, of any number, at the recognizer's rate.
    ///
    /// - Returns: What they made known, in order.
    /// - Throws: ``RecognitionError``; `CancellationError` within one step of a cancel.
    func accept(_ samples: [Float]) async throws -> [TranscriptUpdate]

    /// Ends the recording; everything that was said and has no final yet gets it.
    ///
    /// - Throws: As ``accept(_:)``.
    func finish() async throws -> [TranscriptUpdate]

    /// Ends the stretch that is open, as a pause that is long enough would: for callers that know that the speaker has finished.
    ///
    /// - Returns: Its final, if it has one. Nothing where an engine ends its stretches by itself alone.
    /// - Throws: As ``accept(_:)``.
    func endStretch() async throws -> [TranscriptUpdate]

    /// Where speech was last heard, in seconds from the start of the recording; `nil` when nobody has spoken.
    var lastSpeech: Double? { get async }

    /// What was heard so far and what of it became text.
    var coverage: Coverage { get async }
}

extension RecognitionSession {
    public func endStretch() async throws -> [TranscriptUpdate] { [] }
}

/// How much of what was taken for speech became text, so that nobody loses words without being told.
public struct Coverage: Sendable, Equatable, Codable {
    /// Seconds that were taken for speech, padding included.
    public var speechSeconds = 0.0
    /// Stretches of it that gave no text, in seconds from the start of the recording, oldest first.
    public var unrecognized: [Stretch] = []

    public struct Stretch: Sendable, Equatable, Codable {
        public var start: Double
        public var end: Double

        public init(start: Double, end: Double) {
            self.start = start
            self.end = end
        }
    }

    public init() {}

    /// Seconds that were taken for speech and gave no text.
    public var unrecognizedSeconds: Double { unrecognized.reduce(0) { $0 + $1.end - $1.start } }
}
