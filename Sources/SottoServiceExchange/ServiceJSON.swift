import Foundation

/// How answers are written.
package enum ServiceJSON {
    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// One server-sent event; the value has no line breaks, for JSON escapes them.
    package static func event(_ value: some Encodable) throws -> [UInt8] { try Array("data: ".utf8) + bytes(value) + Array("\n\n".utf8) }
}
