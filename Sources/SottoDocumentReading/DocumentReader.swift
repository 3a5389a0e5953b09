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
    /// The last six are web pages that stand in the way of their content.
    public enum Code: String, Sendable, CaseIterable {
        case empty, unsupportedKind, tooLarge, noText, malformed, timedOut, toolMissing
        /// A question about cookies or privacy, and nothing else.
        case consentOnly
        /// The beginning at most; the rest is for those who pay.
        case paywalled
        case loginRequired
        /// A test for robots.
        case challenge
        /// Scripts would build the page in a browser.
        case clientRendered
        /// Too little text to be a source.
        case thin
    }
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
