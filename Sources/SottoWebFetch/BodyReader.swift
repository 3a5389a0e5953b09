import SottoFetching

/// Takes a body piece by piece and says when it is enough: a value without I/O.
struct BodyReader: Sendable {
    enum Verdict: Sendable, Equatable {
        case goOn
        /// The bound was met; the body is good as far as it goes.
        case cut
        case fail(FetchError.Code)
    }

    private let limits: FetchLimits
    private let readsPage: Bool
    private let type: String
    private(set) var bytes: [UInt8] = []
    /// Known once enough has come.
    private(set) var kind: ContentKind?

    /// Bytes that libcurl takes from a connection in one go; what it has counted may run ahead or behind by this much.
    static let bufferSize = 4_096
    private static let suspicious = 128 * 1_024

    /// - Parameters:
    ///   - type: The Content-Type header.
    ///   - readsPage: Whether what cannot be read is given up.
    init(limits: FetchLimits, readsPage: Bool, type: String) {
        self.limits = limits
        self.readsPage = readsPage
        self.type = type
    }

    /// - Parameter received: Body bytes that crossed the network so far.
    mutating func take(_ piece: UnsafeRawBufferPointer, received: Int) -> Verdict {
        let limit = max(limits.pageBytes, kind == .pdf && readsPage ? limits.portableBytes : 0)
        // Until the kind is known, no more than a page is kept, which is more than it takes to know it.
        let room = max(0, limit - bytes.count)
        unsafe bytes.append(contentsOf: piece.prefix(room))
        if kind == nil, bytes.count >= ContentKind.prefix {
            finish()
            if readsPage, kind == .other { return .fail(.unsupportedKind) }
            // Room is taken once: doubling it again and again would need three times as much for a moment.
            if kind == .pdf, readsPage { bytes.reserveCapacity(limits.portableBytes) }
        }
        if bytes.count > Self.suspicious, bytes.count / limits.expansion > received + Self.bufferSize { return .fail(.decompressionBomb) }
        if piece.count > room {
            if kind == .pdf, readsPage {
                guard limit >= limits.portableBytes else { return unsafe take(UnsafeRawBufferPointer(rebasing: piece[room...]), received: received) }
                return .fail(.tooLarge)
            }
            return .cut
        }
        return .goOn
    }

    /// Tells the kind from what there is.
    mutating func finish() {
        if kind == nil { kind = ContentKind(sniffing: bytes.prefix(ContentKind.prefix), type: type) }
    }
}
