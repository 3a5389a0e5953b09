/// Why a file gave no audio; the message is one line and says what to do.
public struct MediaError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The file is missing, not a plain file, or may not be read.
        case unreadable
        /// The file has no bytes.
        case empty
        /// The first bytes are of no format that is accepted.
        case unknownFormat
        /// A known format without an audio track.
        case noSound
        /// The decoder gave up; what came before the fault was delivered.
        case damaged
        /// The program ffmpeg is not installed.
        case decoderMissing
        /// A limit on time or length was reached.
        case limitReached
    }

    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
