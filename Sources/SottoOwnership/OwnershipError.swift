/// Why a process cannot become the owner, or cannot reach it; the message says what to do.
public struct OwnershipError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Another process owns the data and takes no guests; the message names it.
        case owned
        /// The owner does not answer: stopped or hung. The message names it.
        case unreachable
        /// The owner is of another version; the message says which process to restart.
        case otherVersion
        /// The owner ended in the middle of a command.
        case ownerEnded
        /// The folder of the lock and the socket is not safe to use.
        case unsafeFolder
        /// The other side sent what no version of the program sends.
        case badMessage
        /// The system refused.
        case failed
    }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
