/// Why a voice cannot be added, spoken with or handed on; the message says what to do.
public struct VoiceError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A name that cannot be one, or that is taken.
        case name
        case unknown
        /// The recording would not do.
        case sample
        /// Nobody's consent was given, or not this speaker's.
        case consent
        /// What was kept or handed over is damaged, or not signed by whom it says.
        case damaged
        case notWritable
        /// The voice has not been fitted yet.
        case unfinished
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
