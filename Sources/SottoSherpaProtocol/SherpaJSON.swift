internal import Foundation

/// Values in messages.
enum SherpaJSON {
    static func bytes(of value: some Encodable) throws(SherpaProtocolError) -> [UInt8] {
        do { return [UInt8](try JSONEncoder().encode(value)) } catch {
            throw SherpaProtocolError(.malformed, "a message cannot be written: \(error)")
        }
    }

    static func value<Value: Decodable>(of bytes: [UInt8], as type: Value.Type, kind: SherpaFrame.Kind) throws(SherpaProtocolError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw SherpaProtocolError(.malformed, "the message \"\(kind)\" cannot be read: \(error)")
        }
    }
}
