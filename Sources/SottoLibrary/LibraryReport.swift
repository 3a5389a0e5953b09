/// What adding a folder did.
public struct LibraryReport: Sendable, Equatable, Codable {
    public struct Failure: Sendable, Equatable, Codable {
        public var path: String
        public var reason: String
    }
    /// Files read and put into the index, new or changed.
    public var indexed = 0
    public var unchanged = 0
    /// Files that are gone from the folder and left the index.
    public var removed = 0
    public var passages = 0
    /// How many files could not be read; ``failures`` names the first 1 000.
    public var failed = 0
    public var failures: [Failure] = []
    /// Characters that no reader would have seen, left out.
    public var hiddenCharacters = 0

    public init() {}

    mutating func fail(_ path: String, _ reason: String) {
        failed += 1
        if failures.count < 1_000 { failures.append(Failure(path: path, reason: reason)) }
    }
}
