/// Why nothing was fetched, in a message that says what to do.
public struct FetchError: Error, Sendable, CustomStringConvertible {
    /// Stored in the ledger; a code is never renamed.
    public enum Code: String, Sendable, Codable, CaseIterable {
        // Nothing was opened.
        /// Web research is switched off, or the whole program is offline.
        case researchOff, offline
        /// Not an address at all, not http or https, or with a name and password in it.
        case invalidAddress, unsupportedScheme, credentialsInAddress
        /// The address, or one that its name stands for, belongs to this machine or a private network.
        case forbiddenAddress
        /// robots.txt asks not to read it, or could not be had although the host seems to have one.
        case disallowedByRobots, robotsUnreachable
        /// The request could not be entered into the ledger, so it was not made.
        case ledgerFailed
        /// The name is unknown; the answer took too long.
        case nameNotFound
        // Something was opened.
        case connectFailed, connectTimedOut
        /// The certificate is not trusted, or encryption failed.
        case tlsFailed
        /// The server fell silent, or took longer than a whole fetch may.
        case stalled, deadlineExceeded
        /// The connection broke, or what came is no HTTP.
        case connectionBroken, malformedResponse
        /// The content encoding is unknown or damaged.
        case badEncoding
        /// Few bytes that unfold into many.
        case decompressionBomb
        /// More than may be read of something that is of no use in part.
        case tooLarge
        /// Neither text nor PDF.
        case unsupportedKind
        case tooManyRedirects, redirectLoop
        /// A redirect that leads nowhere, down from https to http, or would carry what was sent to somebody else.
        case redirectRefused
        // The server answered, and not with the page.
        case notFound, forbiddenByServer, rateLimited, serverFailed, unexpectedStatus
    }

    public var code: Code
    /// What failed and what to do about it, in one or two sentences.
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
