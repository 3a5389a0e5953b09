/// Follows one utterance after another through the frames of a voice activity detector.
///
/// ```swift
/// var detector = EndpointDetector()
/// for probability in probabilities { for event in detector.observe(probability) { … } }
/// ```
/// Hysteresis, padding, minimum length and noise floor are those of ``SpeechSegmenter``; the end of the utterance is judged by
/// ``EndpointRules``. Pure: time is the number of frames.
public struct EndpointDetector: Sendable {
    public enum Event: Sendable, Equatable {
        /// Speech has proved to be speech; it began at this frame, padding included.
        case speechBegan(frame: Int)
        /// Speech was last heard at this frame, and a pause has begun that is long enough to end a segment.
        case speechPaused(frame: Int)
        /// The utterance is over; the next frame begins another one.
        case ended(EndpointRules.End)
    }

    private let frame: Duration
    private let rules: EndpointRules
    private var segmenter: SpeechSegmenter
    private var frames = 0
    /// Where the utterance began.
    private var start = 0
    private var lastSpeech: Int?
    private var isSpeaking = false

    /// - Parameter frame: Length of a frame.
    public init(segmenter: SpeechSegmenter.Configuration = .init(), rules: EndpointRules = .init(), frame: Duration = .milliseconds(32)) {
        self.segmenter = SpeechSegmenter(configuration: segmenter)
        self.rules = rules
        self.frame = frame
    }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - probability: Of speech, in [0, 1].
    ///   - level: The frame's power in dB of full scale, if known.
    public mutating func observe(_ probability: Float, level: Float? = nil) -> [Event] {
        var events: [Event] = []
        let ended = segmenter.observe(probability, level: level)
        frames += 1
        if let open = segmenter.open, open.counts {
            lastSpeech = max(open.lastSpeech, start)
            if isSpeaking == false {
                isSpeaking = true
                events.append(.speechBegan(frame: open.start))
            }
        } else if ended != nil, isSpeaking {
            isSpeaking = false
            events.append(.speechPaused(frame: lastSpeech ?? start))
        }
        let spoken = lastSpeech.map { frame * ($0 + 1 - start) }
        if let end = rules.end(heard: frame * (frames - start), lastSpeech: spoken) {
            events.append(.ended(end))
            start = frames
            lastSpeech = nil
            // Speech that was cut for its length goes on in the next utterance.
            isSpeaking = isSpeaking && end == .tooLong
            if isSpeaking { lastSpeech = frames - 1 }
        }
        return events
    }
}
