public import SottoStreams

/// Something of a known size that a client may already have, or of which it may want a part: a file of the app, a recording.
///
/// ```swift
/// .read("/takes/:id/audio") { request in
///     .content(try FileContent.open(path, type: "audio/wav"), for: request.head)
/// }
/// ```
/// Browsers ask for parts to move about in a recording.
public struct HTTPContent: Sendable {
    /// The media type.
    public var type: String
    /// Bytes.
    public var count: Int
    /// Of its contents, with quotation marks, other for other contents; `nil` when that is not known.
    public var tag: String?
    /// `no-cache`: kept by the client, and asked for each time whether it is still the same.
    public var cacheControl: String
    let body: @Sendable (Range<Int>) -> HTTPResponse.Body

    /// Bytes in memory.
    public init(_ bytes: [UInt8], type: String, tag: String? = nil, cacheControl: String = "no-cache") {
        self.init(type: type, count: bytes.count, tag: tag, cacheControl: cacheControl) { part in
            .whole(part == 0..<bytes.count ? bytes : Array(bytes[part]))
        }
    }

    /// - Parameter read: Makes the pieces of a part. One that gives more or fewer bytes than the part has breaks the connection.
    public init(
        type: String, count: Int, tag: String? = nil, cacheControl: String = "no-cache",
        read: @escaping @Sendable (Range<Int>) -> ProducedSequence<[UInt8]>
    ) {
        self.init(type: type, count: count, tag: tag, cacheControl: cacheControl) { part in .sized(read(part), bytes: part.count) }
    }

    private init(type: String, count: Int, tag: String?, cacheControl: String, body: @escaping @Sendable (Range<Int>) -> HTTPResponse.Body) {
        self.type = type
        self.count = count
        self.tag = tag
        self.cacheControl = cacheControl
        self.body = body
    }
}

extension HTTPResponse {
    /// The answer to a request for content: the whole (200), a part (206), or that the client has it already (304) or asked beyond its end (416).
    ///
    /// Of a field that asks for several parts the whole is sent, which RFC 9110 (14.2) allows.
    public static func content(_ content: HTTPContent, for head: RequestHead) -> HTTPResponse {
        var headers = HTTPHeaders([.init("Accept-Ranges", "bytes"), .init("Cache-Control", content.cacheControl)])
        if let tag = content.tag {
            headers.set("ETag", tag)
            if matches(head.headers.all("If-None-Match"), tag) { return HTTPResponse(status: 304, headers: headers) }
        }
        switch ByteRange.asked(head, count: content.count, tag: content.tag) {
        case .whole:
            headers.set("Content-Type", content.type)
            return HTTPResponse(headers: headers, body: content.body(0..<content.count))
        case .part(let part):
            headers.set("Content-Type", content.type)
            headers.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)")
            return HTTPResponse(status: 206, headers: headers, body: content.body(part))
        case .unsatisfiable:
            return Problem(
                416, "range-not-satisfiable", "the content has \(content.count) bytes; ask for a part of them",
                headers: [.init("Content-Range", "bytes */\(content.count)"), .init("Accept-Ranges", "bytes")]
            ).response
        }
    }

    /// The weak comparison of RFC 9110, 8.8.3.2.
    static func matches(_ fields: [String], _ tag: String) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { field in
            let given = HTTPText.trimmed(field)
            return given == "*" || given == tag || given == "W/" + tag
        }
    }
}
