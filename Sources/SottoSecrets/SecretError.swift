/// Why a secret cannot be read or kept; the message says what to do and never holds the secret.
public struct SecretError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable { case openToOthers, damaged, unreadable, invalid, notWritten }
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
