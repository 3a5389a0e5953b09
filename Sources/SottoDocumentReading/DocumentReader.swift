public import SottoDocument

/// Turns a file's bytes into a document.
public protocol DocumentReader: Sendable {
    /// Reads one file. The kind is told by content first, by name second.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: Its name, for the extension and as the title of last resort.
    /// - Throws: ``DocumentReadingError``.
    func read(_ bytes: [UInt8], name: String) async throws -> Document
}

/// Why a file gave no document; the message says what to do.
public struct DocumentReadingError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable { case empty, unsupportedKind, tooLarge, noText, malformed, timedOut, toolMissing }
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
