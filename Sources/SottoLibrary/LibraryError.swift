/// Why the library could not do what was asked; the message says what to do.
public struct LibraryError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable { case notFound, notReadable, vanished, noDocuments, notInLibrary }
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
