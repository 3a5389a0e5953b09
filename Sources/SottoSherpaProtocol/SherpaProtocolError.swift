/// Why a message could not be written or understood.
public struct SherpaProtocolError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case tooLong, malformed }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
