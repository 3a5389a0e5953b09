/// Why an archive could not be written; the message says what to do.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable { case notReadable, notWritable, diskFull, failed }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
