/// The shape of a guided answer, written once beside the Swift type that decodes it.
public indirect enum GenerationSchema: Sendable, Equatable {
    /// One named member of an object; every property is required.
    public struct Property: Sendable, Equatable {
        /// The key, exactly as the Swift type's `CodingKeys` spell it.
        public var name: String
        /// The shape of its value.
        public var schema: GenerationSchema

        /// - Parameters:
        ///   - name: The key, exactly as the Swift type's `CodingKeys` spell it.
        ///   - schema: The shape of its value.
        public init(_ name: String, _ schema: GenerationSchema) {
            self.name = name
            self.schema = schema
        }
    }

    /// Properties in the order in which the model writes them.
    case object([Property])
    /// `Int.max` is no bound.
    case array(of: GenerationSchema, minimum: Int, maximum: Int)
    /// One line of text, between the two lengths in Unicode scalars; no control characters, so no line breaks. `Int.max` is no bound.
    case string(minimumLength: Int = 0, maximumLength: Int)
    /// Any whole number in the range, without leading zeros.
    case integer(ClosedRange<Int>)
    case boolean
    /// One of these strings.
    case choice([String])
    /// Text of any length, line breaks included.
    case text
    /// Any number, with up to 16 digits on each side of the point.
    case number
    /// Exactly this JSON, such as `null` or `12`.
    case literal(String)
    /// A value of one of these shapes.
    case any(of: [GenerationSchema])
    /// Any JSON object.
    case anyObject
}

/// A Swift value that a model can be made to write.
public protocol Generable: Codable, Sendable {
    /// Must describe exactly what `init(from:)` accepts.
    static var generationSchema: GenerationSchema { get }
}
