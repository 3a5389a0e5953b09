import Foundation

/// The members of a request's object, each read when it is asked for: what is wrong with one is said of that one.
package struct JSONFields: Decodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>

    package init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }

    /// - Parameter bytes: The text of an object.
    /// - Throws: ``ServiceError``.
    package init(_ bytes: [UInt8]) throws(ServiceError) {
        do {
            self = try JSONDecoder().decode(JSONFields.self, from: Data(bytes))
        } catch {
            throw .bad("the body is no JSON object")
        }
    }

    /// The names of all members but some, sorted.
    package func names(except known: Set<String>) -> [String] { container.allKeys.map(\.stringValue).filter { known.contains($0) == false }.sorted() }

    /// A member's value; `nil` when it is absent or null.
    ///
    /// - Parameters:
    ///   - kind: What it is to be, for people: "a number from 0 to 2".
    ///   - place: What stands before the name in a message, as `messages[3].`.
    /// - Throws: ``ServiceError`` that names the field.
    package func value<Value: Decodable>(_ name: String, _ kind: String, as type: Value.Type = Value.self, in place: String = "") throws(ServiceError)
        -> Value?
    {
        do {
            return try container.decodeIfPresent(type, forKey: Key(name))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .bad("\(place)\(name) is \(kind)", place + name)
        }
    }

    /// A member's value when it is of a type; `nil` when it is of another one, absent or null.
    package func ifIs<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
        (try? container.decodeIfPresent(type, forKey: Key(name))) ?? nil
    }

    /// Whether a member is there and is not null.
    package func has(_ name: String) -> Bool { container.contains(Key(name)) && (try? container.decodeNil(forKey: Key(name))) == false }
}
