/// Why a child process gave no result; the message says what to do.
public struct SubprocessError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The program is not installed.
        case notFound
        /// The system refused to start it.
        case notStarted
        /// It wrote more than the request allows, and was killed.
        case outputTooLarge
        /// It ran longer than the request allows, and was killed.
        case deadlineExceeded
        /// It ended with a status other than 0, or by a signal.
        case failed
        /// A co-process ended while an answer was awaited.
        case ended
    }

    public var code: Code
    public var message: String
    public var cause: (any Error)?
    /// What the child wrote to its standard error, for `.failed`.
    public var errorLines: [String] = []

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
