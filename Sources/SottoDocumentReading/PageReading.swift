public import SottoDocument

/// Turns what a web server sent into a document, and refuses pages that stand in the way of their content.
public protocol PageReading: Sendable {
    /// - Parameters:
    ///   - bytes: The body, decoded from its transfer encodings; it may have been cut at a byte limit.
    ///   - address: Where it was found in the end, after redirects.
    ///   - charset: The label in the Content-Type header, if any.
    /// - Throws: ``DocumentReadingError``, for pages with `.challenge`, `.consentOnly`, `.loginRequired`, `.paywalled`, `.clientRendered` and `.thin` too;
    ///   `CancellationError`.
    func readPage(_ bytes: [UInt8], address: String, charset: String?) async throws -> Document
}
