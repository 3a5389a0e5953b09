public import Foundation

/// A recording that was made here, and what became of it.
public struct Take: Sendable, Equatable, Codable {
    public enum State: String, Sendable, Codable {
        /// Somebody is recording it now.
        case recording
        /// It was ended as meant.
        case finished
        /// Its recorder died; everything until then is there.
        case recovered
    }

    /// Also the name of its folder; sorts by time.
    public var id: String
    public var started: Date
    public var state: State
    /// Of audio.
    public var seconds: Double
    /// What was heard; `nil` when nothing has been recognized yet.
    public var text: String?
    /// The same with its times, where they are known.
    public var segments: [Segment]?
    /// Id of the model that heard it.
    public var recognizer: String?
    /// Name of the microphone.
    public var device: String?

    /// Recognition that was promised and has not ended: a process that begins anew goes on with it.
    public var pending: Pending?

    public struct Pending: Sendable, Equatable, Codable {
        /// The language that is expected, as the settings write it.
        public var language: String
        /// How often it was begun: a recording on which the process dies must not end every process.
        public var attempts: Int

        public init(language: String, attempts: Int = 0) {
            self.language = language
            self.attempts = attempts
        }
    }

    /// A stretch of speech.
    public struct Segment: Sendable, Equatable, Codable {
        public var text: String
        /// Seconds from the start of the recording.
        public var start: Double
        /// Seconds from the start of the recording.
        public var end: Double

        public init(text: String, start: Double, end: Double) {
            self.text = text
            self.start = start
            self.end = end
        }
    }

    public init(
        id: String, started: Date, state: State, seconds: Double = 0, text: String? = nil, recognizer: String? = nil, device: String? = nil
    ) {
        self.id = id
        self.started = started
        self.state = state
        self.seconds = seconds
        self.text = text
        self.recognizer = recognizer
        self.device = device
    }
}

/// Why takes cannot be read or written; the message says what to do.
public struct TakeError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case notFound, inUse, notWritable, diskFull }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
