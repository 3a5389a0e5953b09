/// Why a server or one of its connections cannot go on.
public struct ServingError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The other side has gone.
        case disconnected
        /// The other side took too long; ``ServingError/message`` says for what.
        case timedOut
        /// A handler made an answer that cannot be sent.
        case badResponse
        /// A body has another size than was told, after its head was sent.
        case brokenBody
        /// The port is taken; ``ServingError/message`` says by whom, as far as the system tells.
        case portTaken
        /// The system refused a socket.
        case socketFailed
        /// A certificate or its key cannot be read or made.
        case badCertificate
    }

    public var code: Code
    /// What failed and what to do.
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
