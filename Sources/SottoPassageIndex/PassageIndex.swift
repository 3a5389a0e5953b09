public import SottoDocument

/// A searchable store of passages.
public protocol PassageIndex: Sendable {
    /// What is stored of a file, to tell whether it changed: `nil` when it is not there.
    func fingerprint(of location: String) async throws -> FileFingerprint?

    /// Puts documents and their passages in place of what was there for their locations, all in one transaction.
    func replace(_ entries: [IndexEntry]) async throws

    /// Renews a fingerprint when only the file's times changed.
    func touch(_ location: String, fingerprint: FileFingerprint) async throws

    /// Forgets these locations.
    func remove(_ locations: [String]) async throws

    /// The locations stored under a root.
    func locations(under root: String) async throws -> [String]

    /// Passages that match, best first.
    func search(_ query: PassageQuery) async throws -> [PassageHit]

    /// The passages of one document, in order, with `ordinal` in `ordinals`.
    func passages(of location: String, ordinals: ClosedRange<Int>) async throws -> [PassageHit]

    /// The roots that were added, with what they hold.
    func roots() async throws -> [LibraryRoot]
    /// Records a root, or that it was read again. `when` is in seconds since 1970.
    func recordRoot(_ path: String, when: Double) async throws
    func removeRoot(_ path: String) async throws
}

/// What tells one version of a file from the next.
public struct FileFingerprint: Sendable, Equatable, Codable {
    public var size: Int64
    /// Seconds since 1970.
    public var modified: Double
    /// The version of reading, a colon, and the SHA-256 of the bytes in hexadecimal: `v2:9f86…`.
    public var digest: String

    public init(size: Int64, modified: Double, digest: String) {
        self.size = size
        self.modified = modified
        self.digest = digest
    }
}

/// One document on its way into the index.
public struct IndexEntry: Sendable, Equatable {
    /// The absolute path of a file, or an address.
    public var location: String
    public var fingerprint: FileFingerprint
    public var title: String
    /// BCP 47; empty when unknown.
    public var language: String
    public var passages: [Passage]

    public init(location: String, fingerprint: FileFingerprint, title: String, language: String, passages: [Passage]) {
        self.location = location
        self.fingerprint = fingerprint
        self.title = title
        self.language = language
        self.passages = passages
    }
}

/// What to look for.
public struct PassageQuery: Sendable, Equatable {
    /// Ordinary words; the index makes its own query language from them.
    public var text: String
    /// BCP 47 tag of the task; documents in this language rank first.
    public var language: String?
    public var limit: Int
    /// Only documents under these roots; everywhere when empty.
    public var roots: [String]

    public init(text: String, language: String? = nil, limit: Int = 10, roots: [String] = []) {
        self.text = text
        self.language = language
        self.limit = limit
        self.roots = roots
    }
}

/// A passage that matched.
public struct PassageHit: Sendable, Equatable, Codable {
    public var location: String
    public var title: String
    public var language: String
    public var passage: Passage
    /// Larger is better; only comparable within one search.
    public var score: Double

    public init(location: String, title: String, language: String, passage: Passage, score: Double) {
        self.location = location
        self.title = title
        self.language = language
        self.passage = passage
        self.score = score
    }
}

public struct LibraryRoot: Sendable, Equatable, Codable {
    public var path: String
    public var documents: Int
    public var passages: Int
    /// Seconds since 1970.
    public var lastRead: Double

    public init(path: String, documents: Int, passages: Int, lastRead: Double) {
        self.path = path
        self.documents = documents
        self.passages = passages
        self.lastRead = lastRead
    }
}

/// Why the index failed; the message says what to do.
public struct PassageIndexError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable { case cannotOpen, busy, diskFull, corrupt, failed }
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
