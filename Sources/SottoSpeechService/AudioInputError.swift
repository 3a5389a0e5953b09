/// Whoever decodes the audio of a request throws this when the audio is at fault.
public struct AudioInputError: Error, Sendable {
    /// One line that says what to do.
    public var message: String

    public init(_ message: String) { self.message = message }
}
