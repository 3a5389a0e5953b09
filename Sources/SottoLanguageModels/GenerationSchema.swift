/// The shape of a guided answer, written once beside the Swift type that decodes it.
public indirect enum GenerationSchema: Sendable, Equatable {
    public struct Property: Sendable, Equatable {
        public var name: String
        public var schema: GenerationSchema
        public init(_ name: String, _ schema: GenerationSchema) {
            self.name = name
            self.schema = schema
        }
    }

    /// Properties in the order in which the model writes them.
    case object([Property])
    case array(of: GenerationSchema, minimum: Int, maximum: Int)
    /// At most `maximumLength` characters.
    case string(maximumLength: Int)
    case integer(ClosedRange<Int>)
    case boolean
    /// One of these strings.
    case choice([String])
}

/// A Swift value that a model can be made to write.
public protocol Generable: Codable, Sendable {
    /// Must describe exactly what `init(from:)` accepts.
    static var generationSchema: GenerationSchema { get }
}
