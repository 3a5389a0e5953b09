/// Why there is no code for a text; the message says what to do.
public struct QRCodeError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable { case nothing, tooLong, failed }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
