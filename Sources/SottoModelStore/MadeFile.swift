extension ModelManifest {
    /// A file that nobody offers as it is, and that is made here out of others.
    public struct MadeFile: Sendable, Equatable, Codable {
        /// The ``File/path`` it becomes; its hash decides whether it was made right.
        public var to: String
        /// The name of the conversion; one that this version does not know is skipped with a note.
        public var conversion: String
        /// What the conversion needs, by the names that it knows.
        public var from: [Ingredient]

        public init(to: String, conversion: String, from: [Ingredient]) {
            self.to = to
            self.conversion = conversion
            self.from = from
        }
    }

    /// A file that is only needed to make another.
    public struct Ingredient: Sendable, Equatable, Codable {
        /// What the conversion calls it.
        public var name: String
        /// Bytes, at least 1.
        public var size: Int64
        public var sha256: SHA256Digest
        /// Entries in the order in which they follow each other.
        public var join: [Entry]

        public init(name: String, size: Int64, sha256: SHA256Digest, join: [Entry]) {
            self.name = name
            self.size = size
            self.sha256 = sha256
            self.join = join
        }
    }
}
