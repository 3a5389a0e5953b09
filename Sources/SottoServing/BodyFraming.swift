/// How the end of a request's body is known (RFC 9112, 6.3).
public enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked

    /// Reads the framing, refusing everything that two recipients could read in two ways: that is request smuggling.
    ///
    /// - Throws: ``Problem`` 400, 413 or 501, after which the connection is of no use.
    public init(_ head: RequestHead) throws(Problem) {
        let codings = head.headers.all("Transfer-Encoding")
        let lengths = head.headers.all("Content-Length")
        if codings.isEmpty == false {
            guard lengths.isEmpty else {
                throw Problem.malformed(400, "ambiguous-body", "the request has a Content-Length and a Transfer-Encoding; send one of them")
            }
            guard head.minorVersion == 1 else { throw Problem.malformed(400, "ambiguous-body", "HTTP/1.0 knows no Transfer-Encoding") }
            guard codings.count == 1 else { throw Problem.malformed(400, "ambiguous-body", "the request has two Transfer-Encoding fields") }
            guard codings[0].lowercased() == "chunked" else {
                throw Problem.malformed(501, "unknown-coding", "the only transfer coding that this server knows is chunked")
            }
            self = .chunked
            return
        }
        guard let text = lengths.first else {
            self = .none
            return
        }
        guard lengths.count == 1 else { throw Problem.malformed(400, "ambiguous-body", "the request has two Content-Length fields; send one") }
        guard text.isEmpty == false, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw Problem.malformed(400, "bad-length", "Content-Length is to be a number in digits")
        }
        guard let length = Int(text) else { throw Problem.malformed(413, "body-too-large", "the body is larger than any that this server takes") }
        self = .length(length)
    }
}
