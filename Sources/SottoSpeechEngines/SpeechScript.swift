public import SottoStreams

/// What is said next, while more of the text may still be coming.
public enum SpeechPart: Sendable, Equatable {
    /// One sentence, as it was written and in the words that are said.
    case sentence(written: String, spoken: String)
    /// An item of a list has ended: a longer rest than between sentences.
    case itemEnd
    /// A paragraph or heading has ended: the longest rest.
    case paragraphEnd
}

/// A text that is spoken while it comes, and how.
public struct SpeechScript: Sendable {
    public var parts: ProducedSequence<SpeechPart>
    /// The engine's default when `nil`.
    public var voice: String?
    /// 1 is the voice's own pace; 0.5 to 2.
    public var speed: Double
    /// Whether somebody waits for the first sound. An engine may then begin with a short piece, at the price of more work in all; for a
    /// file it should not.
    public var isAwaited: Bool

    public init(parts: ProducedSequence<SpeechPart>, voice: String? = nil, speed: Double = 1, isAwaited: Bool = true) {
        self.parts = parts
        self.voice = voice
        self.speed = speed
        self.isAwaited = isAwaited
    }

    /// A script whose parts are all known.
    public init(_ parts: [SpeechPart], voice: String? = nil, speed: Double = 1) {
        self.init(parts: ProducedSequence { emit in for part in parts { try await emit(part) } }, voice: voice, speed: speed)
    }
}

extension SpeechSynthesizer {
    /// Speaks sentence by sentence through ``synthesize(_:)-(SpeechRequest)``: for engines that know no better.
    public func synthesize(_ script: SpeechScript) -> SpeechChunks {
        SpeechChunks { emit in
            for try await case .sentence(let written, let spoken) in script.parts {
                for try await chunk in synthesize(SpeechRequest(text: spoken, voice: script.voice, speed: script.speed)) {
                    try await emit(SpeechChunk(audio: chunk.audio, text: written))
                }
            }
        }
    }
}
