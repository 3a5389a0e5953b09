/// When an utterance is over by time alone; used where nothing better judges, and as the fall-back where something does.
///
/// Pure: times in, verdict out. The defaults are the three rules that streaming recognizers of the Kaldi family have long shipped with,
/// with the middle one shorter.
public struct EndpointRules: Sendable, Equatable {
    /// Why an utterance is over.
    public enum End: Sendable, Equatable {
        /// Nobody spoke.
        case nothingSaid
        /// Somebody spoke and has been silent since.
        case silence
        /// It was cut for its length; speech may go on, and belongs to the next utterance.
        case tooLong
    }

    /// The longest wait for a first word; `nil` waits for ever.
    public var nothingSaid: Duration?
    /// Silence after speech.
    public var afterSpeech: Duration?
    /// The longest utterance.
    public var longest: Duration?

    public init(nothingSaid: Duration? = .milliseconds(2400), afterSpeech: Duration? = .milliseconds(900), longest: Duration? = .seconds(30)) {
        self.nothingSaid = nothingSaid
        self.afterSpeech = afterSpeech
        self.longest = longest
    }

    /// - Parameters:
    ///   - heard: Length of the utterance so far.
    ///   - lastSpeech: Where in it speech was last heard; `nil` when nobody has spoken.
    /// - Returns: `nil` while it goes on.
    public func end(heard: Duration, lastSpeech: Duration?) -> End? {
        if let lastSpeech {
            if let afterSpeech, heard - lastSpeech >= afterSpeech { return .silence }
        } else if let nothingSaid, heard >= nothingSaid {
            return .nothingSaid
        }
        if let longest, heard >= longest { return .tooLong }
        return nil
    }
}
