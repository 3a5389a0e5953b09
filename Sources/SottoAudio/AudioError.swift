/// Why audio could not be read, written or converted; the message says what to do.
public struct AudioError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        case notReadable, notAudio, truncated, unsupportedFormat, tooLong, notWritable, diskFull, resamplingFailed
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
