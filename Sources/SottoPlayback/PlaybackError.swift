/// Why something could not be played; the message says what to do.
public struct PlaybackError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case noSoundServer, interrupted }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
